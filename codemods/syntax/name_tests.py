"""Whether a loop over the names of a module leaves out a new one, by the tests that it makes."""

from __future__ import annotations

import ast
import contextlib
import inspect
import types
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from .names import last_name
from .outline import Outline


def _function() -> None:
    """Stands for any function."""


class _Class:
    """Stands for any class without bases of its own."""


class _Derived(_Class):
    """Stands for a class with bases that are not looked at."""


_SAMPLES = {"function": _function, "class": _Class, "derived": _Derived, "module": types}
_OF_TEXT = frozenset(
    {"startswith", "endswith", "islower", "isupper", "isdigit", "isidentifier", "lower", "upper", "lstrip", "strip"}
)
_ASKS: dict[str, Callable[[object], bool]] = {
    "callable": callable,
    "isclass": inspect.isclass,
    "isfunction": inspect.isfunction,
    "ismodule": inspect.ismodule,
    "isroutine": inspect.isroutine,
    "isbuiltin": inspect.isbuiltin,
    "ismethod": inspect.ismethod,
}
_TYPES: dict[str, Any] = {
    "type": type, "int": int, "float": float, "str": str, "bool": bool, "dict": dict, "list": list, "tuple": tuple,
    "set": set, "bytes": bytes, "complex": complex, "FunctionType": types.FunctionType, "LambdaType": types.LambdaType,
    "ModuleType": types.ModuleType, "Callable": Callable, "Hashable": Hashable, "object": object,
}  # fmt: skip


class _Unknown:
    """What a test may say anything about."""


_UNKNOWN = _Unknown()
_Names = dict[str, Any]  # what the names of the loop stand for


@dataclass(frozen=True)
class Element:
    """A new name of a module. `kind`: function, class (one that derives from nothing), derived or module."""

    name: str
    kind: str


@dataclass(frozen=True)
class _Condition:
    """`test` where `target` is bound to an element: its name ("keys"), what it is ("values") or both ("items")."""

    target: ast.expr
    elements: str
    test: ast.expr
    wanted: bool = True


@dataclass(frozen=True)
class Test:
    """Conditions on the elements of a loop, all of which hold for what is found."""

    elements: str
    conditions: tuple[_Condition, ...] = ()

    def __call__(self, element: Element) -> bool | None:
        """True, False, or None where that can't be told."""
        found = [_verdict(condition, element) for condition in self.conditions]
        return False if False in found else None if None in found else True

    def as_elements(self, elements: str) -> Test:
        """The same tests, of a loop over other views of the names."""
        return replace(self, elements=elements)

    def narrowed(self, loop: ast.comprehension | ast.For, outline: Outline) -> Test:
        """With the tests that the loop makes before it does anything."""
        more: list[tuple[ast.expr, bool]] = []
        if isinstance(loop, ast.comprehension):
            more += [(test, True) for test in loop.ifs]
        else:
            for statement in loop.body:
                if not isinstance(statement, ast.If) or statement.orelse:
                    break
                if isinstance(statement.body[0], ast.Continue):
                    more.append((statement.test, False))
                    continue
                if loop.body[-1] is statement:
                    more.append((statement.test, True))
                break
        conditions = tuple(_Condition(loop.target, self.elements, test, wanted) for test, wanted in more)
        return replace(self, conditions=self.conditions + conditions)

    def filtered(self, test: ast.expr, elements: str = "") -> Test:
        """With what a function says, such as that of `filter`."""
        if isinstance(test, ast.Lambda) and len(test.args.args) == 1:
            target = ast.Name(test.args.args[0].arg, ast.Load())
            more = _Condition(target, elements or self.elements, test.body)
        else:
            target = ast.Name("element", ast.Load())
            more = _Condition(target, elements or self.elements, ast.Call(test, [target], []))
        return replace(self, conditions=(*self.conditions, more))


def always(elements: str) -> Test:
    """Every element is found."""
    return Test(elements)


def _verdict(condition: _Condition, element: Element) -> bool | None:
    sample = _SAMPLES[element.kind]
    target, names = condition.target, _Names()
    if condition.elements == "items" and isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == 2:
        parts = list(zip(target.elts, (element.name, sample), strict=True))
    elif condition.elements == "items":
        parts = [(target, (element.name, sample))]
    else:
        parts = [(target, element.name if condition.elements == "keys" else sample)]
    for part, value in parts:
        if isinstance(part, ast.Name):
            names[part.id] = value
    value = _value(condition.test, names, sample)
    return None if value is _UNKNOWN else bool(value) is condition.wanted


