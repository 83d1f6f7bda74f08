"""Attributes that whatever opens them before the object is sent closes again: none crosses then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop, Trace
from ....nodes import walk
from ....syntax.binding_rules import LOOPS
from ..classes import FIRST, Method, Shape, Store
from ..family import Family

_ENTRIES = FIRST | {"__enter__"}
_MAX_DEPTH = 8  # methods that call each other


def is_closed_before(family: Family, shape: Shape, store: Store) -> bool:
    """Each method that runs before the object is sent sets the attribute of `store` to None behind each opening."""
    openings = _Openings(family, shape, store.target.attr)
    early = [name for name in sorted(_ENTRIES) if name in family.pre_transfer_methods(shape)]
    return openings.clears and not any(openings.leaves_open(name, 0) for name in early)


def opened_from_outside(family: Family, shape: Shape, store: Store, trace: Trace) -> Hop | None:
    """Where the function that sends the object first runs a method of it which leaves the attribute open."""
    openings = _Openings(family, shape, store.target.attr)
    sent = trace[-1] if trace else None
    outline = family.repo.outline(sent.path) if sent is not None else None
    if sent is None or outline is None:
        return None
    sending = {outline.scope(node) for node in outline.nodes if getattr(node, "lineno", 0) == sent.line}
    elsewhere = family.outside(shape).elsewhere
    for name in dict.fromkeys(name for each in family.hierarchy(shape) for name in each.methods):
        if name not in _ENTRIES and openings.leaves_open(name, 0):
            for where, read in elsewhere.reads(name):
                if where is outline and read.lineno < sent.line and where.scope(read) in sending:
                    return Hop(sent.path, read.lineno, f"`{ast.unparse(read)}` is used before, which opens it")
    return None


class _Openings:
    """Where the classes of one hierarchy open one attribute, and where they close it."""

    def __init__(self, family: Family, shape: Shape, attribute: str) -> None:
        self.attribute = attribute
        self.family, self.hierarchy = family, family.hierarchy(shape)
        self.clears = any(store.clears for each in self.hierarchy for store in each.stores(attribute))
        self._left: dict[Method, bool] = {}

    def leaves_open(self, name: str, depth: int) -> bool:
        """The attribute may be set when a method of this name, or a property, is done; what can't be seen may be."""
        return any(self._left_by(each, each.methods[name], depth) for each in self.hierarchy if name in each.methods)

    def _left_by(self, shape: Shape, method: Method, depth: int) -> bool:
        if method not in self._left:
            self._left[method] = True  # a method that calls itself
            self._left[method] = depth >= _MAX_DEPTH or any(
                not self._is_cleared_after(shape, method, statement, depth)
                for statement in self._opening(shape, method, depth)
            )
        return self._left[method]

    def _opening(self, shape: Shape, method: Method, depth: int) -> Iterator[ast.stmt]:
        for store in shape.stores(self.attribute):
            if store.method is method and not store.clears and not isinstance(store.target.ctx, ast.Del):
                yield store.statement
        for node in walk(method):
            if isinstance(node, ast.Call):
                opens = self._may_open(shape, node, depth)
            else:
                opens = isinstance(node, ast.Attribute) and self._is_opener(shape, node, depth)
            statement = shape.outline.statement(node) if opens else None
            if isinstance(statement, ast.stmt):
                yield statement

    def _is_opener(self, shape: Shape, node: ast.Attribute, depth: int) -> bool:
        """`self.open` or a property that opens it."""
        known = isinstance(node.ctx, ast.Load) and shape.outline.is_self(node.value)
        return known and self.leaves_open(node.attr, depth + 1)

    def _may_open(self, shape: Shape, call: ast.Call, depth: int) -> bool:
        """`super().__init__()` where that opens it; `len(self)`, `read_all(self)`: it can't be seen what runs there."""
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).startswith("super("):
            name, above = call.func.attr, [each for each in self.family.line(shape) if each is not shape]
            return any(self._left_by(each, each.methods[name], depth + 1) for each in above if name in each.methods)
        return any(shape.outline.is_self(argument) for argument in call.args)

    def _is_cleared_after(self, shape: Shape, method: Method, statement: ast.stmt, depth: int) -> bool:
        """Whatever way leads from the statement out of its method, it sets the attribute to None or deletes it."""
        while statement is not method:
            block, above = shape.block(statement), shape.outline.parents[statement]
            tried = isinstance(above, ast.Try) and block is above.body and not all(map(_raises, above.handlers))
            for later in block[block.index(statement) + 1 :] if statement in block and not tried else ():
                if self._clears(shape, later, depth):
                    return True
                if _may_leave(later):
                    return False
            if isinstance(above, ast.Try) and self._all_clear(shape, above.finalbody, depth):
                return True
            if isinstance(above, ast.ExceptHandler) or not isinstance(above, ast.stmt) or (tried and _may_leave(above)):
                return False
            statement = above
        return False

    def _all_clear(self, shape: Shape, block: list[ast.stmt], depth: int) -> bool:
        return any(self._clears(shape, statement, depth) for statement in block)

    def _clears(self, shape: Shape, statement: ast.stmt, depth: int) -> bool:
        """The attribute is None, or gone, behind it; or what the statement opens, which is looked at by itself."""
        if isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call):
            function = call.func
            if not isinstance(function, ast.Attribute) or not shape.outline.is_self(function.value):
                return False
            methods = [(each, each.methods[function.attr]) for each in self.hierarchy if function.attr in each.methods]
            return (
                bool(methods)
                and depth < _MAX_DEPTH
                and all(self._ends_clear(each, method, depth + 1) for each, method in methods)
            )
        if isinstance(statement, ast.If):
            asked = ast.unparse(statement.test) in (f"self.{self.attribute} is not None", f"self.{self.attribute}")
            other = asked or self._all_clear(shape, statement.orelse, depth)
            return other and self._all_clear(shape, statement.body, depth)
        return any(store.statement is statement for store in shape.stores(self.attribute))

    def _ends_clear(self, shape: Shape, method: Method, depth: int) -> bool:
        """The method sets it to None, and does nothing else behind that."""
        for statement in method.body:
            if self._clears(shape, statement, depth):
                behind = method.body[method.body.index(statement) + 1 :]
                opening = list(self._opening(shape, method, depth))
                return not any(inner in opening for later in behind for inner in ast.walk(later))
            if _may_leave(statement):
                return False
        return False


def _raises(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.body[-1], ast.Raise)


def _may_leave(statement: ast.stmt, looped: bool = False) -> bool:
    """It may return, or go on with another round of a loop around it."""
    if isinstance(statement, ast.Return) or (isinstance(statement, (ast.Break, ast.Continue)) and not looped):
        return True
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    looped = looped or isinstance(statement, LOOPS)
    return any(
        _may_leave(inner, looped)
        for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(part, name, []), list)
        for inner in block
        if isinstance(inner, ast.stmt)
    )
