"""main-guard: globals of the main process that a process gets with the arguments of its target."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

TEXT = """\
import multiprocessing as mp


def work(*parts):
    print(prefix, size, *parts)


def main(text):
    global prefix, size
    prefix, size = f"{{text}}!", 3
    started = []
    for number in range(2):
        {before}
        started.append({process})
        {after}
    for process in started:
        process.start()
        process.join()


if __name__ == "__main__":
    mp.set_start_method("spawn")
    main("a")
"""
FUNCTION = """\
def _start_worker(values, *args):
    global prefix, size
    prefix, size = values
    work(*args)
"""


def text_of(process: str, before: str = "pass", after: str = "pass") -> str:
    return TEXT.format(process=process, before=before, after=after)


@each_row(
    ("process", "becomes"),
    [
        (
            "mp.Process(target=work, args=(number, 1))",
            "mp.Process(target=_start_worker, args=((prefix, size), number, 1))",
        ),
        ("mp.Process(target=work, args=(1,))", "mp.Process(target=_start_worker, args=((prefix, size), 1))"),
        ("mp.Process(args=[], target=work)", "mp.Process(args=[(prefix, size)], target=_start_worker)"),
        ("mp.Process(target=work)", "mp.Process(target=_start_worker, args=((prefix, size),))"),
    ],
)
def test_the_target_is_called_with_the_rest(process: str, becomes: str) -> None:
    done = migrated({"run.py": text_of(process)}, rule="main-guard")["run.py"]
    assert done == text_of(becomes).replace("def work", f"{FUNCTION}\n\ndef work")


@each_row(
    ("process", "more", "reason"),
    [
        ("mp.Process(target=work)", {"before": "size = number"}, "line 13 changes `size` in the loop"),
        ("mp.Process(target=work)", {"after": "size = number"}, "line 15 changes `size` in the loop"),
        ("mp.Process(target=work)", {"before": "for size in 'ab': pass"}, "line 13 changes `size` in the loop"),
        ("mp.Process(target=work)", {"before": "with open('a') as size: pass"}, "line 13 changes `size` in the loop"),
        ("mp.Process(target=work)", {"before": "print(size := number)"}, "line 13 changes `size` in the loop"),
        ("*[mp.Process(target=work) for size in 'ab']", {}, "makes the process, `size` is another variable"),
        ("mp.Process(None, work)", {}, ""),
        ("mp.Process(target=work, kwargs={})", {}, ""),
        ("mp.Process(target=mp.active_children if number else work)", {}, "has a `target`, which could set it too"),
        ("mp.Process(target=work, args=tuple('ab'))", {}, "has a `target`, which could set it too"),
    ],
)
def test_processes_that_stay(process: str, more: dict[str, str], reason: str) -> None:
    found = reported({"run.py": text_of(process, **more)}, "main-guard")
    assert {each.fix for each in found} == {None} and found
    assert all("as an argument" in (each.reason or "") and reason in (each.reason or "") for each in found)


TURNS = """\
import multiprocessing as mp


def work():
    print(size)


def add(started):
    started.append(mp.Process(target=work))


def take(number):
    global size
    size = number


def main():
    started = []
    {first}
    for number in range(2):
        {each}
        add(started)
    for process in started:
        process.start()


if __name__ == "__main__":
    main()
"""


@each_row(("first", "each", "fixed"), [("take(1)", "pass", True), ("take(1)", "take(number)", False)])
def test_a_function_sets_it_in_the_loop_that_leads_to_the_process(first: str, each: str, fixed: bool) -> None:
    found = reported({"run.py": TURNS.format(first=first, each=each)}, "main-guard")
    assert [one.fix is not None for one in found] == [fixed]
    assert fixed or "line 21 changes `size` in the loop that makes the process" in (found[0].reason or "")


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_it_runs(tmp_path: Path, method: str) -> None:
    files = migrated({"run.py": text_of("mp.Process(target=work, args=(number,))")}, rule="main-guard")
    text = files["run.py"].replace("spawn", method)
    (tmp_path / "run.py").write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["a! 3 0", "a! 3 1", ""]
