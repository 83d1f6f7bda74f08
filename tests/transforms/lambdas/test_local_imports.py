"""Imports in a function that move with what uses them: linters find nothing new."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated

TEXT = """\
from multiprocessing import Pool


def build(rows):
    {imports}

    def place(row):
        return basename(row), dirname(row)

    return Pool(2).map(place, rows)
"""
PLAIN = "from os.path import basename, dirname"


def after(imports: str) -> str:
    return migrated({"train.py": TEXT.format(imports=imports)}, "lambdas")["train.py"]


def test_names_of_one_module_stay_one_import() -> None:
    assert f"def place(row):\n    {PLAIN}\n    return basename" in after(PLAIN)


def test_an_import_that_is_tried_says_that_it_is_there_on_purpose() -> None:
    text = after(f"try:\n        {PLAIN}\n    except ImportError:\n        raise RuntimeError('no os.path')")
    assert f"    try:\n        {PLAIN}  # noqa: F401\n    except" in text
    assert f"def place(row):\n    {PLAIN}\n" in text


def test_an_import_that_is_used_here_too_stays_as_it_is() -> None:
    text = after(f"try:\n        {PLAIN}\n    except ImportError:\n        raise\n    print(dirname)")
    assert "noqa" not in text


OWN = """\
import torch
from multiprocessing import Pool


def build(rows):
    import plug

    def place(row):
        return plug.place(row)

    return Pool(2).map(place, rows)
"""


@each_row(
    ("plug", "stays"),
    [
        ("import math\nimport torch\n\nSIZE = 3\n\n\ndef place(row):\n    return row\n", False),
        ("import state\n\nSIZE = state.LEVEL * 2\n", True),
        ("import state\n\nstate.TRACE.append('plug')\n", True),
        ("import state\n\nif state:\n    print('plug')\n", True),
        ("import state\n\ntry:\n    print('plug')\nexcept OSError:\n    pass\n", True),
        ("import state\n\nfor each in state.TRACE:\n    each.go()\n", True),
        ("import backend_that_is_not_installed\n", True),
        ("import deeper\n", True),
        ("if __name__ == '__main__':\n    print('plug')\n", False),
    ],
)
def test_an_import_of_the_repository_keeps_its_moment_where_it_does_more_than_define(plug: str, stays: bool) -> None:
    files = {"train.py": OWN, "plug.py": plug, "state.py": "LEVEL = 1\nTRACE = []\n", "deeper.py": "print('deeper')\n"}
    text = migrated(files, "lambdas")["train.py"]
    assert "def _build_place(row):\n    import plug\n" in text or "    import plug\n    return plug.place(row)" in text
    assert ("def build(rows):\n    import plug  # noqa: F401\n" in text) is stays


FIRST = "from settings import LIMIT as limit\n    if strict:\n        "
VALUES = """\
from multiprocessing import Pool


def build(rows, strict):
    {imports}

    def keep(row):
        return row > limit

    {below}
    return Pool(2).map(keep, rows)
"""
SETTINGS = "import os\n\nLIMIT = 3\n\n\ndef most():\n    return 4\n"


@each_row(
    ("imports", "below", "fixed"),
    [
        (f"{FIRST}from settings import MOST as limit", "pass", True),
        ("try:\n        from settings import LIMIT as limit\n    except ImportError:\n        limit = 3", "pass", True),
        (f"{FIRST}from settings import most as limit", "pass", True),
        (f"{FIRST}from settings import os as limit", "pass", False),
        (f"{FIRST}from other import LIMIT as limit", "pass", False),
        (f"{FIRST}limit = rows[0]", "pass", False),
        ("from settings import LIMIT as limit", "from settings import MOST as limit", False),
    ],
)
def test_values_that_are_imported_in_several_ways(imports: str, below: str, fixed: bool) -> None:
    """Each call takes the one that it imported, at its moment."""
    main = "import settings\n\nsettings.MOST = 5\n"
    files = {"train.py": VALUES.format(imports=imports, below=below), "settings.py": SETTINGS, "main.py": main}
    changed = migrated(files, "lambdas")
    assert bool(changed) is fixed
    assert not fixed or "functools.partial(_build_keep, limit)" in changed["train.py"]
