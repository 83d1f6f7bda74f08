"""Small questions to a syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from ...syntax.names import dotted, without_arguments
from .records import NamePattern, Position

_RECORD_MARKS = frozenset({"dataclass", "define", "frozen", "mutable"})
_RECORD_BASES = frozenset({"NamedTuple", "BaseModel", "BaseSettings"})
_START = re.compile(r"\.*[^\W\d]|\.+$")  # of a dotted name
_PART = re.compile(r"[\w.]*")
VIEW_METHODS = frozenset({"keys", "values", "items"})
_PUT_TOGETHER = (ast.JoinedStr, ast.BinOp, ast.Call)
MAKE_CONTAINERS = frozenset({"sorted", "list", "tuple", "set", "frozenset", "dict"})
_CONVERTS = frozenset({"list", "tuple", "set", "frozenset", "dict", "str"})
MAX_PLACES = 16  # longer lists and tuples are not told apart by index


def position(node: ast.expr | ast.stmt) -> Position:
    line, column = node.lineno, node.col_offset
    end = node.end_lineno
    # the same object where the line is: these stay when the tree is gone
    return (line, column, end if end and end != line else line, node.end_col_offset or column)


def is_record(node: ast.ClassDef) -> bool:
    """True for dataclasses, attrs classes, named tuples and pydantic's models."""
    marks = (dotted(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list)
    bases = (dotted(without_arguments(base)).rpartition(".")[2] for base in node.bases)
    return any(mark in ("attr.s", "attr.attrs") or mark.rpartition(".")[2] in _RECORD_MARKS for mark in marks) or any(
        base in _RECORD_BASES for base in bases
    )


KEYS = "#keys"  # where a container has what stands as a key
IN_A_DICT = "put in a dict"  # marks what a dict holds that is written as one
IN_A_TUPLE = "put in a tuple"
EACH = "#each"  # what a loop over a container gives: of a dict that is its keys
SLICE = "#slice"  # `rows[:2]` gives no element, and what the class's own `__getitem__` makes of it


def literal_key(node: ast.expr) -> str:
    """A literal string or index used as a key, else ""."""
    return key_of(node.value) if isinstance(node, ast.Constant) else ""


def key_of(value: object) -> str:
    """How a string or an index that is written down is noted as a key, else ""."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_PLACES:
        return f"#{value}"
    return ""


def name_pattern(node: ast.expr | None) -> NamePattern | None:
    """What is known of a dotted name that is put together: `f"configs.{x}"`, `"configs." + x`, `"configs.%s" % x`."""
    ends = _ends(node) if isinstance(node, _PUT_TOGETHER) else None
    if ends is None or not _START.match(ends[0]) or not all(map(_PART.fullmatch, ends)):
        return None
    return NamePattern(*ends)


def _ends(node: ast.expr) -> tuple[str, str] | None:
    """The text before the first and behind the last part of a text that is not known."""
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Attribute) and node.func.attr == "format"):
        return None  # most calls, without the long way
    parts: list[ast.expr] = []
    match node:
        case ast.JoinedStr(values):
            parts = values
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(str() as text)):
            return text.partition("%")[0], text.rpartition("%s")[2] if "%s" in text else "?"
        case ast.Call(func=ast.Attribute(ast.Constant(str() as text), "format")):
            return text.partition("{")[0], text.rpartition("}")[2]
        case ast.BinOp(op=ast.Add()):
            while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                parts.insert(0, node.right)
                node = node.left
            parts.insert(0, node)
    if len(parts) < 2:
        return None
    texts = [part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "" for part in parts]
    return texts[0], texts[-1]


def starred(elements: Iterable[ast.expr]) -> bool:
    return any(isinstance(element, ast.Starred) for element in elements)


def transposed(node: ast.expr | None) -> ast.Name | ast.Attribute | None:
    """`rows` of `zip(*rows)`, which gives the columns."""
    match node:
        case ast.Call(ast.Name("zip"), [ast.Starred(ast.Name() | ast.Attribute() as rows)]):
            return rows
    return None


def items_of(node: ast.expr) -> ast.expr | None:
    """The name `d` of `{key: value for key, value in d.items() if ...}`, which keeps values under their keys."""
    match node:
        case ast.DictComp(
            key=ast.Name(key),
            value=ast.Name(value),
            generators=[
                ast.comprehension(
                    target=ast.Tuple([ast.Name(first), ast.Name(second)]),
                    iter=ast.Call(ast.Attribute(source, "items"), [], []),
                )
            ],
        ) if (key, value) == (first, second) and key != value and dotted(source):
            return source
    return None


def not_callable(test: ast.expr) -> str:
    """The name that is no function where `test` is false: `callable(d)`, `isfunction(self.d)`; else ""."""
    if isinstance(test, ast.Call) and len(test.args) == 1 and isinstance(test.args[0], (ast.Name, ast.Attribute)):
        name = dotted(test.func).rpartition(".")[2]
        return dotted(test.args[0]) if name in ("callable", "isfunction", "is_lambda", "is_callable") else ""
    return ""


def converted(test: ast.expr, body: Sequence[ast.stmt]) -> str:
    """The name `x` of `if not isinstance(x, list): x = list(x)`, which is a list after it; "" for all others."""
    match test, body:
        case (
            ast.UnaryOp(ast.Not(), ast.Call(ast.Name("isinstance"), [ast.Name(name), types], [])),
            [ast.Assign([ast.Name(bound)], ast.Call(ast.Name(made), [ast.Name(taken)], []))],
        ) if name == bound == taken and made in _CONVERTS:
            named = types.elts if isinstance(types, ast.Tuple) else [types]
            return name if all(isinstance(each, ast.Name) and each.id in _CONVERTS for each in named) else ""
    return ""


def rebinds(statements: Sequence[ast.stmt], name: str) -> bool:
    """One of these statements assigns to `name`, which may have dots."""
    assigned = (target for node in statements if isinstance(node, ast.Assign) for target in node.targets)
    return any(dotted(target) == name for target in assigned)


def gives_view(call: ast.Call) -> bool:
    """`x.keys()` and the like, and `dict.keys(x)`."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in VIEW_METHODS or call.keywords:
        return False
    of_class = isinstance(function.value, ast.Name) and function.value.id in ("dict", "OrderedDict")
    return len(call.args) == int(of_class)


def is_remade(expression: ast.expr | None) -> bool:
    """`sorted(x)`, `list(x)`: a new container with what x has."""
    function = expression.func if isinstance(expression, ast.Call) else None
    return isinstance(function, ast.Name) and function.id in MAKE_CONTAINERS
