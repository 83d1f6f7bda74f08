"""What the script of one program puts on objects is not on those of the same class that another program sends."""

from __future__ import annotations

from typing import Any

import pytest
from test_flow import crossings

from codemods.finding import Confidence
from codemods.flow.answers import one_program
from codemods.flow.solve.paths import Paths
from harness.each_row import each_row

ROWS = """
class Rows:
    def __init__(self, keep=None):
        self.keep = keep
        self.tables = []

    def __getitem__(self, index):
        return index

SHARED = Rows()
HOOKS = []
"""
SEND = """
from torch.utils.data import DataLoader

def read(rows):
    for row in DataLoader(rows, num_workers=2):
        print(row)
"""
LOOK = """
from rows import HOOKS, SHARED, Rows
from send import read

def main():
    rows = Rows()
    {put}

if __name__ == "__main__":
    main()
"""
TRAIN = """
from rows import HOOKS, SHARED, Rows
from send import read

def main():
    {sent}

if __name__ == "__main__":
    main()
"""
READ = "read(Rows())"


def sure(look: str, train: str, **more: str) -> bool:
    """A lambda of a program of these files, and of `more` by path, is seen to cross."""
    files = {"rows.py": ROWS, "send.py": SEND, "look.py": LOOK.format(put=look), "train.py": TRAIN.format(sent=train)}
    found = crossings({**files, **more})
    assert [each.path for each in found] == ["look.py"]
    return found[0].confidence is not Confidence.POSSIBLE


@each_row(
    ("look", "train", "crosses"),
    [
        ("rows.keep = lambda row: row", READ, False),
        ("setattr(rows, 'keep', lambda row: row)", READ, False),
        ("rows.tables.append([lambda row: row])", READ, False),
        ("SHARED.keep = lambda row: row", "read(SHARED)", False),
        ("HOOKS.append(lambda row: row)", "read(HOOKS)", False),
        ("HOOKS.append(lambda row: row)", "read([HOOKS, 1])", False),
        ("rows.keep = lambda row: row; read(rows)", READ, True),
        ("rows.keep = lambda row: row; read([rows])", READ, True),
        ("SHARED.keep = lambda row: row; read(SHARED)", READ, True),
        ("rows.keep = lambda row: row; read(rows.__getitem__)", READ, True),
        ("rows.keep = lambda row: row", "read(Rows().__getitem__)", False),
        ("HOOKS.append(lambda row: row); read(HOOKS)", "read(HOOKS)", True),
    ],
)  # fmt: skip
def test_what_one_script_puts_there(look: str, train: str, crosses: bool) -> None:
    assert sure(look, train) is crosses


@each_row(
    "third",
    [
        "import look\nimport train\n\nlook.main()\ntrain.main()\n",
        "from look import main\nmain()\n",
        "import sys\nfrom importlib import import_module\n\nimport_module(sys.argv[1]).main()\n",
        "import runpy\nimport sys\n\nrunpy.run_path(sys.argv[1])\n",
        "import hydra\n\ndef set_up(cfg):\n    hydra.utils.call(cfg.first)\n\nset_up(load())\n",
        "from hydra.utils import get_method\n\nget_method('look.main')()\n",
        "from importlib.metadata import entry_points\n\nfor each in entry_points(group='own'):\n    each.load()()\n",
    ],
)
def test_scripts_that_something_imports_may_be_one_program(third: str) -> None:
    assert sure("SHARED.keep = lambda row: row", "read(SHARED)", **{"third.py": third})


@each_row(
    ("path", "text"),
    [
        ("setup.cfg", "[options.entry_points]\nown.plugins =\n    look = look:main\n"),
        ("pyproject.toml", '[project.entry-points."own.plugins"]\nlook = "look:main"\n'),
        ("conf/first.yaml", "set_up:\n  _target_: look.main\n"),
        ("conf/first.toml", 'set_up = "tools.look.main"\n'),
        ("run.sh", 'python -c "import look, train; look.main(); train.main()"\n'),
        ("Makefile", "run:\n\tpython -c 'from look import main; main()'\n"),
        (".github/workflows/run.yml", "jobs:\n  run:\n    run: python -c 'import look; look.main()'\n"),
    ],
)  # fmt: skip
def test_a_script_that_a_text_names_as_module_may_be_loaded(path: str, text: str) -> None:
    assert sure("SHARED.keep = lambda row: row", "read(SHARED)", **{path: text})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("run.sh", "python look.py\npython -m look\npython tools/look.main\n"),
        ("conf/first.yaml", "look: true\nfile: look.json\nother: look.size\nfolder: /data/look.main\n"),
        ("notes.md", "`look.main` is called by hand.\n"),
    ],
)  # fmt: skip
def test_a_script_that_a_text_runs_or_that_shares_a_word_stays_one(path: str, text: str) -> None:
    assert not sure("SHARED.keep = lambda row: row", "read(SHARED)", **{path: text})


def test_code_that_is_no_script_is_of_any_program() -> None:
    setup = "from rows import SHARED\n\ndef set_up():\n    SHARED.keep = lambda row: row\n"
    found = crossings(
        {"rows.py": ROWS, "send.py": SEND, "setup.py": setup, "train.py": TRAIN.format(sent="read(SHARED)")}
    )
    assert [(each.path, each.confidence) for each in found] == [("setup.py", Confidence.PROVEN)]


def test_the_paths_of_a_value_are_followed_once_for_all_that_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Counted(Paths):
        def __init__(self, *given: Any) -> None:
            made.append(given)
            super().__init__(*given)

    monkeypatch.setattr(one_program, "Paths", Counted)
    put = "rows.tables.extend([" + ", ".join(["lambda row: row"] * 8) + "])"
    files = {"rows.py": ROWS, "send.py": SEND, "look.py": LOOK.format(put=put), "train.py": TRAIN.format(sent=READ)}
    assert len(crossings(files)) == 8
    assert len(made) == len({(number, frozenset(among.files)) for _, number, _, among in made})
