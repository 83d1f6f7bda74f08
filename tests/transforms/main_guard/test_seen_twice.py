"""Once a value crosses, a worker prints what its imports print, and a handler that was counted on is not reached."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated

PRINTS = """\
import {library} as mp

import conf


def register(function):
    {decorated}
    return function


class Meta(type):
    def __init__(cls, *args):
        {made}


class Job(metaclass=Meta):
    {body}

    def __init__(self):
        self.step = lambda x: x

    @register
    def run(self):
        print(self.step(conf.size))


if __name__ == "__main__":
    mp.Process(target=Job().run).start()
"""


def unsafe(files: dict[str, str]) -> list[str]:
    """Why the fixes of lambdas are none that `migrate` makes by default."""
    report = check(MemoryFiles({path: text.encode() for path, text in files.items()}), Settings(select=("lambdas",)))
    fixes = [each.fix for each in report.findings]
    assert len(fixes) == 1 and fixes[0] is not None
    return [fixes[0].unsafe] if fixes[0].unsafe is not None else []


@each_row(
    ("decorated", "made", "body", "conf", "found"),
    [
        ("pass", "pass", "size = 3", "size = 3", ""),
        ("print(function)", "pass", "size = 3", "size = 3", "defines prints"),
        ("pass", "print(cls)", "size = 3", "size = 3", "defines prints"),
        ("pass", "pass", "print(3)", "size = 3", "defines prints"),
        ("pass", "pass", "size = 3", "size = 3\nprint(size)", "line 2 of conf.py prints"),
    ],
)
def test_what_prints_at_import(decorated: str, made: str, body: str, conf: str, found: str) -> None:
    text = PRINTS.format(library="multiprocessing", decorated=decorated, made=made, body=body)
    reasons = unsafe({"a.py": text, "conf.py": conf})
    assert len(reasons) == bool(found)
    assert all(found in each and "print what a forked one does not" in each for each in reasons)


def test_what_a_test_prints_as_it_is_imported() -> None:
    files = {
        "jobs.py": "import multiprocessing as mp\n\n\ndef start():\n    mp.Process(target=lambda: 1).start()\n",
        "test_jobs.py": "import unittest\nfrom jobs import start\n\n\n"
        "class TestStart(unittest.TestCase):\n    print(1)\n\n"
        '    def test_it(self):\n        start()\n\n\nif __name__ == "__main__":\n    unittest.main()\n',
    }
    assert not unsafe(files)
    assert unsafe({"jobs.py": files["jobs.py"], "run.py": files["test_jobs.py"].replace("unittest", "jobs")})


def test_without_a_guard_it_is_the_start_that_is_seen_again() -> None:
    text = PRINTS.format(library="multiprocessing", decorated="print(function)", made="pass", body="size = 3")
    (reason,) = unsafe({"a.py": text.replace('if __name__ == "__main__":\n    ', ""), "conf.py": "size = 3"})
    assert "it imports the script, which starts it again outside of the main guard" in reason


SPAWNS = """\
import multiprocessing as mp


def work(step):
    print(step(3))


def main():
    context = mp.get_context("{method}")
    process = context.Process(target=work, args=(lambda x: x,))
    try:
        {tried}
    except {error}:
        {otherwise}


if __name__ == "__main__":
    main()
"""


@each_row(
    ("method", "tried", "error", "otherwise", "found"),
    [
        ("spawn", "process.start()", "Exception", "work(len)", True),
        ("forkserver", "process.start()", "(AttributeError, OSError)", "work(len)", True),
        ("spawn", "process.start()", "Exception", "raise", False),
        ("spawn", "process.start()", "OSError", "work(len)", False),
        ("spawn", "print(process)", "Exception", "work(len)", False),
    ],
)
def test_a_start_that_may_fail(method: str, tried: str, error: str, otherwise: str, found: bool) -> None:
    text = SPAWNS.format(method=method, tried=tried, error=error, otherwise=otherwise)
    reasons = unsafe({"a.py": text})
    assert len(reasons) == found
    assert all("the program goes on at a.py:13 where it can't be started" in each for each in reasons)


def test_the_first_start_may_end_the_program_and_a_later_one_not() -> None:
    text = SPAWNS.format(method="spawn", tried="process.start()", error="Exception", otherwise="work(len)")
    (reason,) = unsafe({"a.py": text.replace("    try:", "    context.Process(target=print).start()\n    try:")})
    assert "the program goes on at a.py:14 where it can't be started" in reason


BANNER = """\
import sys
from multiprocessing import Process

size = 3
print(size)
{below}


def work():
    print(size)


if __name__ == "__main__":
    Process(target=work).start()
"""


@pytest.mark.parametrize(("below", "moves"), [("sys.stdout.flush()", True), ("size = len([3])", False)])
def test_a_banner_goes_under_the_guard_with_its_flush(below: str, moves: bool) -> None:
    text = BANNER.format(below=below)
    assert migrated({"a.py": text}, "main-guard") == {}  # a line more for each worker is no fault
    changed = migrated({"a.py": text}, "main-guard", confidence=Confidence.POSSIBLE)
    if moves:
        guarded = f'if __name__ == "__main__":\n    print(size)\n    {below}\n'
        assert guarded in changed["a.py"]
