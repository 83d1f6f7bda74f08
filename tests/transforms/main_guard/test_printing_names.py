"""main-guard: names that stand for what prints: one of several functions, a lambda, `print` under another name."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.each_row import each_row
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


@each_row(
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
        "from multiprocessing import Pool\n\nopen('log', 'w').close()\n\n\ndef work(x):\n\treturn x\n\n\n"
        "if __name__ == '__main__':\n Pool(2).map(work, [1])\n"
    )
    changed = migrated({"train.py": text}, "main-guard")
    assert changed == {
        "train.py": text.replace("open(", "if __name__ == '__main__':\n\topen("),
    }


AMONG_IMPORTS = """\
import sys

sys.path.insert(0, "..")
print(f"runs from {{sys.path[0]}}")
{imports}
SIZE = 3


def work(x):
    return x * SIZE


with Pool(1) as pool:
    pool.map(work, [1])
"""


@pytest.mark.parametrize(
    "imports", ["from multiprocessing import Pool\n", "from os.path import *\nfrom multiprocessing import Pool\n"]
)
def test_a_line_printed_among_the_imports_stays(imports: str) -> None:
    """It neither takes the imports below it under the guard, nor has a guard of its own."""
    text = AMONG_IMPORTS.format(imports=imports)
    begin, end = text.split("with Pool")
    guarded = 'if __name__ == "__main__":\n    with Pool' + end.replace("\n    pool", "\n        pool")
    assert migrated({"run.py": text}, "main-guard") == {"run.py": begin + guarded}


@pytest.mark.parametrize("setting", ["mode == 'elastic'", "len(sys.argv) > 5"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_guard_that_lets_other_processes_in(setting: str, turned: bool) -> None:
    """Whoever wrote it thought of them; nothing shows that they come there."""
    parts = ["__name__ == '__main__'", setting]
    test = " or ".join(reversed(parts) if turned else parts)
    text = f"import sys\nfrom multiprocessing import Pool\nmode = 'spawn'\nif {test}:\n    Pool(2).map(abs, [1])\n"
    assert migrated({"run.py": text}, "main-guard") == {}
    ((path, changed),) = migrated({"run.py": text}, "main-guard", confidence=Confidence.POSSIBLE).items()
    assert path == "run.py" and "__main__" in changed
