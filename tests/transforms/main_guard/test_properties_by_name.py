"""What Python calls by itself is looked for only where a class of the repository may define it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from codemods.project import Project
from codemods.syntax.callees import Callees
from codemods.syntax.modules import modules_of
from codemods.syntax.repo import Repo
from codemods.syntax.resolver import Class
from codemods.transforms.main_guard.state.implicit_calls import implicit_calls, properties
from codemods.tree.files import MemoryFiles

TEXT = """\
from functools import cached_property

class Rows:
    @property
    def rate(self):
        return RATE

    @cached_property
    def size(self):
        return 3

    @classmethod
    @property
    def kind(cls):
        return cls

    def step(self):
        return self.rate + self.other
"""


def test_names_that_may_be_properties() -> None:
    project = Project(MemoryFiles({"rows.py": TEXT.encode(), "none.py": b"x = 1\n", "broken.py": b"def"}))
    assert properties(project, "rows.py") == ("kind", "rate", "size")
    assert properties(project, "none.py") == properties(project, "broken.py") == ()


@pytest.mark.parametrize(("text", "asked"), [("self.rate", True), ("self.other", False), ("self.step", False)])
def test_classes_are_asked_for_where_a_property_has_the_name(text: str, asked: bool) -> None:
    repo = Repo(Project(MemoryFiles({"rows.py": f"{TEXT}\n    def more(self):\n        {text}\n".encode()})))
    outline = repo.outline("rows.py")
    assert outline is not None
    node = next(
        each for each in reversed(outline.nodes) if isinstance(each, ast.Attribute) and ast.unparse(each) == text
    )
    seen: list[ast.expr] = []

    def classes_of(value: ast.expr) -> Sequence[Class]:
        seen.append(value)
        return ()

    assert not [*implicit_calls(Callees(repo, modules_of(repo.project)), outline, node, classes_of)]
    assert bool(seen) is asked
