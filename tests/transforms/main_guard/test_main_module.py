"""Files that read variables of the script through `__main__`: a spawned child has these late, or not at all."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

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
    "import sys\nmain = sys.modules['__main__']\n\ndef level(name):\n    return getattr(main, 'options', {})\n",
    "import sys\n\n\ndef level(name):\n    return vars(sys.modules.get('__main__'))['options']\n",
    "import __main__ as main\n\n\ndef level(name):\n    return main.__dict__.get('options')\n",
    "\n\ndef level(name):\n    from __main__ import options\n    return options\n",
]
GUARDED = """\
import multiprocessing as mp

import tools

def worker(name):
    print(tools.level(name))

if __name__ == "__main__":
    {set_first}
    p = mp.Process(target=worker, args=("a",))
    p.start()
    {set_later}
    p.join()
"""


@each_row("tools", READS)
def test_a_helper_reads_the_options(tools: str) -> None:
    (reason,) = reasons({"main.py": MAIN, "tools.py": tools}, "main-guard")
    assert reason.startswith("tools.py:5 reads a variable of the main module, which a spawned child has only after")


@each_row("tools", READS)
def test_a_helper_reads_what_the_guard_sets(tools: str) -> None:
    main = GUARDED.format(set_first="options = {'level': 3}", set_later="")
    (found,) = reported({"main.py": main, "tools.py": tools}, "main-guard")
    assert (found.path, found.span.line, found.fix) == ("tools.py", 5, None)
    assert "which line 9 of main.py changes in the main process only" in found.message


def test_a_helper_reads_what_the_guard_fills() -> None:
    main = "options = {}\n" + GUARDED.format(set_first="options['level'] = 3", set_later="")
    (found,) = reported({"main.py": main, "tools.py": READS[2]}, "main-guard")
    assert "which line 10 of main.py changes in the main process only" in found.message


@pytest.mark.parametrize("name", ["__file__", "other"])
def test_the_guard_sets_another_name(name: str) -> None:
    main = GUARDED.format(set_first=f"{name} = 3", set_later="")
    tools = f"import sys\n\n\ndef level(name):\n    return getattr(sys.modules['__main__'], '{name}x'[:-1])\n"
    assert reported({"main.py": main, "tools.py": READS[1]}, "main-guard") == []
    assert reported({"main.py": main, "tools.py": tools}, "main-guard") == []


def test_the_guard_sets_it_when_the_worker_runs_already() -> None:
    main = GUARDED.format(set_first="", set_later="options = {'level': 3}")
    assert reported({"main.py": main, "tools.py": READS[0]}, "main-guard") == []


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
