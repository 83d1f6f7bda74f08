"""Why what a method makes is made no method beside it: something lists the methods, or takes one of another class."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax.repo import Repo
from codemods.syntax.scopes import Scopes
from codemods.transforms.lambdas.checks.class_use import ClassUse
from codemods.transforms.lambdas.checks.settled import Settled
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

ROWS = """\
import abc, dataclasses, inspect
from marks import mark
class Base{head}:
    {base}
{mark}
class Rows(Base):
    def make(self):
        {body}
{below}
"""


def why(other: str = "", **parts: str) -> str:
    """The first reason, without the line; "" for none."""
    text = ROWS.format(**{"head": "", "base": "pass", "mark": "", "body": "pass", "below": "", **parts})
    project = Project(MemoryFiles({"rows.py": text.encode(), "other.py": other.encode()}))
    source = project.source("rows.py")
    tree = project.module("rows.py")
    assert source is not None and tree is not None
    scopes = Scopes(tree)
    (cls,) = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "Rows")
    use = ClassUse(project, "rows.py", scopes, Settled(project, "rows.py", scopes), Repo(project))
    return (use.why_no_method(cls, "make") or "").partition(" (")[0]


@each_row(
    ("part", "text", "found"),
    [
        ("body", "return dir(self)", "`dir(self)` lists its methods"),
        ("body", "return inspect.getmembers(self)", "`inspect.getmembers(self)` lists its methods"),
        ("body", "return inspect.getmembers_static(self)", "`inspect.getmembers_static(self)` lists its methods"),
        ("body", "return dir()", ""),
        ("body", "return vars(type(self))", "`vars(type(self))` lists its methods"),
        ("body", "return vars(self)", ""),
        ("body", "return vars()", ""),
        ("body", "return type(self).__dict__", "`type(self).__dict__` lists its methods"),
        ("body", "return self.__class__.__dict__", "`self.__class__.__dict__` lists its methods"),
        ("body", "return cls.__mro__", "`cls.__mro__` lists its methods"),
        ("body", "return cls.mro()", "`cls.mro` lists its methods"),
        ("body", "return self.__dict__", ""),
        ("base", "def all(self): return type(self).mro()", "`type(self).mro` lists its methods"),
        ("below", "print(Rows.__dict__)", "`Rows.__dict__` lists its methods"),
        ("below", "print(vars(Rows))", "`vars(Rows)` lists its methods"),
        ("below", "print(vars(Others), Others.__dict__)", ""),
        ("below", "make = Rows.make", "`Rows.make` may be used with other objects"),
        ("below", "class More(Rows):\n    def make(self):\n        return Rows.make(self)", ""),
        (
            "below",
            "class More:\n    def make(self):\n        return Rows.make(1)",
            "`Rows.make` may be used with other objects",
        ),
        (
            "below",
            "class More:\n    def make(self):\n        return Rows.make(other)",
            "`Rows.make` may be used with other objects",
        ),
        ("below", "def use(self):\n    run(self, Rows.make)", "`Rows.make` may be used with other objects"),
        ("below", "Rows.other", ""),
        ("below", "Rows.other  # not Rows.make", ""),
        ("below", "Others.make  # not Rows.make", ""),
        ("below", "Others.make", ""),
        ("mark", "@mark", "`@mark` may look at its methods"),
        ("mark", "@dataclasses.dataclass", ""),
        ("head", "(metaclass=mark)", "`metaclass=mark` of `Base` may look at its methods"),
        ("head", "(metaclass=abc.ABCMeta)", ""),
        ("base", "def __init_subclass__(cls): pass", "`__init_subclass__` of `Base` may look at its methods"),
    ],
)
def test_who_looks_at_methods(part: str, text: str, found: str) -> None:
    assert why(**{part: text}) == found


def test_another_file_takes_the_method() -> None:
    assert why("import rows\nmake = rows.Rows.make\n") == "`rows.Rows.make` may be used with other objects"
    assert why("import rows\nmake = rows.Others.make\n") == ""
