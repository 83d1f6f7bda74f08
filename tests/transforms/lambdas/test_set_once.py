"""Attributes that constructors alone set, and code that may set one without naming it."""

from __future__ import annotations

import ast

import pytest

from codemods.project import Project
from codemods.syntax.repo import Repo
from codemods.syntax.written_by_name import written_by_name
from codemods.transforms.lambdas.checks.set_once import set_by_constructor
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def project_of(*texts: str) -> Project:
    """The first text is main.py, the second lib.py."""
    return Project(MemoryFiles(dict(zip(("main.py", "lib.py"), [text.encode() for text in texts], strict=False))))


MODEL = """
class Model:
    def __init__(self, width, other):
        self.width: int = width
        {init}

    def grow(self, other):
        {method}
        return self

{more}
model = {made}
if input():
    {then}
print(model.width)
"""


def once(made: str = "Model(1, 2)", init: str = "pass", method: str = "pass", more: str = "", then: str = "pass",
         lib: str = "") -> bool:  # fmt: skip
    """The `model.width` of the last line is set by a constructor alone."""
    project = project_of(MODEL.format(made=made, init=init, method=method, more=more, then=then), lib)
    repo = Repo(project)
    outline = repo.outline("main.py")
    assert outline is not None
    return set_by_constructor(repo, outline, max(outline.attributes["width"], key=lambda at: at.lineno))


@each_row(
    ("changes", "holds"),
    [
        ({}, True),
        ({"init": "other.width = 2"}, False),
        ({"init": "if other: self.width = 2"}, False),
        ({"init": "self.width += 2"}, False),
        ({"init": "def later(): self.width = 2"}, False),
        ({"method": "self.width = 2"}, False),
        ({"method": "other.width = 2"}, False),
        ({"method": "del other.width"}, False),
        ({"method": "print(other.width)"}, True),
        ({"more": "    @property\n    def width(self):\n        return 2\n"}, False),
        ({"lib": "def change(model):\n    model.width = 2\n"}, False),
        ({"then": "model.width = 3"}, False),
    ],
)
def test_nothing_else_sets_it(changes: dict[str, str], holds: bool) -> None:
    assert once(**changes) is holds


MAKER = "def make(n):\n    {body}\n"


@each_row(
    ("made", "more", "holds"),
    [
        ("Own(1, 2)", "class Own(Model):\n    pass\n", True),
        ("Other()", "class Other:\n    pass\n", False),
        ("Other()", "class Other:\n    def __init__(self, other):\n        self.width = other\n", True),
        ("make(1)", MAKER.format(body="return Model(n, 2)"), True),
        ("make(1)", MAKER.format(body="return n"), False),
        ("make(1)", MAKER.format(body="if n:\n        return None\n    return Model(n, 2)"), False),
        ("make(1)", MAKER.format(body="pass"), False),
        ("make(1)", "@cached\n" + MAKER.format(body="return Model(n, 2)"), False),
        ("make(1)", "async " + MAKER.format(body="return Model(n, 2)"), False),
        ("make(1)", MAKER.format(body="found = Model(n, 2)\n    return found"), True),
        ("make(1)", MAKER.format(body="for found in n:\n        return found"), False),
        ("first", "first = Model(1, 2)\n", True),
        ("first", "zero = Model(1, 2)\nfirst = zero\n", True),
        ("first", "a = Model(1, 2)\nb = a\nc = b\nfirst = c\n", False),  # from too far
        ("first", "first: Model = Model(1, 2)\n", False),
        ("first", "for first in [Model(1, 2)]:\n    pass\n", False),
        ("nowhere(1)", "", True),  # it fails
        ("nowhere(1)", "from lib import *\n", False),
        ("print(1)", "", False),
        ("kit.make(1)", "import kit\n", False),
        ("None", "", False),
        ("Model(1, 2) if 1 else None", "", False),
    ],
)
def test_what_the_object_is(made: str, more: str, holds: bool) -> None:
    assert once(made=made, more=more, lib="def other(): pass\n") is holds


LOAD = "def load(model, path):\n    {body}\n    return {back}\n"


