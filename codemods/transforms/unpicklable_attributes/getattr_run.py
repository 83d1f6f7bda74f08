"""Follows one call of `__getattr__` on an object without attributes, statement by statement."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...nodes import children, walk, yields
from ...syntax.binding_rules import COMPREHENSIONS
from ...syntax.names import dotted
from ...syntax.unpicklable_table import base_methods
from .classes import Method, Shape
from .data import names
from .family import Family

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEPTH = 3  # methods that methods call
_ALL = frozenset({"Exception", "BaseException", "RuntimeError", "RecursionError"})
_OWN_LOOKUPS = ("__getattribute__", "__getattr__")  # of a base class: they find nothing and raise AttributeError


class Failure(enum.Enum):
    """What a worker process stops with."""

    ENDLESS = "RecursionError: maximum recursion depth exceeded"
    KEY = "KeyError"
    NONE = "TypeError: 'NoneType' object is not callable"
    GENERATOR = "TypeError: 'generator' object is not callable"


def bound_names(shape: Shape) -> set[str]:
    """The names that the body of the class binds."""
    found = set(shape.methods)
    for statement in shape.node.body:
        for node in walk(statement) if not isinstance(statement, (*_FUNCTIONS, ast.AnnAssign)) else ():
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found.add(node.id)
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            found |= {statement.target.id} if isinstance(statement.target, ast.Name) else set()
    return found


@dataclass(frozen=True)
class End:
    """The call ends at `node`: by `failure`, or in some other way, where that is None."""

    node: ast.AST
    failure: Failure | None = None
    attribute: str = ""


class GetattrRun:
    """One call of `__getattr__`, or of a method that it calls. The methods return None where what follows runs."""

    def __init__(
        self,
        family: Family,
        shape: Shape,
        method: Method,
        asked: tuple[str, ...],
        depth: int = 0,
        items: bool = False,
    ) -> None:
        """`asked`: the attributes that are looked for, the one of this call last. `items`: the object is a dict."""
        self.family, self.shape, self.method, self.asked, self.depth = family, shape, method, asked, depth
        self.me, self.name = (item.arg for item in [*method.args.posonlyargs, *method.args.args][:2])
        line = [*family.line(shape)]
        self.of_class = {name for each in line for name in bound_names(each)}
        self.stored = {name for each in line for name in each.selves if each.stores(name)}
        kept = (name.rpartition(".") for name in names("kept_by_bases"))
        self.stored |= {attribute for base, _, attribute in kept if base in family.foreign(shape)}
        self.items = items and not {"__getitem__", "__missing__", "__contains__", "get"} & self.of_class

    def block(self, statements: Sequence[ast.stmt]) -> End | None:
        for statement in statements:
            if (end := self._statement(statement)) is not None:
                return end
        return None

    def _statement(self, node: ast.stmt) -> End | None:
        if isinstance(node, ast.If):
            return self._branch(node)
        if isinstance(node, ast.Try):
            return self._try(node)
        if isinstance(node, ast.Return):
            end = self._expression(node.value) if node.value is not None else None
            none = self._is_none(node.value)
            return end or End(node, Failure.NONE if none and not self.depth else None)
        if isinstance(node, ast.Raise):
            end = self._expression(node.exc) if node.exc is not None else None
            raised = dotted(node.exc.func if isinstance(node.exc, ast.Call) else node.exc) if node.exc else ""
            return end or End(node, Failure.KEY if raised == "KeyError" else None)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
            value = node.value
            rebinds = not isinstance(node, ast.Expr) and any(
                (
                    self._is_self(part.value)
                    if isinstance(part, ast.Attribute)
                    else self._is_self(part) or self._is_name(part)
                )
                and not isinstance(part.ctx, ast.Load)
                for part in walk(node)
                if isinstance(part, (ast.Attribute, ast.Name))
            )
            return (self._expression(value) if value is not None else None) or (End(node) if rebinds else None)
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass, *_FUNCTIONS, ast.ClassDef)):
            return None
        if isinstance(node, (ast.For, ast.With)):
            first = node.iter if isinstance(node, ast.For) else node.items[0].context_expr
            return self._expression(first) or End(node)
        return End(node)  # nobody follows it

    def _branch(self, node: ast.If) -> End | None:
        if (end := self._expression(node.test)) is not None:
            return end
        known = self._truth(node.test)
        if known is not None:
            return self.block(node.body if known else node.orelse)
        ends = [self.block(node.body), self.block(node.orelse)]
        same = all(end is not None and end.failure is not None for end in ends)
        return ends[0] if same else End(node)

    def _try(self, node: ast.Try) -> End | None:
        end = self.block(node.body)
        caught = [
            name
            for handler in node.handlers
            for name in (
                ["BaseException"]
                if handler.type is None
                else [dotted(each) or "" for each in getattr(handler.type, "elts", [handler.type])]
            )
        ]
        if end is None or end.failure is None:
            looks = self._first_raises(node.body)
            if looks and len(node.handlers) == 1 and ({looks} | _ALL - {"RuntimeError", "RecursionError"}) & {*caught}:
                return self.block(node.handlers[0].body)
            return End(node)
        needed = _ALL | ({"KeyError", "LookupError"} if end.failure is Failure.KEY else set())
        if end.failure is Failure.KEY and len(node.handlers) == 1 and needed & {*caught}:
            return self.block(node.handlers[0].body)
        return End(node) if needed & {*caught} else end

    def _first_raises(self, body: Sequence[ast.stmt]) -> str:
        """AttributeError, where the block begins with the lookup of a base class, which finds nothing."""
        value = getattr(body[0], "value", None)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _OWN_LOOKUPS:
            unknown = any(base_methods(name) is None for name in self.family.foreign(self.shape))
            return "" if unknown or not self._mentions_name(value) else "AttributeError"
        return ""

    def _mentions_name(self, call: ast.Call) -> bool:
        return any(isinstance(each, ast.Name) and each.id == self.name for each in call.args)

    def _expression(self, node: ast.expr) -> End | None:
        """What runs for sure while `node` is evaluated."""
        if isinstance(node, (ast.Lambda, ast.Constant, ast.Name)):
            return None
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                if (end := self._expression(value)) is not None:
                    return end
                if self._truth(value) is not isinstance(node.op, ast.And):
                    return None
            return None
        if isinstance(node, ast.IfExp):
            known = self._truth(node.test)
            chosen = node.body if known else node.orelse
            return self._expression(node.test) or (self._expression(chosen) if known is not None else None)
        if isinstance(node, COMPREHENSIONS):
            return self._expression(node.generators[0].iter)
        if (end := self._read(node)) is not None:
            return end
        for child in children(node):
            if isinstance(child, ast.expr) and (end := self._expression(child)) is not None:
                return end
            if isinstance(child, ast.keyword) and (end := self._expression(child.value)) is not None:
                return end
        return None

    def _read(self, node: ast.expr) -> End | None:
        """`self.x`, `getattr(self, "x")`, `self.__dict__["x"]` of what is not there, and what methods read."""
        if isinstance(node, ast.Attribute) and self._is_self(node.value):
            return self._attribute(node, node.attr)
        if isinstance(node, ast.Call):
            function, arguments = node.func, node.args
            if dotted(function) == "getattr" and len(arguments) == 2 and self._is_self(arguments[0]):
                wanted = arguments[1]
                return self._attribute(node, str(wanted.value)) if isinstance(wanted, ast.Constant) else None
            if self.items and self._looks_up(node):
                return End(node, Failure.KEY)
            if isinstance(function, ast.Attribute) and self._is_self(function.value):
                return self._method(node, function.attr)
        if isinstance(node, ast.Subscript) and self._is_dict(node.value):
            return End(node, Failure.KEY) if not self._is_self(node.value) or self._is_name(node.slice) else None
        return None

    def _attribute(self, node: ast.expr, attribute: str) -> End | None:
        if attribute not in self.stored or attribute in self.of_class:
            return None
        if attribute in self.asked:
            return End(node, Failure.ENDLESS, attribute)
        if (
            hook := next((each for each in self.family.line(self.shape) if "__getattr__" in each.methods), None)
        ) is None:
            return End(node)
        asked = hook.methods["__getattr__"]
        end = GetattrRun(self.family, hook, asked, (*self.asked, attribute)).block(asked.body)
        return End(node, Failure.ENDLESS, attribute) if end and end.failure is Failure.ENDLESS else End(node)

    def _method(self, node: ast.Call, called: str) -> End | None:
        """What a method of the class does that gets the very name."""
        for each in self.family.line(self.shape):
            method = each.methods.get(called)
            if method is None:
                continue
            arguments = [*method.args.posonlyargs, *method.args.args]
            passed = len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[0].id == self.name
            if method.decorator_list or len(arguments) != 2 or not passed or self.depth >= _DEPTH or node.keywords:
                return None
            if isinstance(method, ast.AsyncFunctionDef) or yields(method.body):
                return None
            inside = GetattrRun(self.family, each, method, self.asked, self.depth + 1)
            inside.stored, inside.of_class, inside.items = self.stored, self.of_class, self.items
            end = inside.block(method.body)
            return end if end is not None and end.failure is not None else None
        return None

    def _looks_up(self, call: ast.Call) -> bool:
        """`dict.__getitem__(self, name)`, `super().__getitem__(name)`, `self.__getitem__(name)`."""
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "__getitem__") or call.keywords:
            return False
        owner, given = ast.unparse(call.func.value), call.args
        if owner == "dict":
            return len(given) == 2 and self._is_self(given[0]) and self._is_name(given[1])
        return owner in ("super()", self.me) and len(given) == 1 and self._is_name(given[0])

    def _is_name(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.name

    def _is_self(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.me

    def _is_dict(self, node: ast.expr) -> bool:
        if self.items and self._is_self(node):
            return True  # which has no item of such a name
        whole = (
            isinstance(node, ast.Call) and dotted(node.func) == "vars" and [*map(self._is_self, node.args)] == [True]
        )
        return whole or (isinstance(node, ast.Attribute) and node.attr == "__dict__" and self._is_self(node.value))

    def _is_none(self, node: ast.expr | None) -> bool:
        """It gives None for sure: nothing, `None`, `self.__dict__.get(name)`."""
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and self._is_dict(node.func.value):
            default = node.args[1:2] or [ast.Constant(None)]
            return node.func.attr == "get" and self._is_none(default[0])
        return False

    def _truth(self, node: ast.expr) -> bool | None:
        """Whether a test of the name, or of what the object has, holds; None where that can't be told."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._truth(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            values = [self._truth(value) for value in node.values]
            decides = isinstance(node.op, ast.Or)
            if decides in values:
                return decides
            return None if None in values else not decides
        if isinstance(node, ast.Constant):
            return bool(node.value)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and self._is_dict(node.comparators[0]):  # it is empty
            return isinstance(node.ops[0], ast.NotIn) if isinstance(node.ops[0], (ast.In, ast.NotIn)) else None
        return self._of_name(node)

    def _of_name(self, node: ast.expr) -> bool | None:
        """The value of a test that is about the name alone."""
        if isinstance(node, ast.Call):
            function, given = node.func, [self._value(each) for each in node.args]
            if isinstance(function, ast.Attribute) and len(given) == 1 and not node.keywords:
                text, part = self._value(function.value), given[0]
                if isinstance(text, str) and isinstance(part, (str, tuple)) and function.attr in _TESTS:
                    return bool(getattr(text, function.attr)(part))
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self._value(node.left), self._value(node.comparators[0])
            test = _COMPARED.get(type(node.ops[0]))
            if left is not None and right is not None and test is not None:
                return test(left, right)
        return None

    def _value(self, node: ast.expr) -> str | tuple[object, ...] | None:
        """The text or the texts that the name, a part of it or a constant is; None for all else."""
        if isinstance(node, ast.Name):
            return self.asked[-1] if node.id == self.name else None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            inner = [self._value(each) for each in node.elts]
            return tuple(inner) if all(isinstance(each, str) for each in inner) else None
        if isinstance(node, ast.Subscript) and isinstance(whole := self._value(node.value), str):
            at = node.slice
            if not isinstance(at, ast.Slice):
                number = _number(at)
                return whole[number] if number is not None and -len(whole) <= number < len(whole) else None
            ends = [_number(end) if end is not None else None for end in (at.lower, at.upper)]
            plain = (
                at.step is None and (at.lower is None) == (ends[0] is None) and (at.upper is None) == (ends[1] is None)
            )
            return whole[ends[0] : ends[1]] if plain else None
        return None


_TESTS = ("startswith", "endswith")
_COMPARED: dict[type[ast.cmpop], Callable[[str | tuple[object, ...], str | tuple[object, ...]], bool]] = {
    ast.Eq: lambda left, right: left == right,
    ast.NotEq: lambda left, right: left != right,
    ast.In: lambda left, right: left in right if isinstance(right, tuple) else str(left) in right,
    ast.NotIn: lambda left, right: left not in right if isinstance(right, tuple) else str(left) not in right,
}


def _number(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, int) else None
