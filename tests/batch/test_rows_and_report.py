"""The ledger, the report's files and the progress lines of a batch, without running one."""

from __future__ import annotations

import base64
import io
import json
from base64 import b64encode
from pathlib import Path

import pytest
from rich.console import Console

from codemods.batch import progress
from codemods.batch.engines import Event
from codemods.batch.ledger import FILE, Ledger, Row, State, still_good
from codemods.batch.report import lock, summary, write_files, write_report
from codemods.batch.repos import Repo
from codemods.batch.spec import Outcome, Status
from codemods.batch.version import release, tool_version
from codemods.problem import Problem
from codemods.version import __version__
from harness.each_row import each_row

MIGRATED = Outcome(
    Status.MIGRATED,
    commit="abc",
    findings={"lambdas": 2, "dict-views": 1},
    confidence={"lambdas": {"proven": 1, "possible": 1}, "dict-views": {"proven": 1}},
    fixed=2,
    refused=1,
    skipped=4,
    crashes=[["a.py", "KeyError"]],
    files_seen=10,
    size=1000,
    seconds=1.5,
    memory=90,
    cache=[3, 4],
    branch="spawnfix",
    pushed="origin",
    files={"log.txt": "", "index.html": ""},
)
FAILED = Outcome(Status.FAILED, reason="no commit", stage="obtain", files_seen=1, size=24, seconds=0.25, memory=70)
ABOUT = {"list": "list.txt", "started": "0", "wall_seconds": "2.5"}


def row(name: str, outcome: Outcome | None, state: State = State.DONE, ref: str | None = None) -> Row:
    return Row(name, f"/code/{name}", ref, state, "s", "v", 2, outcome)


ROWS = [row("a", MIGRATED, ref="main"), row("b", FAILED), row("c", None, State.QUEUED, "v1"),
        row("d", MIGRATED, State.RUNNING)]  # fmt: skip


def test_the_summary_counts_what_is_done() -> None:
    found = summary(ROWS, ABOUT)
    assert found["version"] == __version__
    assert found["totals"] == {
        "repos": 4, "migrated": 1, "clean": 0, "failed": 1, "queued": 2,
        "findings": {"dict-views": 1, "lambdas": 2}, "confidence": {"proven": 2, "possible": 1},
        "fixed": 2, "refused": 1, "files": 11, "bytes": 1024, "seconds": 1.75, "wall_seconds": 2.5,
        "peak_memory_mib": 90, "cache": {"known": 3, "asked": 4, "rate": 0.75},
    }  # fmt: skip
    first, second = found["repos"]  # type: ignore[misc]
    assert first == {
        "name": "a", "source": "/code/a", "ref": "main", "commit": "abc", "status": "migrated", "reason": None,
        "stage": None, "findings": {"lambdas": 2, "dict-views": 1},
        "confidence": {"lambdas": {"proven": 1, "possible": 1}, "dict-views": {"proven": 1}},
        "fixed": 2, "refused": 1, "skipped": 4, "crashes": [["a.py", "KeyError"]], "files": 10, "seconds": 1.5,
        "memory_mib": 90, "branch": "spawnfix", "pushed": "origin", "attempts": 2,
        "report": {"index.html": "repos/a/index.html", "log.txt": "repos/a/log.txt"},
    }  # fmt: skip
    assert (second["name"], second["status"], second["reason"], second["stage"]) == (
        "b",
        "failed",
        "no commit",
        "obtain",
    )


def test_the_summary_of_nothing() -> None:
    totals = summary([], {})["totals"]
    assert totals == {
        "repos": 0, "migrated": 0, "clean": 0, "failed": 0, "queued": 0, "findings": {}, "confidence": {}, "fixed": 0,
        "refused": 0, "files": 0, "bytes": 0, "seconds": 0, "wall_seconds": 0.0, "peak_memory_mib": 0,
        "cache": {"known": 0, "asked": 0, "rate": None},
    }  # fmt: skip


def test_a_rate_has_four_digits() -> None:
    third = Outcome(Status.CLEAN, cache=[1, 3])
    assert summary([row("a", third)], {})["totals"]["cache"] == {"known": 1, "asked": 3, "rate": 0.3333}  # type: ignore[index]


