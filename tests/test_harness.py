"""The harness itself: a test bench that can't fail proves nothing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from codemods.finding import Confidence, Finding, Span
from codemods.project import Project
from harness import check, rows, snapshots
from harness.case import BadCase, Case, folders
from harness.check import check_case, check_in_memory
from harness.each_row import each_row
from harness.programs import run
from harness.tool import tree_diff

LOCAL = """\
import multiprocessing as mp

def work(item):
    return item

def main():
    print(mp.get_start_method(allow_none=True))
    with mp.Pool(1, initializer=lambda: None) as pool:
        print(pool.map(work, [1, 2]))

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(LOCAL)
    return tmp_path


@pytest.mark.slow
def test_start_method_comes_from_outside(program: Path) -> None:
    fork = run("python train.py", program, "fork")
    assert (fork.code, fork.stdout) == (0, "None\n[1, 2]\n"), str(fork)  # None: the program may still choose
    for method in ("spawn", "forkserver"):
        outcome = run("python train.py", program, method)
        assert outcome.code == 1
        assert "local object 'main.<locals>.<lambda>'" in outcome.stderr, str(outcome)


@pytest.mark.slow
def test_program_that_chooses_keeps_its_choice(program: Path) -> None:
    (program / "train.py").write_text(LOCAL.replace("    print(mp", "    mp.set_start_method('fork')\n    print(mp"))
    assert run("python train.py", program, "spawn").stdout == "fork\n[1, 2]\n"


@pytest.mark.slow
def test_ranks_are_joined_in_order_and_share_a_port(tmp_path: Path) -> None:
    (tmp_path / "rank.sh").write_text(
        "sleep 0.$((2 - RANK))\n"  # the last rank ends first
        'echo "$RANK/$WORLD_SIZE local $LOCAL_RANK at $MASTER_ADDR:$MASTER_PORT"\n'
        "exit $((RANK * 3))\n"
    )
    outcome = run("bash rank.sh", tmp_path, None, ranks=2)
    first, second = outcome.stdout.splitlines()
    assert (first[:24], second[:24]) == ("0/2 local 0 at 127.0.0.1", "1/2 local 1 at 127.0.0.1")
    assert first[24:] == second[24:]
    assert outcome.code == 3


@pytest.mark.slow
def test_timeout_ends_descendants_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import subprocess, sys, time\n"
        "stray = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "print(stray.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    for timeout in (0.7, 5, 60):  # a busy machine may start nothing in less
        outcome = run("python a.py", tmp_path, None, timeout=timeout)
        assert outcome.timed_out and outcome.code
        if outcome.stdout:
            break
    assert outcome.stdout
    latest = time.monotonic() + 20
    while _runs(int(outcome.stdout)) and time.monotonic() < latest:
        time.sleep(0.02)
    assert not _runs(int(outcome.stdout))


def _runs(process: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


@pytest.mark.skipif(os.name == "nt", reason="no signals of a terminal there")
def test_ctrl_c_ends_a_program() -> None:
    code = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == -signal.SIGINT


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no signals of a terminal there")
def test_ctrl_c_ends_a_program_where_the_tests_run_in_the_background() -> None:
    node = f"{__file__}::{test_ctrl_c_ends_a_program.__name__}"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", node],
        cwd=Path(__file__).parents[1], capture_output=True, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_environment_of_the_tester_does_not_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "7")
    assert run('echo "[$RANK]"', tmp_path, None).stdout == "[]\n"


def test_tree_diff_shows_what_a_terminal_hides() -> None:
    assert tree_diff({"a": (b"x\r\n", False)}, {"a": (b"x\r\n", False)}) == ""
    assert r"-'x\r\n'" in tree_diff({"a": (b"x\r\n", False)}, {"a": (b"x\n", False)})
    assert "executable" in tree_diff({"a": (b"x", True)}, {"a": (b"x", False)})
    assert "should not be there" in tree_diff({}, {"a": (b"", False)})


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("why = 'x'", "lacks"),
        ("why = 'x'\ncommand = 'y'\nfail = 'z'", "unknown"),
        ("why = 'x'\ncommand = 'y'\nreference = 'spawn'", "reference"),
    ],
)
def test_wrong_case_is_named(tmp_path: Path, toml: str, says: str) -> None:
    (tmp_path / "case.toml").write_text(toml)
    with pytest.raises(BadCase, match=says):
        Case.load(tmp_path)


