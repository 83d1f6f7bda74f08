"""Modules that are passed to a dataset: a copy imports them, where it can't be anything else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
ROWS = """\
class Rows:
    def __init__(self, n, config):
        self.n = n
        self.config = config

    def __len__(self):
        return self.n

    def __getitem__(self, n):
        return n * self.config.scale
"""
MAIN = """\
import config
from rows import Rows
from torch.utils.data import DataLoader


def main():
    for row in DataLoader({made}, num_workers=2, batch_size=None, multiprocessing_context="{how}"):
        print(row)
    {more}


if __name__ == "__main__":
    main()
"""
ADDED = """\
    def __getstate__(self):
        state = self.__dict__.copy()
        # a module can't be pickled; __setstate__ imports it by its name
        state["config"] = self.config.__name__
        return state

    def __setstate__(self, state):
        import importlib

        self.__dict__.update(state)
        self.config = importlib.import_module(state["config"])

"""


def files(
    made: str = "Rows(4, config=config)", more: str = "pass", rows: str = ROWS, how: str = "spawn"
) -> dict[str, str]:
    return {"main.py": MAIN.format(made=made, more=more, how=how), "rows.py": rows, "config.py": "scale = 2\n"}


def test_the_copy_imports_it() -> None:
    (fixed,) = migrated(files(), RULE).values()
    assert fixed == ROWS.replace("    def __len__", f"{ADDED}    def __len__")
    with_import = "import importlib\n\n\n" + ROWS
    (fixed,) = migrated(files(rows=with_import), RULE).values()
    assert "        import importlib" not in fixed and "importlib.import_module(" in fixed


@each_row(
    ("made", "more", "reason"),
    [
        ("Rows(4, config=config)", "Rows(4, {})", "where other things may be passed as well"),
        ("Rows(4, config=config)", "Rows(4, config if made else None)", "where other things may be passed as well"),
        ("Rows(4, config=config)", "Rows(*made)", "where other things may be passed as well"),
        ("Rows(4, config=config)", "table = {'rows': Rows}", "where other things may be passed as well"),
        ("Rows(4, config=config)", "config.scale = 3", "main.py:9 may set something in the module that is passed"),
        ("Rows(4, config=config)", "setattr(config, 'scale', 3)", "main.py:9 may set something in the module"),
    ],
)
def test_what_may_not_be_that_module_there(made: str, more: str, reason: str) -> None:
    (found,) = reasons(files(made, more), RULE)
    assert reason in found


@each_row(
    "rows",
    [
        ROWS.replace("self.config = config", "if config:\n            self.config = config"),
        ROWS.replace("self.config = config", "self.config = [config]"),
        ROWS + "\n    def change(self, other):\n        self.config = other\n",
        ROWS + "\n\nclass More(Rows):\n    pass\n",
        ROWS.replace("return self.n", "self.config.set_up()\n        return self.n"),
    ],
)
def test_an_attribute_that_may_be_something_else(rows: str) -> None:
    assert not migrated(files(rows=rows), RULE)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_it_runs(tmp_path: Path, how: str) -> None:
    given = files(how=how)
    for path, text in (given | migrated(given, RULE)).items():
        (tmp_path / path).write_text(text)
    done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "2", "4", "6"]


@pytest.mark.parametrize(
    ("config", "refused"),
    [
        ("scale = None\n\ndef init():\n    global scale\n    scale = 2\n", True),
        ("scale = 2\n\ndef init():\n    scale = 3\n", False),
        ("scale = 2\nglobal scale\n", False),
    ],
)
def test_a_module_that_a_function_of_its_own_sets_up(config: str, refused: bool) -> None:
    """A worker imports it anew, and would not call that function."""
    given = {**files(), "config.py": config}
    assert bool(migrated(given, RULE)) is not refused
    if refused:
        (reason,) = reasons(given, RULE)
        assert "`init` (config.py:4) sets `scale`" in reason


BY_DEFAULT = ROWS.replace("def __init__(self, n, config)", "def __init__(self, n, config=config)")


@pytest.mark.parametrize("made", ["Rows(4)", "Rows(4, config)", "Rows(n=4)"])
def test_it_is_the_default(made: str) -> None:
    (fixed,) = migrated(files(made, rows="import config\n\n\n" + BY_DEFAULT), RULE).values()
    assert "self.config = importlib.import_module(" in fixed


@pytest.mark.parametrize("made", ["Rows(4, print)", "Rows(*[4])", "Rows(**{'n': 4})"])
def test_it_is_the_default_of_one_and_others_get_something_else(made: str) -> None:
    rows = "import config\n\n\n" + BY_DEFAULT
    (reason,) = reasons(files(made, rows=rows), RULE)
    assert "where other things may be passed as well" in reason
