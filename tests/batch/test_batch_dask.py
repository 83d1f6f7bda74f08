"""The same batch on a Dask cluster: same results, a killed worker costs nothing but time, one row each."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from test_batch import PROGRAM, by_name, everything, make, summary
from test_batch import _own_home as own_home

from codemods.batch import engines
from codemods.batch.run import BatchOptions, run_batch
from codemods.batch.spec import Outcome, Status
from codemods.problem import Problem

__all__ = ["own_home"]
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """Dask sets variables of this process when it starts workers, and leaves them."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def cluster(own_home: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(HERE))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True, host="127.0.0.1"
    ) as made:
        yield made


def _slow(spec: Any, scratch: Path) -> Outcome:
    with (Path(spec.location).parent / "started.txt").open("a") as file:
        file.write(f"{spec.name}\n")
    time.sleep(0.3)
    return Outcome(Status.CLEAN, commit="0" * 40, memory=os.getpid())


@pytest.mark.slow
def test_engines_give_the_same_result(cluster: Any, tmp_path: Path) -> None:
    make(tmp_path / "src/bad", {"train.py": PROGRAM})
    make(tmp_path / "src/other", {"a/train.py": PROGRAM.replace("batch", "rows"), "b.py": "x = 1\n"})
    make(tmp_path / "src/good", {"train.py": "print(1)\n"})
    (tmp_path / "src/plain").mkdir()
    (tmp_path / "list.txt").write_text("src/*\n")

    assert run_batch(BatchOptions("list.txt", tmp_path / "local", jobs=2)) == 1
    assert run_batch(BatchOptions("list.txt", tmp_path / "dask", dask=cluster.scheduler_address)) == 1

    local, dask = by_name(tmp_path / "local"), by_name(tmp_path / "dask")
    for rows in (local, dask):
        for row in rows.values():
            for measured in ("seconds", "memory_mib"):
                del row[measured]
    assert local == dask
    assert {row["status"] for row in dask.values()} == {"migrated", "clean", "failed"}
    files = [everything(tmp_path / engine / "repos") for engine in ("local", "dask")]
    for each in files:
        for name in [name for name in each if name.endswith(".bundle")]:
            del each[name]  # commits know their time
    assert files[0] == files[1]
    assert (tmp_path / "dask/repos/bad/branch.bundle").stat().st_size > 200


@pytest.mark.slow
def test_a_killed_worker_leaves_one_row_for_each(cluster: Any, tmp_path: Path) -> None:
    names = [f"r{number:02}" for number in range(16)]
    for name in names:
        (tmp_path / "src" / name).mkdir(parents=True)
    (tmp_path / "list.txt").write_text("src/*\n")
    started = tmp_path / "src/started.txt"
    victims: list[int] = []

    def kill() -> None:
        while not started.exists() or len(started.read_text().splitlines()) < 5:
            time.sleep(0.05)
        victims.append(next(iter(cluster.workers.values())).pid)
        os.kill(victims[0], signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    asked = BatchOptions("list.txt", tmp_path / "out", dask=cluster.scheduler_address, task="test_batch_dask:_slow")

    assert run_batch(asked) == 0

    killer.join(10)
    assert victims
    assert [row["name"] for row in summary(tmp_path / "out")["repos"]] == names
    assert all(row["status"] == "clean" for row in summary(tmp_path / "out")["repos"])
    assert len(started.read_text().splitlines()) > len(names)  # what it was at was done again


@pytest.mark.slow
def test_a_result_that_is_lost_before_it_is_read_is_made_again(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    make(tmp_path / "src/good", {"train.py": "print(1)\n"})
    (tmp_path / "list.txt").write_text("src/good\n")
    lost: list[str] = []

    class Losing(distributed.as_completed):
        def __next__(self) -> Any:
            future = super().__next__()
            if not lost:
                lost.append(future.key)
                future._state.lose()  # as the scheduler tells the client when the worker that had it is gone
                self.loop.call_later(0.5, future._state.finish)
            return future

    monkeypatch.setattr(distributed, "as_completed", Losing)
    assert run_batch(BatchOptions("list.txt", tmp_path / "out", dask=cluster.scheduler_address)) == 0
    assert lost and by_name(tmp_path / "out")["good"]["status"] == "clean"


@pytest.mark.slow
def test_a_cluster_of_batch_jobs_is_started_from_a_file(
    own_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With dask-jobqueue's own stand-in for a queue: the same code starts real workers, as jobs of this machine."""
    pytest.importorskip("dask_jobqueue")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(HERE.parent))
    make(tmp_path / "src/bad", {"train.py": PROGRAM})
    make(tmp_path / "src/good", {"train.py": "print(1)\n"})
    (tmp_path / "list.txt").write_text("src/*\n")
    (tmp_path / "slurm.yml").write_text(
        "cluster: dask_jobqueue.local.LocalCluster\njobs: 2\n"
        "options: {cores: 1, processes: 1, memory: 2GB, scheduler_options: {host: 127.0.0.1}}\n"
    )

    assert run_batch(BatchOptions("list.txt", tmp_path / "out", dask="slurm.yml")) == 0

    assert {name: row["status"] for name, row in by_name(tmp_path / "out").items()} == {
        "bad": "migrated",
        "good": "clean",
    }


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("jobs: 2\n", "want cluster: SLURM"),
        ("cluster: NoSuch\n", "want cluster: SLURM"),
        ("cluster: no_such_module.Cluster\n", "needs no_such_module"),
        ("cluster: SLURM\njobs: many\n", "want cluster: SLURM"),
        ("cluster: SLURM\noptions: {memory: 2GB}\n", "SLURM does not take these options"),
        ("- cluster\n", "want cluster: SLURM"),
    ],
)
def test_what_is_wrong_with_the_file_is_said(own_home: None, tmp_path: Path, text: str, words: str) -> None:
    pytest.importorskip("dask_jobqueue")
    (tmp_path / "slurm.yml").write_text(text)
    with pytest.raises(Problem, match=words):
        run_batch(_asked_for(tmp_path))


def _asked_for(tmp_path: Path) -> BatchOptions:
    make(tmp_path / "src/good", {"train.py": "print(1)\n"})
    (tmp_path / "list.txt").write_text("src/*\n")
    return BatchOptions(str(tmp_path / "list.txt"), tmp_path / "out", dask=str(tmp_path / "slurm.yml"))


@pytest.mark.slow
@pytest.mark.in_process
def test_how_a_task_ended() -> None:
    killed = pytest.importorskip("distributed.scheduler").KilledWorker
    future = mock.Mock()
    future.exception.return_value = killed("a task", None, 3)
    died = "the Dask workers that worked on it died, again and again"
    assert engines._outcome(future, "error") == Outcome(Status.FAILED, died, "crash")
    future.exception.return_value = ValueError("no")
    ended = engines._outcome(future, "error")
    assert (ended.status, ended.stage) == (Status.FAILED, "engine") and str(ended.reason).endswith(": ValueError: no")
    for status in ("lost", "cancelled"):
        with pytest.raises(Problem, match=f"a task is {status}"):
            engines._outcome(future, status)
