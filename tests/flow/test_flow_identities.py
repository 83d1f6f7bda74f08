"""The flow sees where a function or class is told from another that does the same."""

from __future__ import annotations

import pytest

from codemods.flow.answers.crossings import flow_of
from harness.each_row import each_row
from harness.marks import project_of

SPEC = "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Spec:\n    f: object\n"
KEPT = (
    "class Kept:\n    def __init__(self, f):\n        self.f = f\n\n    def __eq__(self, other):\n        return {}\n"
    "\n\nprint(Kept(make()) == 1)\n"
)
MAKER = "def make():\n    return lambda x: x\n\n\n"


def identities(text: str) -> list[tuple[str, int]]:
    """What tells the lambda of `make` from another, each with its line below the maker."""
    project = project_of({"a.py": MAKER + text})
    return sorted({(found.what, found.line - 4) for found in flow_of(project).identities("a.py", 2, 11)})


@each_row(
    ("text", "expected"),
    [
        pytest.param("f = make()\nprint(f(1), f is None)\n", [], id="called, and compared with None"),
        pytest.param("f = make()\nprint(f == make())\n", [("compared", 2)], id="equality"),
        pytest.param(
            "class A:\n    f = make()\nmatch make():\n    case A.f:\n        pass\n", [("compared", 4)], id="a pattern"
        ),
        pytest.param(
            "match make():\n    case None | -1 | 'a' | str():\n        pass\n", [], id="patterns of constants"
        ),
        pytest.param("TABLE = {}\nTABLE[make()] = 1\n", [("a key of a dict", 2)], id="a key that is set"),
        pytest.param("f = make()\nTABLE = {f: 1}\n", [("a key of a dict", 2)], id="a key of a display"),
        pytest.param("a, b = (1, make()), (1, make())\nprint(a == b)\n", [("compared", 2)], id="in tuples"),
        pytest.param(f"{SPEC}a, b = Spec(make()), Spec(make())\nprint(a == b)\n", [("compared", 7)], id="of records"),
        pytest.param(KEPT.format("self.__dict__ == other.__dict__"), [("compared", 6)], id="all attributes"),
        pytest.param(KEPT.format("vars(self) == vars(other)"), [("compared", 6)], id="all attributes by `vars`"),
        pytest.param(KEPT.format("len(vars(self)) == len(vars(other))"), [], id="how many attributes"),
        pytest.param(f"{SPEC}print(Spec(make()) is None)\n", [], id="of a record that is not compared"),
        pytest.param(f"{SPEC}print({{Spec(make())}})\n", [("put in a set", 6)], id="of a record in a set"),
        pytest.param("HOOKS = {make(), make()}\n", [("put in a set", 1)], id="a set"),
        pytest.param("HOOKS = {make() for _ in range(3)}\n", [("put in a set", 1)], id="a set comprehension"),
        pytest.param("hooks = [make()]\nhooks.remove(make())\n", [("passed to `hooks.remove`", 2)], id="remove"),
        pytest.param(
            "def mark(fn):\n    fn.label = 1\n\n\nmark(make())\n", [("given the attribute `label`", 2)], id="a helper"
        ),
        pytest.param(
            "import weakref\nr = weakref.ref(make())\n", [("passed to `weakref.ref`", 2)], id="weak references"
        ),
        pytest.param(
            "import functools\n\n\n@functools.lru_cache(None)\ndef run(fn):\n    return fn(1)\n\n\nrun(make())\n",
            [("a key of a cache", 4)],
            id="a cached function",
        ),
    ],
)
def test_places_that_tell_a_function_from_another(text: str, expected: list[tuple[str, int]]) -> None:
    assert identities(text) == expected


CLASS = "def make():\n    class Item:\n        pass\n    return Item\n\n\n"


@each_row(
    ("text", "expected"),
    [
        pytest.param("item = make()()\n", [], id="only objects"),
        pytest.param("print(isinstance(1, make()))\n", [("passed to `isinstance`", 1)], id="isinstance"),
        pytest.param("print(isinstance(1, (int, make())))\n", [("passed to `isinstance`", 1)], id="in a tuple"),
        pytest.param(
            "A = make()\ntry:\n    pass\nexcept A:\n    pass\n", [("named by `except`", 4)], id="an exception handler"
        ),
        pytest.param("A = make()\nmatch 1:\n    case A():\n        pass\n", [("named by `case`", 3)], id="a pattern"),
        pytest.param(
            "A = make()\nmatch 1:\n    case [int(), {'x': A(b=1) | str()}]:\n        pass\n",
            [("named by `case`", 3)],
            id="a pattern inside others",
        ),
        pytest.param("A = make()\nmatch A():\n    case A:\n        pass\n", [], id="a pattern that binds the name"),
        pytest.param("A = make()\nA.count = 1\n", [("given the attribute `count`", 2)], id="an attribute"),
        pytest.param("A = make()\nA.count += 1\n", [("given the attribute `count`", 2)], id="a counter"),
    ],
)
def test_places_that_tell_a_class_from_another(text: str, expected: list[tuple[str, int]]) -> None:
    project = project_of({"a.py": CLASS + text})
    found = flow_of(project).class_identities("a.py", 2, 4)
    assert sorted({(each.what, each.line - 6) for each in found}) == expected
