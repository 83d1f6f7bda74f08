"""main-guard: names that stand for what prints: one of several functions, a lambda, `print` under another name."""

from __future__ import annotations

import pytest

from harness.small import migrated

PROGRAM = """\
import functools
from multiprocessing import Pool

DEBUG = True
{made}


def work(x):
    return x


log("begin")
with Pool(1) as pool:
    pool.map(work, [1])
"""
TWO = "if DEBUG:\n    def log(text):\n        {}\nelse:\n    def log(text):\n        pass"


@pytest.mark.parametrize(
    "made",
    [
        TWO.format("print(text)"),
        "log = print",
        "log = lambda text: print(text)",
        "log = functools.partial(print, flush=True)",
        "log = print if DEBUG else None\nlog = print",
    ],
)
def test_what_prints_goes_under_the_guard(made: str) -> None:
    text = migrated({"run.py": PROGRAM.format(made=made)}, "main-guard")["run.py"]
    assert 'if __name__ == "__main__":\n    log("begin")\n' in text


@pytest.mark.parametrize("made", [TWO.format("work(text)"), "log = str", "log = lambda text: len(text)"])
def test_what_shows_nothing_stays(made: str) -> None:
    text = migrated({"run.py": PROGRAM.format(made=made)}, "main-guard")["run.py"]
    assert '\nlog("begin")\n' in text


def test_a_guard_whose_block_begins_with_a_blank_in_a_file_of_tabs() -> None:
    text = (
        "from multiprocessing import Pool\n\nprint('start')\n\n\ndef work(x):\n\treturn x\n\n\n"
        "if __name__ == '__main__':\n Pool(2).map(work, [1])\n"
    )
    changed = migrated({"train.py": text}, "main-guard")
    assert changed == {
        "train.py": text.replace("print('start')\n", "if __name__ == '__main__':\n\tprint('start')\n"),
    }
