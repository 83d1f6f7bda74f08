"""What is read off the text of a file: classes with what they derive from, functions that give back something."""

from __future__ import annotations

import re

from codemods.project import Project
from codemods.syntax.unpicklable_table import makers
from codemods.transforms.unpicklable_attributes.family import class_names
from codemods.transforms.unpicklable_attributes.search import _EXCEPTION, _KEEPER
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

_AS = re.compile(r"\b(\w+)[ \t]+as[ \t]+(\w+)")
IMPORTS = {
    "of one module": "from torch.utils.data import Dataset as Rows\n",
    "of several": "from a import B as C, D as E, (F  as\tRows)\n",
    "with a blank too few": "import basis\nimport Rows_as  Rows\n",
    "in a with, and in one line": "with open(a) as f, open(b) as Rows: import x.y as z; import base as Rows\n",
    "one after the other": "except Error as first:\n    pass  # Base as Rows as it is\n",
    "none": "from has import class_as\n",
}


def project(text: str) -> Project:
    return Project(MemoryFiles({"a.py": text.encode()}))


@each_row("name", IMPORTS)
def test_a_base_class_by_its_first_name(name: str) -> None:
    text = IMPORTS[name]
    first = {second: first for first, second in _AS.findall(text)}
    found = class_names(project(f"{text}class A(Rows, z.B):\n    pass\n"), "a.py")
    words = [word for base in ("Rows", "z", "B") for word in (base, first.get(base)) if word]
    assert set(found) == {"class A", *(f"below {word}" for word in words)}


@each_row(
    ("body", "gives"),
    [
        ("return Lock()", True),
        ("return threading . Lock (", True),
        ("return Lock\\n    Lock()", True),
        ("return my_Lock()", False),
        ("return Lock", False),
        ("x = Lock()", False),
        ("yield 1", True),
    ],
)
def test_functions_that_may_give_back_something_of_the_table(body: str, gives: bool) -> None:
    text = f"from threading import Lock\n\n\ndef make(path):\n    {body}\n\n\nLock()\n"
    assert ("make" in makers(project(text))) == gives


@each_row(
    ("text", "keeps"),
    [
        ("self.x", True),
        ("myself.x", False),
        ("a = field (default=1)", True),
        ("from dataclasses import field as f", True),
        ("subfield(1)", False),
        ("fields(1)", False),
        ("@dataclass", True),
        ("@cached_property", True),
        ("cached_property_of", False),
        ("my_cached_property", False),
        ("object.__setattr__(a, b, c)", True),
    ],
)
def test_whole_words_that_keep_something(text: str, keeps: bool) -> None:
    assert (_KEEPER.search(text) is not None) is keeps


@each_row(
    ("text", "found"),
    [
        ("class A(ValueError):", True),
        ("x = 1\nclass A(b.Exception, C):", True),
        ("subclass A(ValueError):", False),
        ("class A(Errors):", False),
    ],
)
def test_a_class_of_exceptions(text: str, found: bool) -> None:
    assert (_EXCEPTION.search(text) is not None) is found
