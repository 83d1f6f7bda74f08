"""Branches that no call of a function takes: what they make is never made."""

from __future__ import annotations

import ast

import pytest

from codemods.project import Project
from codemods.syntax.never_asked import NeverAsked
from codemods.syntax.repo import Repo
from codemods.tree.files import MemoryFiles

ROWS = """
class Rows(Base):
    def __init__(self, path, step=None, small=False):
        self.path, self.small = path, small
        self.narrow = small
        {body}
"""
OTHER = "self.step = step if step else lambda row: row"
SMALL = "if self.narrow:\n            self.step = lambda row: row[0]"


def never(body: str, use: str, **more: str) -> bool:
    texts = {"rows.py": ROWS.format(body=body), "run.py": f"from rows import Rows\n{use}\n"}
    texts |= {name.replace("_", "."): text for name, text in more.items()}
    repo = Repo(Project(MemoryFiles({path: text.encode() for path, text in texts.items()})))
    outline = repo.outline("rows.py")
    assert outline is not None
    made = [node for node in outline.nodes if isinstance(node, ast.Lambda)][-1]
    return NeverAsked(repo, lambda path: not path.startswith("test")).never_runs(outline, made)


@pytest.mark.parametrize(
    ("body", "use"),
    [
        (OTHER, "Rows('a', Compose([1]))"),
        (OTHER, "def run():\n    made = Compose([1])\n    Rows('a', step=made)"),
        (OTHER, "def same(row): return row\nRows('a', same)"),
        (OTHER, "isinstance(x, Rows)\ndef load(rows: Rows) -> list[Rows]: pass\nRows('a', lambda row: row)"),
        (OTHER, "class More(Rows): pass\nMore('a', Compose())\nRows('b', Compose())"),
        (OTHER, "class More(Rows):\n    def __init__(self, path):\n        super().__init__(path, Compose())\nMore(1)"),
        ("self.step = step or (lambda row: row)", "Rows('a', Compose())"),
        ("if step is None:\n            step = lambda row: row\n        self.step = step", "Rows('a', Compose())"),
        (SMALL, "Rows('a')"),
        (SMALL, "Rows('a', small=False)"),
    ],
)
def test_no_call_asks(body: str, use: str) -> None:
    assert never(body, use)


@pytest.mark.parametrize(
    ("body", "use"),
    [
        (OTHER, "pass"),  # no call in sight
        (OTHER, "Rows('a')"),
        (OTHER, "Rows('a', None)"),
        (OTHER, "Rows('a', make())"),  # may be None
        (OTHER, "Rows('a', step)"),
        (OTHER, "Rows('a', Compose())\nRows('b')"),
        (OTHER, "Rows('a', *args)"),
        (OTHER, "Rows('a', Compose())\nTABLE = [Rows]"),
        (OTHER, "Rows('a', Compose())\nTABLE = 'Rows'"),
        (OTHER, "class Steps:\n    def __len__(self): return 0\nRows('a', Steps())"),
        (OTHER, "class More(Rows): pass\nMore('a')\nRows('b', Compose())"),
        (OTHER, "class More(Rows):\n    def __init__(self, path):\n        super().__init__(path)\nMore(1)"),
        ("if path:\n            self.step = lambda row: row", "Rows(path)"),
        ("self.step = lambda row: row", "Rows('a', Compose())"),
        (SMALL, "Rows('a', small=True)"),
        (SMALL, "Rows('a', small=args.small)"),
        ("self.narrow = True\n        " + SMALL, "Rows('a')"),
    ],
)
def test_some_call_may_ask(body: str, use: str) -> None:
    assert not never(body, use)


def test_what_else_may_use_the_class() -> None:
    assert never(OTHER, "Rows('a', Compose())", test_py="from rows import Rows\nRows('a')\n")
    assert not never(OTHER, "Rows('a', Compose())", run_yaml="dataset: Rows\n")
    assert not never(OTHER, "Rows('a', Compose())", look_ipynb="{}\n")
