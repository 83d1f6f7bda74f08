"""What runs again in a worker, and reads arguments or files that the run has changed by then."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

ARGUMENTS = """\
import multiprocessing
import sys

{first}


def work(n):
    print(n * seed)


{then}
process = multiprocessing.Process(target=work, args=(2,))
process.start()
"""
FILES = """\
import glob
import multiprocessing
import os
from pathlib import Path

COUNTER = "runs.txt"
FOLDER = "runs"
{first}


def work(n):
    print(n, run)


{then}
process = multiprocessing.Process(target=work, args=(2,))
process.start()
"""


PARSER = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('n', type=int)\n"


def guarded(script: str, first: str, then: str) -> dict[str, str]:
    return {"train.py": script.replace("{first}", first).replace("{then}", then)}


@each_row(
    ("first", "then"),
    [
        ("seed = int(sys.argv.pop())", ""),
        ("seed = int(sys.argv[-1])\ndel sys.argv[-1]", ""),
        ("seed = len(sys.argv)\nsys.argv += ['--more']", ""),
        ("seed = int(sys.argv[1])\nsys.argv[1:] = sys.argv[2:]", ""),
        ("seed = int(sys.argv[1])", "sys.argv.insert(1, '5')"),
        ("seed = int(sys.argv[1])", "sys.argv.remove('--quick')"),
        ("seed = int(sys.argv[1])\nsys.argv = ['train.py']", ""),
        *(
            (f"{PARSER}seed = parser.{parse}", "sys.argv.pop()")
            for parse in ("parse_args().n", "parse_known_args()[0].n")
        ),
    ],
)
def test_arguments_that_the_script_changes(first: str, then: str) -> None:
    (reason,) = reasons(guarded(ARGUMENTS, first, then), "main-guard")
    assert "changes `sys.argv`, which a spawned worker gets as it is then" in reason


def test_arguments_that_a_function_changes() -> None:
    first = "def take():\n    return int(sys.argv.pop())\n\n\nseed = take()"
    (reason,) = reasons(guarded(ARGUMENTS, first, ""), "main-guard")
    assert reason.startswith("line 5 of train.py changes `sys.argv`")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("seed = int(sys.argv[1])", "print(sys.argv)"),
        ("sys.argv = ['train.py', '5']\nseed = int(sys.argv[1])", ""),
        ("rest = sys.argv[1:]\nrest.pop()\nseed = len(rest)", ""),
    ],
)
def test_arguments_that_stay(first: str, then: str) -> None:
    assert "__main__" in migrated(guarded(ARGUMENTS, first, then), "main-guard")["train.py"]


@each_row(
    ("first", "then"),
    [
        ("run = int(open(COUNTER).read())", "with open(COUNTER, 'w') as file:\n    file.write(str(run + 1))"),
        *(
            ("run = 1 if os.path.exists(COUNTER) else 0", f"open(COUNTER, {mode}).close()")
            for mode in ("'a'", "'x'", "'r+'", "'wb'", "mode='w'", "MODE")
        ),
        *(
            (f"run = len(open(COUNTER, {mode}).read())", "open(COUNTER, 'a').close()")
            for mode in ("'r'", "'rb'", "mode='rt'")
        ),
        ("run = int(Path(COUNTER).read_text())", "Path(COUNTER).write_text(str(run + 1))"),
        ("run = len(os.listdir(FOLDER))", "os.makedirs(os.path.join(FOLDER, str(run)))"),
        ("run = len(glob.glob(os.path.join(FOLDER, '*')))", "here = f'{FOLDER}/{run}'\nos.mkdir(here)"),
        ("run = os.path.isdir('cache')", "os.makedirs('cache', exist_ok=True)"),
    ],
)
def test_files_that_the_script_changes(first: str, then: str) -> None:
    (reason,) = reasons(guarded(FILES, first, then), "main-guard")
    assert reason.startswith("line 8 sets `run` by a file or folder that line 1")
    assert "a spawned worker would ask again: `work` reads `run` in a worker" in reason


@each_row(
    ("first", "then"),
    [
        ("run = int(open(COUNTER).read())", "with open('result.txt', 'w') as file:\n    file.write(str(run + 1))"),
        *(
            ("run = int(open(COUNTER).read())", f"print(open({given}).read())")
            for given in ("COUNTER", "COUNTER, 'r'", "COUNTER, mode='rb'")
        ),
        ("run = 3\nold = os.path.exists(COUNTER)", "print(old)\nopen(COUNTER, 'w').close()"),
    ],
)
def test_files_that_stay(first: str, then: str) -> None:
    assert "__main__" in migrated(guarded(FILES, first, then), "main-guard")["train.py"]


@each_row(
    "change",
    ["pop()", "remove('-q')", "insert(1, '5')", "append('5')", "extend(['5'])", "clear()", "sort()", "reverse()"],
)
def test_each_change_of_a_list(change: str) -> None:
    (reason,) = reasons(guarded(ARGUMENTS, "seed = int(sys.argv[1])", f"sys.argv.{change}"), "main-guard")
    assert "changes `sys.argv`" in reason


@each_row("call", ["index('5')", "count('5')", "copy()"])
def test_other_methods_of_a_list(call: str) -> None:
    assert migrated(guarded(ARGUMENTS, "seed = int(sys.argv[1])", f"print(sys.argv.{call})"), "main-guard")


@each_row(
    "asked",
    [
        *(f"os.path.{name}(FOLDER)" for name in ("exists", "lexists", "isfile", "isdir", "getsize", "getmtime")),
        *(f"os.{name}(FOLDER)" for name in ("listdir", "scandir", "stat")),
        *(f"glob.{name}(FOLDER)" for name in ("glob", "iglob")),
        *(f"Path(FOLDER).{name}()" for name in ("exists", "is_file", "is_dir", "iterdir", "read_text", "read_bytes")),
        *(f"Path(FOLDER).{call}" for call in ("stat()", "glob('*')", "rglob('*')")),
        "open(FOLDER).read()",
    ],
)
def test_each_question_about_a_file(asked: str) -> None:
    (reason,) = reasons(guarded(FILES, f"run = {asked}", "os.mkdir(FOLDER)"), "main-guard")
    assert "a spawned worker would ask again: `work` reads `run` in a worker" in reason


@each_row(
    "change",
    [
        *(f"os.{name}(FOLDER)" for name in ("mkdir", "makedirs", "remove", "unlink", "rmdir", "removedirs", "mknod")),
        "import shutil\nshutil.rmtree(FOLDER)",
        *(f"Path(FOLDER).{name}('a')" for name in ("write_text", "write_bytes")),
        *(f"Path(FOLDER).{name}()" for name in ("mkdir", "touch", "unlink", "rmdir")),
        *(f"open(FOLDER, '{mode}').close()" for mode in ("w", "a", "x", "wb", "r+", "w+")),
    ],
)
def test_each_change_of_a_file(change: str) -> None:
    (reason,) = reasons(guarded(FILES, "run = os.path.exists(FOLDER)", change), "main-guard")
    assert "a spawned worker would ask again: `work` reads `run` in a worker" in reason
