"""A batch from its list to its report, with an engine that only says what became of each repository."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from codemods.batch import run
from codemods.batch.engines import Event
from codemods.batch.ledger import Ledger, State
from codemods.batch.output import claim
from codemods.batch.run import BatchOptions, run_batch, status
from codemods.batch.spec import Flags, Limits, Outcome, Spec, Status
from codemods.problem import Problem

GOOD = Outcome(Status.MIGRATED, commit="1", fixed=3, refused=1, files={"log.txt": "done\n"})
CLEAN = Outcome(Status.CLEAN, commit="2", files={"log.txt": "nothing\n"})
BAD = Outcome(Status.FAILED, reason="no commit\x1b", stage="obtain", files={"log.txt": "?\n"})


class Engine:
    """Gives the outcome that is asked for, and keeps the specs that it got."""

    def __init__(self, **outcomes: Outcome) -> None:
        self.outcomes, self.specs = outcomes, list[Spec]()
        self.stops_after = 99

    def __call__(self, options: BatchOptions, work: Iterable[Spec], scratch: Path) -> Generator[Event, None, None]:
        assert scratch.is_dir() and scratch.parent == options.out
        self.specs = list(work)
        for number, spec in enumerate(self.specs):
            yield Event(spec.name)
            if number == self.stops_after:
                raise KeyboardInterrupt
            yield Event(spec.name, replace(self.outcomes[spec.name], files=dict(self.outcomes[spec.name].files)))

    @property
    def names(self) -> list[str]:
        return [spec.name for spec in self.specs]


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BatchOptions:
    """Three repositories of a list that all are folders here."""
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        (tmp_path / "repos" / name / ".git").mkdir(parents=True)
    (tmp_path / "list.txt").write_text("repos/a\nrepos/b@v1\nrepos/c\n")
    return BatchOptions("list.txt", tmp_path / "out")


def engine(monkeypatch: pytest.MonkeyPatch, **outcomes: Outcome) -> Engine:
    created = Engine(**outcomes)
    monkeypatch.setattr(run, "_engine", created)
    return created


def test_a_batch_and_what_it_says(
    options: BatchOptions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worker = engine(monkeypatch, a=GOOD, b=CLEAN, c=BAD)
    assert run_batch(options) == 1
    assert worker.names == ["a", "b", "c"]
    report = f"report: {options.out / 'index.html'}"
    said = capsys.readouterr().err.splitlines()
    assert said[3:] == [
        "3 of 3 repositories to do",
        "1 migrated, 1 clean, 1 failed; 3 places fixed, 1 refused",
        "failed c: no commit?",
        report,
    ]
    assert (options.out / "repos/a/log.txt").read_text() == "done\n"
    whole = json.loads((options.out / "summary.json").read_text())
    assert [row["status"] for row in whole["repos"]] == ["migrated", "clean", "failed"]
    assert float(whole["totals"]["wall_seconds"]) < 60
    assert not list(options.out.glob("scratch-*"))
    assert status(options.out) == 1
    assert capsys.readouterr().out.splitlines() == ["batch of list.txt", *said[4:]]


def test_what_is_done_is_not_done_again(
    options: BatchOptions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine(monkeypatch, a=GOOD, b=CLEAN, c=BAD)
    run_batch(options)
    again = engine(monkeypatch, a=GOOD, b=CLEAN, c=CLEAN)
    assert run_batch(replace(options, resume=True)) == 1 and again.names == []
    assert run_batch(replace(options, failed=True)) == 0 and again.names == ["c"]
    capsys.readouterr()
    assert status(options.out) == 0
    assert capsys.readouterr().out.splitlines()[1] == "1 migrated, 2 clean; 3 places fixed, 1 refused"
    other = engine(monkeypatch, a=GOOD, b=CLEAN, c=CLEAN)
    assert run_batch(replace(options, resume=True, flags=Flags(unsafe_fixes=True))) == 0
    assert other.names == ["a", "b", "c"]  # other flags: no result holds
    assert [spec.known for spec in other.specs] == [None, None, None]


def test_a_result_that_still_holds_is_handed_to_the_worker(
    options: BatchOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine(monkeypatch, a=GOOD, b=CLEAN, c=BAD)
    run_batch(options)
    unchanged = Outcome(Status.UNCHANGED)
    again = engine(monkeypatch, a=unchanged, b=unchanged, c=BAD)
    assert run_batch(options) == 1
    assert [(spec.name, spec.known, spec.ref) for spec in again.specs] == [
        ("a", "1", None),
        ("b", "2", "v1"),
        ("c", None, None),
    ]
    assert (options.out / "repos/a/log.txt").read_text() == "done\n"


def test_what_a_worker_is_told(options: BatchOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = engine(monkeypatch, a=GOOD, b=CLEAN, c=CLEAN)
    limits, flags = Limits(seconds=5, memory=6, disk=7), Flags(unsafe_fixes=True)
    asked = replace(
        options, limit=2, limits=limits, flags=flags, allow_protocol=("ext",), in_place=True, push=True,
        push_remote="up", no_cache=True, task="m:f",
    )  # fmt: skip
    assert run_batch(asked) == 0
    assert worker.names == ["a", "b"]
    spec = worker.specs[1]
    assert (spec.limits, spec.flags, spec.in_place, spec.push, spec.push_remote) == (limits, flags, True, True, "up")
    assert (spec.no_cache, spec.task, spec.ref, spec.remote, spec.wrong) == (True, "m:f", "v1", False, None)
    assert spec.protocols[-1] == "ext" and len(spec.protocols) > 1
    ledger = Ledger(options.out)
    assert [row.state for row in ledger.rows()] == [State.DONE, State.DONE, State.QUEUED]
    ledger.close()


def test_an_interrupt_leaves_a_report_and_says_how_to_go_on(
    options: BatchOptions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worker = engine(monkeypatch, a=GOOD, b=CLEAN, c=BAD)
    worker.stops_after = 1
    with pytest.raises(KeyboardInterrupt):
        run_batch(options)
    assert f"interrupted; go on with:  spawnfix batch list.txt --out {options.out} --resume" in capsys.readouterr().err
    assert len(json.loads((options.out / "summary.json").read_text())["repos"]) == 1
    assert not list(options.out.glob("scratch-*"))
    assert status(options.out) == 0
    assert capsys.readouterr().out.splitlines()[1] == "1 migrated, 2 queued; 3 places fixed, 1 refused"
    again = engine(monkeypatch, b=CLEAN, c=CLEAN)
    assert run_batch(replace(options, resume=True)) == 0 and again.names == ["b", "c"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"push_remote": "up"}, "--push-remote goes with --push"),
        ({"dask": "tcp://h:1", "in_place": True}, "--in-place makes branches in repositories of this machine"),
        ({"push": True}, "--push: repos/a is no URL, so there is nowhere to push to; add --push-remote"),
        ({"list": "none.txt"}, "none.txt: No such file"),
        ({"flags": Flags(select="nothing")}, ""),
    ],
)
def test_what_makes_no_sense_is_said_before_any_work(
    changes: dict[str, object], words: str, options: BatchOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = engine(monkeypatch)
    with pytest.raises(Problem) as caught:
        run_batch(replace(options, **changes))  # type: ignore[arg-type]
    assert words in str(caught.value).replace(str(Path.cwd()) + "/", "")
    assert worker.names == [] and not options.out.exists()


def test_another_list_for_the_same_folder(options: BatchOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    engine(monkeypatch, a=GOOD, b=CLEAN, c=CLEAN)
    run_batch(options)
    Path("more.txt").write_text("repos/c\nrepos/b@v1\nrepos/a\n")
    assert run_batch(replace(options, list="more.txt")) == 0  # it has all of the first
    Path("less.txt").write_text("repos/c\nrepos/b\nrepos/a\n")  # b at another commit
    with pytest.raises(Problem, match=r"has the batch of another list, more\.txt; use another --out"):
        run_batch(replace(options, list="less.txt"))


def test_one_batch_at_a_time(options: BatchOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    engine(monkeypatch, a=GOOD, b=CLEAN, c=CLEAN)
    run_batch(options)
    with run.only_one(options.out), pytest.raises(Problem, match="another batch is at work there"):
        run_batch(options)
    assert run_batch(options) == 0


def test_status_of_what_is_no_batch(tmp_path: Path) -> None:
    claim(tmp_path / "made", ())
    (tmp_path / "link").symlink_to(tmp_path / "made")
    for name in ("made", "other"):
        Ledger(tmp_path / name).close()
    status(tmp_path / "made")
    for name in ("link", "other", "gone"):
        with pytest.raises(Problem, match="no batch was run there"):
            status(tmp_path / name)