def test_the_files_of_the_report(tmp_path: Path) -> None:
    whole = write_report(tmp_path, [*ROWS, row("=e", Outcome(Status.CLEAN, commit="\tx"))], ABOUT)
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8")) == json.loads(json.dumps(whole))
    assert (tmp_path / "summary.csv").read_bytes().decode().split("\r\n") == [
        "name,source,ref,commit,status,reason,fixed,refused,skipped,seconds,dict-views,lambdas",
        "a,/code/a,main,abc,migrated,,2,1,4,1.5,1,2",
        "b,/code/b,,,failed,no commit,0,0,0,0.25,0,0",
        "c,/code/c,v1,,queued",
        "d,/code/d,,,queued",
        "'=e,/code/=e,,'\tx,clean,,0,0,0,0.0,0,0",
        "",
    ]
    assert "<html" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "repos.lock.jsonl").read_text(encoding="utf-8") == lock(
        [*ROWS, row("=e", Outcome(Status.CLEAN, commit="\tx"))]
    )


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(first: str, tmp_path: Path) -> None:
    write_report(tmp_path, [Row(f"{first}1", "+s", "@r", State.QUEUED, None, None, 0, None)], {})
    assert f"'{first}1" in (tmp_path / "summary.csv").read_bytes().decode()
    assert "'+s,'@r,,queued" in (tmp_path / "summary.csv").read_text(encoding="utf-8")


def test_the_lock_names_commits_where_known() -> None:
    assert [json.loads(line) for line in lock(ROWS).splitlines()] == [
        {"name": "a", "repo": "/code/a", "ref": "abc"},
        {"name": "b", "repo": "/code/b", "ref": None},
        {"name": "c", "repo": "/code/c", "ref": "v1"},
        {"name": "d", "repo": "/code/d", "ref": "abc"},
    ]
    assert lock(ROWS).endswith("}\n")


def test_files_of_one_repository_replace_those_of_the_run_before(tmp_path: Path) -> None:
    folder = tmp_path / "repos/a"
    write_files(folder, {"log.txt": "one \udc80\n", "changes.patch": base64.b64encode(b"\xff\n").decode()})
    assert (folder / "log.txt").read_bytes() == b"one \\udc80\n"
    assert (folder / "changes.patch").read_bytes() == b"\xff\n"
    (folder / "mine.txt").write_text("stays")
    (folder / ".log.txt.new").write_text("left by a kill")
    (folder / ".index.html.new").write_text("left by a kill")
    write_files(folder, {"log.txt": "two\n", "../b/pull-request.md": "three\n"})
    assert sorted(path.name for path in folder.iterdir()) == ["log.txt", "mine.txt", "pull-request.md"]
    assert (folder / "log.txt").read_text() == "two\n" and (folder / "pull-request.md").read_text() == "three\n"


@pytest.mark.parametrize("linked", ["repos", "repos/a"])
def test_files_do_not_go_through_links(linked: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere/a").mkdir(parents=True)
    (tmp_path / linked).parent.mkdir(exist_ok=True)
    (tmp_path / linked).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="a symbolic link, not followed"):
        write_files(tmp_path / "repos/a", {"log.txt": "x"})
    assert not list((tmp_path / "elsewhere").rglob("*.txt"))


# the ledger


def repo(name: str, source: str = "/a", ref: str | None = None) -> Repo:
    return Repo(name, source, source, ref)


def test_a_list_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enlist([repo("a"), repo("b"), repo("c")], {"list": "one", "kept": "1"})
    for name in ("a", "b"):
        ledger.start(name)
        assert ledger.finish(name, Outcome(Status.CLEAN, commit=f"of {name}", files={"z": "text", "a": ""}), "s", "v")
    ledger.start("c")
    ledger.start("c")
    assert [(row.name, row.state, row.attempts) for row in ledger.rows()] == [
        ("a", State.DONE, 1),
        ("b", State.DONE, 1),
        ("c", State.RUNNING, 2),
    ]
    ledger.enlist([repo("c"), repo("b", ref="v1"), repo("a")], {"list": "two"})
    assert [(row.name, row.ref, row.state, row.attempts) for row in ledger.rows()] == [
        ("c", None, State.QUEUED, 2),
        ("b", "v1", State.QUEUED, 0),
        ("a", None, State.DONE, 1),
    ]
    (_, second, last) = ledger.rows()
    assert second.outcome is None and last.outcome is not None
    assert (last.outcome.commit, last.outcome.files) == ("of a", {"a": "", "z": ""})
    assert ledger.about() == {"list": "two", "kept": "1"}
    ledger.note({"kept": "2"})
    assert ledger.about()["kept"] == "2"
    ledger.enlist([repo("a", "/other")], {})
    (only,) = ledger.rows()
    assert (only.source, only.state, only.outcome) == ("/other", State.QUEUED, None)
    ledger.close()


