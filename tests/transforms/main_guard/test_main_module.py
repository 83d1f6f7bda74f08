"""Files that read variables of the script through `__main__`: a spawned child has these late, or not at all."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

MAIN = """\
import multiprocessing as mp

import tools

options = {"level": 2}


def worker(name):
    print(tools.level(name))


p = mp.Process(target=worker, args=("a",))
p.start()
p.join()
"""
READS = [
    "import __main__\n\n\ndef level(name):\n    return __main__.options['level']\n",
    "import sys\n\n\ndef level(name):\n    return sys.modules['__main__'].options\n",
]


@pytest.mark.parametrize("tools", READS)
def test_a_helper_reads_the_options(tools: str) -> None:
    (reason,) = reasons({"main.py": MAIN, "tools.py": tools}, "main-guard")
    assert reason.startswith("tools.py:5 reads a variable of the main module, which a spawned child has only after")


def test_a_helper_of_the_helper() -> None:
    files = {"main.py": MAIN, "tools.py": "from deep import level\n", "deep.py": READS[0]}
    assert "deep.py:5 reads a variable" in reasons(files, "main-guard")[0]


@pytest.mark.parametrize(
    "tools",
    [
        "import __main__\n\n\ndef level(name):\n    return __main__.__file__\n",
        "import __main__\n\n\ndef level(name):\n    __main__.Net = str\n",
        "def level(name):\n    return name == '__main__'.lower()\n",
    ],
)
def test_a_helper_that_reads_none(tools: str) -> None:
    files = {"main.py": MAIN, "tools.py": tools}
    assert 'if __name__ == "__main__":\n    p = mp.Process' in migrated(files, "main-guard")["main.py"]


def test_a_file_that_this_script_does_not_import() -> None:
    files = {"main.py": MAIN, "tools.py": "def level(name):\n    return name\n", "other.py": READS[0]}
    assert "main.py" in migrated(files, "main-guard")
