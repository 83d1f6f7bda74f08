"""Guards by a flag that says once whether this is the main process."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

SCRIPT = """\
import multiprocessing
import os

IS_MAIN = {flag}


def work(n):
    print(n)


if {test}:
    worker = multiprocessing.Process(target=work, args=(1,))
    worker.start()
{more}
"""


def script(flag: str, test: str, more: str = "") -> dict[str, str]:
    return {"train.py": SCRIPT.format(flag=flag, test=test, more=more)}


@pytest.mark.parametrize("flag", ["__name__ == '__main__'", "'__main__' == __name__", "__name__ in ('__main__',)"])
@pytest.mark.parametrize("test", ["IS_MAIN", "IS_MAIN and os.environ", "os.environ and IS_MAIN"])
def test_a_flag_is_a_guard(flag: str, test: str) -> None:
    assert reported(script(flag, test), "main-guard") == []


IN_PARENT = "multiprocessing.current_process().name == 'MainProcess'"


@each_row(
    ("flag", "test", "found"),
    [
        (IN_PARENT, "IS_MAIN", 0),
        ("multiprocessing.parent_process() is None", "IS_MAIN", 1),
        (f"0\n\n\ndef is_main():\n    'Says it.'\n    return {IN_PARENT}", "is_main()", 0),
        (f"0\n\n\ndef is_main():\n    return {IN_PARENT}", "is_main", 1),  # a function is true
        (f"0\n\n\ndef is_main(n):\n    return {IN_PARENT}", "is_main(1)", 1),
        (f"0\n\n\ndef is_main():\n    print(1)\n    return {IN_PARENT}", "is_main()", 1),
    ],
)
def test_questions_about_the_process(flag: str, test: str, found: int) -> None:
    assert len(reported(script(flag, test), "main-guard")) == found


def test_what_no_child_of_the_script_runs() -> None:
    files = script("0", "__name__ != '__mp_main__'")
    assert reported(files, "main-guard") == []
    assert len(reported({**files, "other.py": "import train\n"}, "main-guard")) == 1  # there it has its own name


def test_what_stands_under_its_else() -> None:
    more = "if not IS_MAIN:\n    pass\nelse:\n    multiprocessing.Process(target=work, args=(2,)).start()"
    assert reported(script("__name__ == '__main__'", "IS_MAIN", more), "main-guard") == []


@each_row(
    ("flag", "test"),
    [
        ("__name__ != '__main__'", "IS_MAIN"),
        ("__name__ == '__main__'", "not IS_MAIN"),
        ("__name__ == '__main__'", "IS_MAIN or os.environ"),
        ("__name__ == '__main__'\nIS_MAIN = True", "IS_MAIN"),
        ("bool(os.environ)", "IS_MAIN"),
    ],
)
def test_other_flags_are_none(flag: str, test: str) -> None:
    assert len(reported(script(flag, test), "main-guard")) == 1


def test_what_starts_processes_beside_it() -> None:
    more = "multiprocessing.Process(target=work, args=(2,)).start()"
    after = migrated(script("__name__ == '__main__'", "IS_MAIN", more), "main-guard")["train.py"]
    assert after.count("if __name__ == ") == 1