def test_a_list_that_fails_half_way_leaves_the_one_before(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enlist([repo("a")], {"list": "one"})
    with pytest.raises(AttributeError):
        ledger.enlist([repo("b"), None], {"list": "two"})  # type: ignore[list-item]
    assert [row.name for row in ledger.rows()] == ["a"]
    ledger.enlist([repo("c")], {})  # no transaction is left open
    assert [row.name for row in ledger.rows()] == ["c"]
    ledger.close()


def test_unchanged_keeps_the_result_and_forgotten_ones_hold_no_more(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enlist([repo("a"), repo("b")], {})
    ledger.start("a")
    ledger.finish("a", Outcome(Status.MIGRATED, commit="1", fixed=3), "s", "v")
    ledger.forget("a")  # it is done: nothing is forgotten
    assert still_good(ledger.rows()[0], "s", "v") == "1"
    ledger.queue(["a"])
    assert [row.state for row in ledger.rows()] == [State.QUEUED, State.QUEUED]
    assert ledger.finish("a", Outcome(Status.UNCHANGED), "other", "other")
    assert not ledger.finish("a", Outcome(Status.UNCHANGED), "other", "other")
    row = ledger.rows()[0]
    assert row.outcome is not None and (row.state, row.settings, row.outcome.fixed) == (State.DONE, "s", 3)
    ledger.queue(["a"])
    ledger.forget("a")
    assert still_good(ledger.rows()[0], "s", "v") is None
    ledger.close()


@each_row(
    ("outcome", "settings", "version", "good"),
    [
        (Outcome(Status.CLEAN, commit="1"), "s", "v", "1"),
        (Outcome(Status.CLEAN, commit="1"), "t", "v", None),
        (Outcome(Status.CLEAN, commit="1"), "s", "w", None),
        (Outcome(Status.FAILED, commit="1"), "s", "v", None),
        (None, "s", "v", None),
    ],
)
def test_whose_result_still_holds(outcome: Outcome | None, settings: str, version: str, good: str | None) -> None:
    assert still_good(row("a", outcome), settings, version) == good


def test_a_ledger_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="none: no batch was run there"):
        Ledger(tmp_path / "none", must_exist=True)
    assert not (tmp_path / "none").exists()
    Ledger(tmp_path / "deep/er").close()
    assert (tmp_path / "deep/er" / FILE).is_file()
    Ledger(tmp_path / "deep/er", must_exist=True).close()
    (tmp_path / FILE).write_text("no database " * 1000)
    with pytest.raises(Problem, match=f"{FILE}: can't be used: "):
        Ledger(tmp_path)


def test_a_ledger_of_another_version(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger._database.execute("PRAGMA user_version=7")
    ledger.close()
    with pytest.raises(Problem, match="written by another version of spawnfix; use another --out"):
        Ledger(tmp_path)


# what people see meanwhile


class Clock:
    """`time.monotonic` that goes on when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress.time, "monotonic", clock)
    return clock


@each_row(
    ("outcome", "words"),
    [
        (Outcome(Status.UNCHANGED, seconds=3), "unchanged"),
        (Outcome(Status.CLEAN, seconds=2.06), "clean (2.1 s)"),
        (Outcome(Status.MIGRATED, fixed=3, refused=1, seconds=1), "migrated, 3 fixed, 1 refused (1.0 s)"),
        (Outcome(Status.MIGRATED, fixed=3, seconds=1), "migrated, 3 fixed, 0 refused (1.0 s)"),
        (Outcome(Status.CLEAN, refused=2, seconds=1), "clean, 0 fixed, 2 refused (1.0 s)"),
        (Outcome(Status.FAILED, reason="a\x1bb", fixed=2, seconds=0.04), "failed: a?b (0.0 s)"),
        (Outcome(Status.FAILED), "failed:  (0.0 s)"),
    ],
)
def test_a_result_in_words(outcome: Outcome, words: str) -> None:
    assert progress.in_words(outcome) == words


def test_a_line_for_each_that_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.watcher(12) as watcher:
        assert isinstance(watcher, progress.Lines)
        watcher.tell(Event("a"))
        watcher.tell(Event("a", Outcome(Status.UNCHANGED)))
        watcher.tell(Event("b", FAILED))
    out, err = capsys.readouterr()
    assert (out, err) == ("", "[ 1/12] a: unchanged\n[ 2/12] b: failed: no commit (0.2 s)\n")


def test_the_line_of_counts(clock: Clock) -> None:
    counts = progress._Counts(60)
    assert counts.line == "0/60 done, 0 at work, 60 queued"
    counts.take(Event("a"))
    counts.take(Event("b"))
    clock.now += 30
    assert counts.line == "0/60 done, 2 at work, 58 queued"
    counts.take(Event("a", Outcome(Status.MIGRATED)))
    assert counts.line == "1/60 done (1 migrated), 1 at work, 58 queued, 2/min, 29:30 left"
    for name, status in (("b", Status.CLEAN), ("c", Status.CLEAN), ("d", Status.FAILED), ("e", Status.UNCHANGED)):
        counts.take(Event(name, Outcome(status)))
    assert counts.done == 5
    assert counts.line == (
        "5/60 done (1 migrated, 2 clean, 1 failed, 1 unchanged), 0 at work, 55 queued, 10/min, 5:30 left"
    )


def test_hours_are_said() -> None:
    assert [progress._clock(seconds) for seconds in (0.9, 59, 60, 3599, 3600, 36_061)] == [
        "0:00",
        "0:59",
        "1:00",
        "59:59",
        "1:00:00",
        "10:01:01",
    ]


def test_the_display_names_the_longest_at_work_and_the_last_failures(clock: Clock) -> None:
    display = progress._Display(20)
    for number in range(8):
        display.tell(Event(f"r{number}"))
        clock.now += 10
    for number in range(4):
        display.tell(Event(f"f{number}", FAILED))
    display.tell(Event("fine", Outcome(Status.CLEAN)))
    stream = io.StringIO()
    Console(file=stream, width=100, color_system=None).print(display)
    assert stream.getvalue().splitlines() == [
        "5/20 done (1 clean, 4 failed), 8 at work, 7 queued, 4/min, 4:00 left",
        *(f"  r{number}  {clock}" for number, clock in enumerate(["1:20", "1:10", "1:00", "0:50", "0:40", "0:30"])),
        *(f"  f{number}: failed: no commit (0.2 s)" for number in (1, 2, 3)),
    ]


def test_at_a_terminal_the_display_is_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    with progress.watcher(3) as watcher:
        assert isinstance(watcher, progress._Display)
        watcher.tell(Event("a", Outcome(Status.CLEAN)))


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@each_row(("version", "known"), [("1.2.0+3f2a9c01", "1.2.0"), ("1.2.0", "1.2.0"), ("", ""), (None, "")])
def test_the_part_of_a_version_that_people_know(version: str | None, known: str) -> None:
    assert release(version) == known


def test_the_version_names_the_code() -> None:
    name, _, digest = tool_version().partition("+")
    assert name == __version__ and len(digest) == 8 and set(digest) <= set("0123456789abcdef")


def test_a_folder_holds_the_files_of_the_last_outcome_alone(tmp_path: Path) -> None:
    texts = ("index.html", "review.html", "findings.json", "findings.sarif", "pull-request.md", "log.txt")
    binary = ("changes.patch", "branch.bundle")
    whole = dict.fromkeys(texts, "é\ud800") | dict.fromkeys(binary, b64encode(b"\xff\0").decode())
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "notes.txt").write_text("the user's own")
    write_files(tmp_path / "a", whole)
    assert {path.name for path in (tmp_path / "a").iterdir()} == {*whole, "notes.txt"}
    assert {(tmp_path / "a" / name).read_bytes() for name in texts} == {"é\\ud800".encode()}
    assert {(tmp_path / "a" / name).read_bytes() for name in binary} == {b"\xff\0"}
    for name in whole:
        (tmp_path / "a" / f".{name}.new").write_text("left by a kill")
    write_files(tmp_path / "a", {"log.txt": "x"})
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"log.txt", "notes.txt"}
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="a symbolic link, not followed"):
        write_files(tmp_path / "b", {})
