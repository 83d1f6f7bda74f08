"""The small changes that `benchmarks/mutation.py` tries: of what is there, and not of what no test could notice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from harness.tools import benchmark

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return benchmark("mutants")


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        (
            "if a < b:\n    f()",
            {"if False:\n    f()", "if True:\n    f()", "if (a <= b):\n    f()", "if a < b:\n    pass"},
        ),
        ("x = not a", {"x = (a)"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if True]"}),
        ("x = a and b", {"x = (a or b)", "x = (a)", "x = (b)"}),
        ("x = 'two words'", set()),
        ("x = 'é' + f('one')", {"x = ('é' - f('one'))", "x = 'é_' + f('one')", "x = 'é' + f('one_')"}),
        ("known[a] = f(a)", {"pass"}),
        ("__all__ = ['one']\nx = 1", {"__all__ = ['one']\nx = 2"}),
        ("x = zip(a, b, strict=True)", {"x = (zip(a, strict=True))"}),
        ("x = zip(a, strict=False)", {"x = zip(a, strict=True)"}),
        ("x = f(a, strict=True)", {"x = (f(a))", "x = f(a, strict=False)"}),
    ],
)
def test_every_small_change(tool: ModuleType, code: str, changed: set[str]) -> None:
    assert {mutant.apply(code) for mutant in tool.mutants("a.py", code)} == changed


@pytest.mark.parametrize(
    ("code", "noticed"),
    [
        ("if key not in self.known:\n    self.known[key] = made(key)", False),
        ("if key not in known:\n    known[key] = 0", True),
        ("if key not in known:\n    known[other] = made(key)", True),
        ("if key not in known:\n    others[key] = made(key)", True),
        ("if key in known:\n    known[key] = made(key)", True),
        ("if key not in known:\n    known[key] = made(key)\n    count()", True),
        ("if key not in known:\n    known[key] = made(key)\nelse:\n    count()", True),
    ],
)
def test_what_is_computed_once_may_be_computed_again(tool: ModuleType, code: str, noticed: bool) -> None:
    texts = {mutant.apply(code).partition("\n")[0] for mutant in tool.mutants("a.py", code)}
    assert "if False:" in texts and ("if True:" in texts) is noticed


EXECUTED = """\
def work(given):
    \"\"\"What it does.\"\"\"
    if given == 0: return 0
    try:
        for each in (
            given, 2
        ):
            given = each / (given - 1)
        else:
            last = lambda: (
                given
            )
    except ZeroDivisionError:
        return 1
    with open(os.devnull) as file:
        match file.read(), [*map(lambda x:
                                 x, "a")]:
            case "", []:
                given = 3
            case _:
                def inner():
                    return 4
    return inner()


def _noted():
    return 0
"""


@pytest.mark.parametrize(
    ("given", "result", "not_executed"),
    [
        (0, 0, {*range(4, 24)}),
        (1, 1, {10, 11, 12, *range(15, 24)}),
        (3, 4, {13, 14, 19}),
    ],
)
def test_the_lines_that_are_executed(given: int, result: int, not_executed: set[int]) -> None:
    executed = benchmark("executed")
    notes = executed.Notes()
    made = {"os": os, executed.NOTED: notes.noted.__setitem__}
    exec(compile(notes.instrumented(EXECUTED, "a.py"), "a.py", "exec"), made)
    assert not notes.executed()
    assert made["work"](given) == result and made["work"].__doc__ == "What it does."
    lines = {line for number in notes.executed() for line in notes.runs[number][1]}
    assert {*range(3, 24)} - lines == not_executed
    notes.clear()
    assert not notes.executed()


@pytest.mark.slow
def test_in_a_folder_that_others_may_not_enter(tmp_path: Path) -> None:
    """Root lets nobody try the mutants, for whom git finds no repository in such a folder, and SQLite no database."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    tmp_path.chmod(0o700)
    with (clone / "codemods/launch/containers.py").open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    command = [sys.executable, "benchmarks/mutation.py", "run", "--changed", "HEAD", "--seed", "1", "--count", "1"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mutants in 1 modules" in done.stdout and "of 1 killed" in done.stdout