STORED = """\
import multiprocessing as mp

class Config:
    def __init__(self, ranges):
        self.names = ranges.keys()

def work(config):
    print(sorted(config.names))

if __name__ == "__main__":
    child = mp.Process(target=work, args=(Config({"car": 1}),))
    child.start()
    child.join()
    print("exit code", child.exitcode)
"""
MENDED = STORED.replace("ranges.keys()", "list(ranges.keys())")
FINDING = {"rule": "views", "fixable": True, "reason": None}


def case_of(folder: Path, toml: str, before: str, after: str | None) -> Case:
    """A case of the rule `views` with one program, a.py."""
    case = folder / "views" / "stored"
    for name, text in (("before", before), ("after", after)):
        if text is not None:
            (case / name).mkdir(parents=True)
            (case / name / "a.py").write_text(text)
    (case / "case.toml").write_text(f'why = "a view on an object that crosses"\ncommand = "python a.py"\n{toml}')
    return Case.load(case)


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a tool of our making in the place of spawnfix: `rewrite` turns a text into another."""

    def use(rewrite: Callable[[str], str], found: list[dict[str, object]]) -> None:
        def migrate(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
            program = Path(arguments[-1], "a.py")
            program.write_text(rewrite(program.read_text()))
            return subprocess.CompletedProcess(arguments, 0, "", "")

        monkeypatch.setattr(check, "spawnfix", migrate)
        monkeypatch.setattr(check, "findings", lambda *_: found)

    return use


@pytest.mark.slow
def test_case_passes_when_all_is_right(tmp_path: Path, tool: Callable[..., None]) -> None:
    tool(lambda text: MENDED, [FINDING])
    check_case(case_of(tmp_path, "fails = 'dict_keys'", STORED, MENDED), tmp_path, all_forkserver=True)
    assert len(list(tmp_path.glob("run*"))) == 5  # before under spawn and fork, after under all three


@pytest.mark.slow
@pytest.mark.parametrize(
    ("toml", "before", "after", "rewrite", "found", "says"),
    [
        pytest.param("", STORED, MENDED, lambda text: MENDED, [FINDING], "does not say so", id="before-fails-unsaid"),
        pytest.param("fails = 'x'", MENDED, None, lambda text: text, [], "should fail", id="before-works-unsaid"),
        pytest.param("fails = 'lambda'", STORED, MENDED, lambda text: MENDED, [FINDING], "no match", id="other-error"),
        pytest.param("fails = 'dict'", STORED, MENDED, lambda text: text, [FINDING], "another tree", id="not-migrated"),
        pytest.param("fails = 'dict'", STORED, MENDED, lambda text: MENDED, [], "finds nothing", id="not-found"),
        pytest.param(
            "fails = 'dict'",
            STORED,
            STORED + "#",
            lambda text: STORED + "#",
            [FINDING],
            "migrated, under spawn, it fails",
            id="no-help",
        ),
        pytest.param(
            "fails = 'dict'",
            STORED,
            MENDED,
            lambda text: text.replace("ranges.keys()", "list(ranges.keys())"),
            [FINDING],
            "a second migrate",
            id="not-idempotent",
        ),
        pytest.param(
            "fails = 'dict'",
            STORED,
            MENDED.replace("exit code", "code"),
            lambda text: MENDED.replace("exit code", "code"),
            [FINDING],
            "prints something else",
            id="other-output",
        ),
        pytest.param("", MENDED, None, lambda text: text, [FINDING], "look-alike", id="false-alarm"),
        pytest.param("", MENDED, None, lambda text: text + "#", [], "another tree", id="look-alike-changed"),
        pytest.param(
            "fails = 'dict'\nreason = 'live'", STORED, None, lambda text: text, [FINDING], "no reason", id="no-reason"
        ),
    ],
)
def test_case_fails_when_something_is_wrong(
    tmp_path: Path,
    tool: Callable[..., None],
    toml: str,
    before: str,
    after: str | None,
    rewrite: Callable[[str], str],
    found: list[dict[str, object]],
    says: str,
) -> None:
    tool(rewrite, found)
    with pytest.raises(AssertionError, match=says):
        check_case(case_of(tmp_path, toml, before, after), tmp_path)


def copied(name: str, folder: Path) -> Case:
    """A case of ours that may be spoilt."""
    shutil.copytree(next(each for each in folders() if each.name == name), folder / "lambdas" / name)
    return Case.load(folder / "lambdas" / name)


@pytest.mark.slow
@pytest.mark.in_process
def test_snapshot_notices_each_word(tmp_path: Path) -> None:
    case = copied("stable_cascade", tmp_path)
    before = snapshots.stored(case)
    assert snapshots.difference(case) == "" and len(before.splitlines()) > 20
    for word in ("proven", "25:9", "Loader.__init__()", "to module level", "as in after/"):
        (case.folder / snapshots.NAME).write_text(before.replace(word, "other"))
        assert word in snapshots.difference(case)
    (case.folder / snapshots.NAME).unlink()
    assert "proven" in snapshots.difference(case), "no file: nothing may be found"


def test_update_writes_what_differs_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = copied("stable_cascade", tmp_path)
    monkeypatch.setattr(snapshots, "folders", lambda: [case.folder])
    path = case.folder / snapshots.NAME
    right = path.read_text()
    path.write_text(right + "more\n")
    assert snapshots.main([]) == 1 and path.read_text() == right + "more\n"
    assert "\n-more\n" in capsys.readouterr().out
    assert snapshots.main(["--update"]) == 0 and path.read_text() == right
    assert snapshots.main([]) == 0
    for source in case.before.rglob("*.py"):
        source.write_text("")
    assert snapshots.main(["--update"]) == 0 and not path.exists()


def test_in_memory_check_fails_where_the_case_is_wrong(tmp_path: Path) -> None:
    case = copied("stable_cascade", tmp_path)
    check_in_memory(case)
    (case.folder / "after/train/base.py").write_bytes(b"x = 1\n")
    with pytest.raises(AssertionError, match="migrate leaves another tree"):
        check_in_memory(case)
    (case.before / "train/base.py").write_text("")
    with pytest.raises(AssertionError, match="finds nothing"):
        check_in_memory(case)
    shutil.rmtree(case.folder / "after")
    check_in_memory(Case.load(case.folder))
    case = copied("functools_is_taken", tmp_path)
    (case.folder / "case.toml").write_text("why = 'x'\ncommand = 'y'\n")
    shutil.rmtree(case.folder / "after", ignore_errors=True)
    with pytest.raises(AssertionError, match="look-alike"):
        check_in_memory(Case.load(case.folder))


TABLE = """\
%% head
first
%% tail
last
%% block two
+ a
+ b
=== one
=== another
second
# file: b.py
third
--- answer
3 likely: its ... once
+ [two]
"""


FOUND = Finding("a-rule", "main.py", Span(1, 0, 1, 1), "a message", Confidence.LIKELY, reason="its reason")


def test_tables_of_rows(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "table.txt").write_text(TABLE, encoding="utf-8")
    assert rows.rows(tmp_path) == {
        "table: one": rows.Row({"main.py": "first\nlast\n"}, []),
        "table: another": rows.Row(
            {"main.py": "first\nsecond\n", "b.py": "third\nlast\n"}, ["3 likely: its ... once", "+ a", "+ b"]
        ),
    }


def test_a_table_names_each_row_that_gets_another_answer(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    table = tmp_path / "rows" / "table.txt"
    table.write_text("=== right\na = 1\n=== wrong\nb = 1\n=== broken\nc = 1\n=== wrong too\nb = 2\n", encoding="utf-8")

    def find(project: Project) -> list[Finding]:
        text = project.files.read("main.py").decode()
        assert "c" not in text, "the rule fails"
        return [FOUND] if "b" in text else []

    rule = mock.Mock(find=find)
    with pytest.raises(AssertionError) as failed:
        rows.check_table(rule, table)
    words = str(failed.value)
    assert "right" not in words and "the rule fails" in words
    assert re.findall(r"^=== .+\n.+", words, re.MULTILINE) == [
        "=== wrong\n1 likely: its reason",
        "=== broken\nTraceback (most recent call last):",
        "=== wrong too\n1 likely: its reason",
    ]
    rows.check_table(rule, table, "right")
    with pytest.raises(AssertionError, match=r"\A=== wrong too\n1 likely: its reason\Z"):
        rows.check_table(rule, table, "wrong too")


@each_row(
    ("found", "agreed"),
    [
        (["3 likely: its reason stands once", "+ a"], True),
        (["3 likely: its reason is this: once", "+ a"], True),
        (["3 likely: his reason stands once", "+ a"], False),
        (["3 likely: its reason stands here", "+ a"], False),
        (["3 likely: its reason stands once", "+ a "], False),
        (["3 likely: its reason stands once"], False),
        (["3 likely: its reason stands once", "+ a", "+ b"], False),
    ],
)
def test_rows_agree_line_by_line(found: list[str], agreed: bool) -> None:
    assert rows.agrees(found, ["3 likely: its ... once", "+ a"]) == agreed


def test_each_row_checks_every_row_and_names_those_that_fail(pytestconfig: pytest.Config) -> None:
    seen: list[int] = []

    @each_row("left, right", [(1, 1), pytest.param(2, 3, id="no pair"), (4, 4), (5, 0)])
    def test_pair(left: int, right: int) -> None:
        seen.append(left)
        if not right:
            pytest.skip("not here")
        assert left == right, "they differ"

    with pytest.raises(pytest.fail.Exception) as failed:
        test_pair(pytestconfig)
    words = str(failed.value)
    assert seen == [1, 2, 4, 5]
    assert words.startswith("2 of 4 rows fail\n\ntest_pair[no pair]\n")
    assert "they differ" in words and "assert 2 == 3" in words
    assert "test_pair[5-0]\n" in words and "not here" in words and "test_pair[1" not in words


def test_each_row_passes_where_all_do_and_takes_those_that_are_asked_for() -> None:
    seen: list[str] = []

    @each_row("text", ["one", "two", "twenty"], ids=str.upper)
    def test_text(text: str) -> None:
        seen.append(text)

    asked = ["", "TW"]
    for part in asked:
        test_text(mock.Mock(getoption=lambda name, default, part=part: part if name == "--row" else default))
    assert seen == ["one", "two", "twenty", "two", "twenty"]


def test_each_row_takes_neither_fixtures_nor_marks_nor_nothing() -> None:
    def check(text: str) -> None:
        raise AssertionError("not run")

    def with_fixture(text: str, tmp_path: Path) -> None:
        raise AssertionError("not run")

    with pytest.raises(AssertionError, match="takes no fixtures"):
        each_row("text", ["one"])(with_fixture)
    with pytest.raises(AssertionError, match="needs a test of its own"):
        each_row("text", [pytest.param("one", marks=pytest.mark.slow)])
    with pytest.raises(AssertionError, match="no rows"):
        each_row("text", [])(check)
