"""`--jobs`: the same bytes from several processes as from one, whatever happens to them."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import time
from dataclasses import replace
from typing import Any

import pytest

from codemods.engine import jobs as jobs_module
from codemods.engine import migrate
from codemods.engine.jobs import MOST, PAYS, Helpers, number_of
from codemods.engine.look import Look
from codemods.engine.migrate import check, plan
from codemods.engine.worker import Job, receive, send
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles

SETTINGS = Settings(confidence=Confidence.POSSIBLE)
FILES = MemoryFiles(
    {
        "train.py": b"""
import os
from copy import deepcopy
from torch.utils.data import DataLoader
from data import Data

local_rank = int(os.environ["LOCAL_RANK"])
for batch in DataLoader(Data(), num_workers=2, collate_fn=lambda batch: batch):
    print(batch)
""",
        "data.py": b"""
import threading
from torch.utils.data import Dataset


class Data(Dataset):
    def __init__(self, table={}):
        self.names = table.keys()
        self.lock = threading.Lock()  # spawnfix: ignore[unpicklable-attributes]
""",
        "run.sh": b"python -m torch.distributed.launch --nproc_per_node=2 train.py\n",
        "broken.py": b"from torch.utils.data import DataLoader\ndef f(:\n",
        "old.py": b"class A:\n    def __init__(self, d):\n        self.k = d.keys()\n        print 'x'\n",
        "book.ipynb": b"{}",
    }
)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rules that ran in this process, one after the other."""
    seen: list[str] = []
    find = migrate.Run.findings_of

    def noted(self: Any, rule: Any, project: Any) -> Any:
        seen.append(rule.id)
        return find(self, rule, project)

    monkeypatch.setattr(migrate.Run, "findings_of", noted)
    return seen


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were started; the rest waits until they have something to do."""
    seen: list[subprocess.Popen[bytes]] = []
    start = Helpers.start

    def noted(self: Helpers, job: Job, number: int) -> None:
        start(self, job, number)
        seen.extend(self._processes)
        late = time.monotonic() + 60
        while not self._taken and time.monotonic() < late:
            time.sleep(0.01)

    monkeypatch.setattr(Helpers, "start", noted)
    return seen


@pytest.mark.slow
def test_check_gives_the_same_report_and_does_a_part_elsewhere(looked: list[str], started: list[Any]) -> None:
    alone = check(FILES, SETTINGS)
    in_one, looked[:] = looked[:], []
    shared = check(FILES, SETTINGS, jobs=3)
    assert shared == alone
    assert list(shared.findings) == list(alone.findings)
    assert {finding.rule for finding in alone.findings} > {"dict-views", "dist-launcher", "lambdas", "main-guard"}
    assert alone.suppressed
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)  # none is left
    assert set(looked) < set(in_one)
    assert {"dict-views", "lambdas"} <= set(looked)


def test_migrate_gives_the_same_plan(looked: list[str], started: list[Any]) -> None:
    alone = plan(FILES, SETTINGS)
    assert plan(FILES, SETTINGS, jobs=2) == alone
    assert alone.changes
    assert len(started) == 1
    assert started[0].returncode is not None


@pytest.mark.slow
def test_migrate_without_changes_looks_once_and_shares(looked: list[str], started: list[Any]) -> None:
    files = MemoryFiles({path: data for path, data in FILES.contents.items() if path in ("train.py", "broken.py")})
    settings = replace(SETTINGS, ignore=("lambdas", "dict-views", "main-guard", "launcher-env"))
    alone = plan(files, settings)
    in_one, looked[:] = looked[:], []
    assert plan(files, settings, jobs=2) == alone
    assert not alone.changes
    assert len(looked) < len(in_one)


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("moment", ["at once", "before an answer"])
def test_a_process_that_dies_costs_nothing_but_time(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    receive = jobs_module.receive
    start = Helpers.start
    processes: list[subprocess.Popen[bytes]] = []

    def begun(self: Helpers, job: Job, number: int) -> None:
        start(self, job, number)
        processes.extend(self._processes)
        if moment == "at once":
            _kill(processes)

    def answered(stream: Any) -> Any:
        if moment == "before an answer":
            _kill(processes)
        return receive(stream)

    monkeypatch.setattr(Helpers, "start", begun)
    monkeypatch.setattr(jobs_module, "receive", answered)
    assert check(FILES, SETTINGS, jobs=2) == check(FILES, SETTINGS)
    assert processes


def _kill(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def test_a_message_comes_as_it_was_sent_and_a_part_of_one_never() -> None:
    stream = io.BytesIO()
    for message in (messages := [{"a.py": (1, None)}, b"", "x" * 70_000]):
        send(stream, message)
    stream.seek(0)
    assert [receive(stream) for _ in messages] == messages
    with pytest.raises(EOFError):
        receive(stream)
    whole = io.BytesIO()
    send(whole, [1, 2])
    for size in range(len(whole.getvalue())):
        with pytest.raises(EOFError):
            receive(io.BytesIO(whole.getvalue()[:size]))


def test_a_process_ends_at_a_request_that_it_cannot_read() -> None:
    with subprocess.Popen(jobs_module._command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write((3).to_bytes(8, "big") + b"bad")
        process.stdin.flush()  # and it stays open
        try:
            process.wait(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0


def test_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(jobs_module.threading.Thread, "start", full)
    assert check(FILES, SETTINGS, jobs=2) == check(FILES, SETTINGS)


def test_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "_command", lambda: ["/nowhere/python"])
    assert check(FILES, SETTINGS, jobs=2) == check(FILES, SETTINGS)


@pytest.mark.slow
def test_a_file_that_was_not_sent_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, looked: list[str], started: list[Any]
) -> None:
    job_of = jobs_module.job_of

    def without(run: Any, test: bool) -> Job:
        job = job_of(run, test)
        return replace(job, contents={path: data for path, data in job.contents.items() if path == "data.py"})

    monkeypatch.setattr(jobs_module, "job_of", without)
    shared = check(FILES, SETTINGS, jobs=2)
    here, looked[:] = looked[:], []
    assert shared == check(FILES, SETTINGS)
    assert set(here) < set(looked)


def test_where_files_are_left_out_for_what_came_before_one_process_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codemods.project.MAX_NODES", 1)
    alone = check(FILES, SETTINGS)
    assert any("more Python than one run" in row.reason for row in alone.skipped)
    assert check(FILES, SETTINGS, jobs=2) == alone


def test_a_rule_of_somebody_else_stays_here(looked: list[str], started: list[Any]) -> None:
    own = replace(rules()["main-guard"], id="own", documentation="mine")
    check(FILES, SETTINGS, rules={"own": own}, jobs=2)
    assert looked == ["own"]
    assert started == []


def test_how_many_processes() -> None:
    assert number_of(0, PAYS - 1) == 1
    assert 1 <= number_of(0, PAYS) <= MOST
    assert number_of(7, 0) == 7


def test_helpers_give_up_what_nobody_took() -> None:
    helpers = Helpers(["a", "b"], lambda path: b"")
    assert helpers.mine("a")
    assert helpers.first_look("b") is None
    helpers.close()
    assert helpers.mine("b")
    assert helpers.look("b") is None
    assert Look(()).findings == ()
