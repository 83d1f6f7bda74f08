"""Imports in a function that move with what uses them: linters find nothing new."""

from __future__ import annotations

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