def _value(node: ast.expr, names: _Names, sample: object) -> Any:
    """What the expression is, `_UNKNOWN` where that can't be told."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id, _UNKNOWN)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        items = [_value(item, names, sample) for item in node.elts]
        return _UNKNOWN if _UNKNOWN in items else items
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _value(node.operand, names, sample)
        return _UNKNOWN if inner is _UNKNOWN else not inner
    if isinstance(node, ast.BoolOp):
        return _joined(node, names, sample)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, names, sample)
    if isinstance(node, ast.Subscript):
        return _item(node, names, sample)
    return _called(node, names, sample) if isinstance(node, ast.Call) else _UNKNOWN


def _joined(node: ast.BoolOp, names: _Names, sample: object) -> Any:
    parts = [_value(part, names, sample) for part in node.values]
    decides = isinstance(node.op, ast.Or)
    if any(part is not _UNKNOWN and bool(part) is decides for part in parts):
        return decides
    return _UNKNOWN if _UNKNOWN in parts else not decides


def _compared(node: ast.Compare, names: _Names, sample: object) -> Any:
    left, right = _value(node.left, names, sample), _value(node.comparators[0], names, sample)
    if left is _UNKNOWN or right is _UNKNOWN:
        return _UNKNOWN
    operator = node.ops[0]
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        return (left == right) is isinstance(operator, ast.Eq)
    if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, (str, list)):
        return (left in right) is isinstance(operator, ast.In) if isinstance(left, str) else _UNKNOWN
    if isinstance(operator, (ast.Is, ast.IsNot)) and right is None:
        return (left is None) is isinstance(operator, ast.Is)
    return _UNKNOWN


def _item(node: ast.Subscript, names: _Names, sample: object) -> Any:
    """`name[0]`, `name[:2]`, `pair[1]`; `module.__dict__[name]` is what the name stands for."""
    values, place = _value(node.value, names, sample), node.slice
    if values is _UNKNOWN:
        return sample if isinstance(_value(place, names, sample), str) else _UNKNOWN
    if not isinstance(values, (str, tuple)):
        return _UNKNOWN
    if isinstance(place, ast.Slice):
        ends = [None if end is None else _value(end, names, sample) for end in (place.lower, place.upper)]
        return values[slice(*ends)] if all(end is None or isinstance(end, int) for end in ends) else _UNKNOWN
    at = _value(place, names, sample)
    return values[at] if isinstance(at, int) and -len(values) <= at < len(values) else _UNKNOWN


def _called(node: ast.Call, names: _Names, sample: object) -> Any:
    name = last_name(node.func)
    passed = [_value(argument, names, sample) for argument in node.args]
    if isinstance(node.func, ast.Attribute) and name in _OF_TEXT:
        text = _value(node.func.value, names, sample)
        if isinstance(text, str) and _UNKNOWN not in passed and not node.keywords:
            plain = [tuple(item) if isinstance(item, list) else item for item in passed]
            with contextlib.suppress(TypeError):  # too many arguments
                return (
                    getattr(text, name)(*plain) if all(isinstance(item, (str, tuple)) for item in plain) else _UNKNOWN
                )
        return _UNKNOWN
    if name == "getattr" and len(passed) > 1 and isinstance(passed[1], str) and passed[0] is _UNKNOWN:
        return sample if passed[1] in names.values() else _UNKNOWN
    if name in _ASKS and len(passed) == 1 and passed[0] is not _UNKNOWN:
        return _ASKS[name](passed[0])
    if name == "isinstance" and len(passed) == 2 and passed[0] is not _UNKNOWN:
        return _is_of(passed[0], node.args[1])
    if name == "issubclass" and len(passed) == 2 and passed[0] is _Class:
        return last_name(node.args[1]) == "object"
    return _UNKNOWN


def _is_of(value: object, types_: ast.expr) -> Any:
    """`isinstance(value, (int, str))`."""
    listed = types_.elts if isinstance(types_, ast.Tuple) else [types_]
    known = [_TYPES.get(last_name(item) or "") for item in listed]
    if any(kind is not None and isinstance(value, kind) for kind in known):
        return True
    return _UNKNOWN if None in known else False