@each_row(
    ("then", "more", "holds"),
    [
        ("model, epoch = load(model, 'a')", LOAD.format(body="pass", back="model, 3"), True),
        ("epoch, model = load(model, 'a')", LOAD.format(body="pass", back="3, model"), True),
        ("epoch, model = load(model, 'a')", LOAD.format(body="pass", back="model, 3"), False),
        ("model, epoch = load(model, 'a')", LOAD.format(body="pass", back="model"), False),
        ("model = load(model, 'a')", LOAD.format(body="pass", back="model"), True),
        ("model = load(model, 'a')", LOAD.format(body="pass", back="path"), False),
        ("model = load(model, model)", LOAD.format(body="pass", back="model"), False),
        ("model = load('a', model)", LOAD.format(body="pass", back="path"), True),
        ("model = load('a', model)", LOAD.format(body="pass", back="model"), False),
        ("model = load(*[model], 'a')", LOAD.format(body="pass", back="model"), False),
        ("model = load(model, *['a'])", LOAD.format(body="pass", back="model"), False),
        ("model = load(model, 'a')", LOAD.format(body="model = path", back="model"), False),
        ("model = load(model, 'a')", LOAD.format(body="if path:\n        return path", back="model"), False),
        ("model = load(model, 'a')", "@cached\n" + LOAD.format(body="pass", back="model"), False),
        ("model = load(1, 2, model)", LOAD.format(body="pass", back="model"), False),
        ("model = kit.load(model)", "import kit\n", False),
        ("model, epoch = load(model, 'a'), 2", LOAD.format(body="pass", back="model"), False),
        ("model = last = load(model, 'a')", LOAD.format(body="pass", back="model"), True),
    ],
)
def test_a_function_that_gives_back_what_it_got(then: str, more: str, holds: bool) -> None:
    assert once(then=then, more=more) is holds


@each_row(
    ("code", "writes"),
    [
        ("setattr(opts, key, 1)", True),
        ("setattr(opts, 'width', 1)", True),
        ("setattr(opts, 'height', 1)", False),
        ("setattr(self, key, 1)", False),
        ("setattr(cls, key, 1)", False),
        ("setattr(other, key, 1)", False),
        ("setattr(opts)", False),
        ("delattr(opts, key)", True),
        ("object.__setattr__(opts, key, 1); vars", True),
        ("vars(opts)", False),
        ("vars()", False),
        ("vars(opts)[key] = 1", True),
        ("vars(opts)['height'] = 1", False),
        ("del vars(opts)['width']", True),
        ("print(vars(opts)[key])", False),
        ("vars(self)[key] = 1", False),
        ("vars(other)[key] = 1", False),
        ("vars(opts).update(known)", True),
        *((f"vars(opts).{name}(known)", False) for name in ("items", "keys", "values", "get", "copy", "__contains__")),
        ("later = vars(opts).update", False),
        ("opts.__dict__ = known", True),
        ("opts.__dict__ |= known", True),
        ("self.__dict__ = known", False),
        ("opts.__dict__.pop(key)", True),
        ("print(opts.__dict__)", False),
        ("table = vars(opts)\ntable[key] = 1", True),
        ("table = vars(opts)\ntable |= known", True),
        ("table = vars(opts)\nprint(table[key])", False),
        ("table = vars(opts)\nknown[key] = table", False),
        ("table: dict = vars(opts)\ntable.clear()", True),
        ("table: dict = vars(opts)\ntable.get(key)", False),
        ("self.table = vars(opts)\nself.table['width'] = 1", True),
        ("def table(opts):\n    return vars(opts)", True),
        ("def table(opts):\n    yield vars(opts)", True),
        ("print(table := vars(opts))", True),
        ("table = vars(opts) if key else {}", True),
        ("table = vars(opts) or {}", True),
        ("table = [vars(opts)]", False),
        ("fill(vars(opts))", True),
        ("fill(table=vars(opts))", True),
        ("fill(key, vars(opts))", False),
        ("fill(**vars(opts))", False),
        ("show(vars(opts))", False),
        ("show(vars(opts), vars(opts), vars(opts))", False),
        ("kit.fill(vars(opts))", False),
        ("Fill(vars(opts))", False),
    ],
)
def test_code_that_sets_attributes_by_their_names(code: str, writes: bool) -> None:
    lib = (
        "def fill(table, key=None):\n    table[key] = 1\n    print(key)\n\n"
        "def show(table, key=None):\n    print(table[key], key)\n\nclass Fill:\n    pass\n"
    )
    project = project_of(f"from lib import fill, show, Fill\nimport kit\n{code}\n", lib)
    found = written_by_name(
        project, Repo(project), "width", lambda _, node: isinstance(node, ast.Name) and node.id == "other"
    )
    assert found is writes


def test_a_file_that_cannot_be_read_may_write() -> None:
    project = project_of("setattr(\n")
    assert written_by_name(project, Repo(project), "width", lambda *_: False)


@pytest.mark.parametrize("text", ["", "print(vars)\n"])
def test_without_a_call_nothing_is_written(text: str) -> None:
    project = project_of(text)
    assert not written_by_name(project, Repo(project), "width", lambda *_: False)
