"""Statements by which the facts of a file know what a name is."""

from __future__ import annotations

import ast

from codemods.flow.facts.syntax import converted, is_record, not_callable
from harness.each_row import each_row


@each_row(
    ("statement", "name"),
    [
        ("if not isinstance(x, list): x = list(x)", "x"),
        ("if not isinstance(x, (list, tuple)): x = list(x)", "x"),
        ("if not isinstance(x, tuple): x = tuple(x)", "x"),
        ("if isinstance(x, list): x = list(x)", ""),
        ("if not isinstance(y, list): x = list(x)", ""),
        ("if not isinstance(x, list): y = list(x)", ""),
        ("if not isinstance(x, list): x = list(y)", ""),
        ("if not isinstance(x, list): x = kit(x)", ""),
        ("if not isinstance(x, Kit): x = list(x)", ""),
        ("if not isinstance(x, (list, Kit)): x = list(x)", ""),
        ("if not isinstance(x, (list, kit.Kit)): x = list(x)", ""),
        ("if not isinstance(x, list): x = list(x); f(x)", ""),
        ("if not issubclass(x, list): x = list(x)", ""),
    ],
)
def test_what_is_a_list_behind_it(statement: str, name: str) -> None:
    (node,) = ast.parse(statement).body
    assert isinstance(node, ast.If) and converted(node.test, node.body) == name


@each_row(
    ("test", "name"),
    [
        ("callable(x)", "x"),
        ("callable(self.x)", "self.x"),
        ("inspect.isfunction(x)", "x"),
        ("isfunction(x)", "x"),
        ("is_lambda(x)", "x"),
        ("is_callable(x)", "x"),
        ("callable(x, y)", ""),
        ("callable(x[0])", ""),
        ("isclass(x)", ""),
        ("x", ""),
    ],
)
def test_what_is_no_function_where_it_is_false(test: str, name: str) -> None:
    assert not_callable(ast.parse(test, mode="eval").body) == name


@each_row(
    ("text", "record"),
    [
        *(
            (f"@{mark}\nclass A: pass", True)
            for mark in ("dataclass", "dataclasses.dataclass", "dataclass(frozen=True)")
        ),
        *((f"@{mark}\nclass A: pass", True) for mark in ("attr.s", "attr.attrs", "attrs.define", "frozen", "mutable")),
        *(
            (f"class A({base}): pass", True)
            for base in ("NamedTuple", "pydantic.BaseModel", "BaseSettings", "NamedTuple[T]")
        ),
        ("@s\nclass A: pass", False),
        ("@kept\nclass A: pass", False),
        ("class A(Model): pass", False),
        ("class A: pass", False),
    ],
)
def test_what_takes_its_fields_as_arguments(text: str, record: bool) -> None:
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.ClassDef) and is_record(node) is record
