"""Which parts of an object of a module a piece of code changes or reads: attributes, entries, all of it."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from ....nodes import walk, yields
from ....syntax.callees import FUNCTIONS, Callees, Function, method
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class
from ..data import names
from ..statements import LOG_METHODS
from .lookups import is_entry, looks_up, takes_by_get
from .other_changes import (
    bound_method,
    by_function,
    by_method,
    by_syntax,
    changes_view,
    goes_over,
    hands_on,
    may_be_called,
    other_names,
)
from .same_values import SameValues

ITEM = "[]"  # of what is looked up under a name that is not written there, and the function does not ask for first
DRAWN = "next()"  # an iterator or generator goes on: workers do that too, from where it was left
OWN_METHOD = "()"  # of a call like `log.info(...)`: it reads no part that is known
_DEPTH = 2  # functions that an object is passed through, methods that call each other
ADDS = ("append", "appendleft", "extend", "insert", "add")
_TAKES_DRAWS = ("generator", "rng", "random_state")
_PROPERTIES = ("property", "cached_property", "lazy_property")
_SEEDS = ("seed", "setstate", "set_state", "set")
_Made = tuple[Outline, ast.expr] | None  # what makes an object, and in which file


class Use(NamedTuple):
    """An expression for an object."""

    outline: Outline
    node: ast.expr
    made: _Made


class Parts:
    """Answers for one project; "" is all of an object. What `workers` do themselves changes nothing for them."""

    def __init__(self, callees: Callees, workers: Container[Function]) -> None:
        self.callees, self.workers, self.same = callees, workers, SameValues(callees)

    def read(self, outline: Outline, node: ast.expr, function: Function) -> Sequence[str]:
        """Which parts of the object `function` reads by the name `node`."""
        if looks_up(outline, node, function):
            return (ITEM,)
        key = _key(outline, node)
        call = _method_call(outline, node)
        if call is None:
            taken = self._read_of_argument(outline, node) if not key else None
            return taken if taken is not None else (key, *self._behind(outline, node, key))
        if getattr(call.func, "attr", "") in LOG_METHODS:
            return (key,)
        found = self.callees.called(outline, call)
        own = sorted(_of_self(found[0], found[1], ast.Load)) if found is not None else []
        if found is None and not key and takes_by_get(outline, call, function):
            return (ITEM,)
        return (OWN_METHOD, *own) if own else (key,)  # `get` of an own class is no `get` of a dict

    def _read_of_argument(self, outline: Outline, node: ast.expr) -> list[str] | None:
        """What a function of the repository reads of the object that it is passed; None where that is not seen."""
        if not self._is_passed(outline, node):
            return None
        uses = self.same.of(outline, node)
        keys = [_key(same.outline, same.node) for same in uses if not self._is_passed(same.outline, same.node)]
        return sorted(set(keys)) if keys and all(key.isidentifier() for key in keys) else None

    def _is_passed(self, outline: Outline, node: ast.expr) -> bool:
        """An argument of a call of a function of the repository."""
        above = outline.parents[node]
        call = outline.parents[above] if isinstance(above, ast.keyword) else above
        is_argument = isinstance(call, ast.Call) and node is not call.func
        return isinstance(call, ast.Call) and is_argument and self.same.function(outline, call) is not None

    def _behind(self, outline: Outline, node: ast.expr, key: str) -> list[str]:
        """What the property of that name reads, where the object is of a class of the repository that has one.

        Else what the class's `__getattr__` reads, or its `__getitem__` for an entry.
        """
        where, made = (self._made(outline, node) if key else None) or (outline, None)
        cls = self.callees.made_class(where, made) if isinstance(made, ast.Call) else None
        if cls is None:
            return []
        found = self.callees.method_of(Class(*cls), key)
        if found is not None and not any(last_name(mark) in _PROPERTIES for mark in found[1].decorator_list):
            return []
        if found is None:
            by_name = isinstance(outline.parents[node], ast.Attribute)
            found = self.callees.method_of(Class(*cls), "__getattr__" if by_name else "__getitem__")
        return sorted(_of_self(*found, ast.Load)) if found is not None else []

    def changes(
        self, outline: Outline, node: ast.expr, collects: bool, made: _Made = None
    ) -> Iterator[tuple[Outline, ast.expr, str]]:
        """Where the object that `node` stands for is changed, there or by another expression for it, and which parts.

        `collects`: the object begins empty, so what is put under unknown names is what the program meets, and no
        setting but for who looks it up under such a name.
        """
        made = made or self._made(outline, node)
        for key in self._changed(Use(outline, node, made), collects):
            yield outline, node, key
        for same in self.same.of(outline, node):
            where, at = same.at or (same.outline, same.node)
            for key in self._changed(Use(same.outline, same.node, made), collects):
                yield where, at, key

    def changed(self, outline: Outline, node: ast.expr) -> bool:
        """The object, or a part of it, is changed there or by another expression for it."""
        return next(self.changes(outline, node, False), None) is not None

    def changed_here(self, outline: Outline, node: ast.expr) -> list[str]:
        """Which parts of the object the expression that `node` stands in changes."""
        return self._changed(Use(outline, node, self._made(outline, node)), False)

    def _changed(self, use: Use, collects: bool, depth: int = 0) -> list[str]:
        """Which parts the use itself changes."""
        outline, node, _ = use
        whole, above = _chain(outline, node)
        if collects and is_entry(outline, node) and not _is_merged(outline, node):
            return [ITEM] if isinstance(getattr(outline.parents[node], "ctx", None), ast.Store) else []
        if isinstance(above, ast.AugAssign) and above.target is node:
            return [DRAWN] if self._is_container(use) else []
        if not isinstance(getattr(whole, "ctx", ast.Load()), ast.Load) and whole is not node:
            counts = isinstance(above, ast.AugAssign) and outline.scope(node) in self.workers
            own = by_syntax(node, whole, above)
            more = self.changed_by_method(outline, own, use.made) if own is not None else []
            return [DRAWN if counts else _key(outline, node), *more]
        if self._advances(use, whole, above):
            return [DRAWN]
        if isinstance(whole, ast.Attribute) and whole.value is node and whole is not getattr(above, "func", None):
            own = ast.Call(whole, [], [])  # `step = settings.grow`, `@registry.register`
            keys = self.changed_by_method(outline, own, use.made)
            if keys and self._is_handed_on(outline, whole):
                return keys
        if depth < _DEPTH and (otherwise := self._changed_otherwise(use, whole, above, depth)):
            return otherwise
        if isinstance(above, ast.Call) and above.func is whole and isinstance(whole, ast.Attribute):
            if whole.value is node and (keys := self.changed_by_method(outline, above, use.made)):
                return keys
            if (
                whole.attr in names("changing")
                or (whole.attr in _SEEDS and self._is_seeded(use))
                or (whole.attr in names("filling") and (whole.value is not node or self._is_container(use)))
            ):
                return [DRAWN if whole.attr in ADDS and whole.value is node else _key(outline, node)]
            return []
        return []

    def _changed_otherwise(self, use: Use, whole: ast.AST, above: ast.AST, depth: int) -> list[str]:
        """What its name alone does not show: an operator, a function of a library, another name for a part."""
        outline, node, made = use
        value = made[1] if made is not None else None
        own = self._made(outline, node) if whole is node else None  # of `note = log.note`, where `log` is the object
        called = bound_method(node, above, own[1] if own is not None else None) or by_syntax(node, whole, above)
        if called is not None and (keys := self.changed_by_method(outline, called, made)):
            return keys
        key = _key(outline, node).replace(OWN_METHOD, "")
        if isinstance(whole, ast.expr) and (part := by_function(outline, whole)) is not None:
            return [part if whole is node else key]
        if isinstance(whole, ast.Attribute) and hands_on(whole, above) and self._is_handed_on(outline, whole):
            return ["" if whole.value is node else key]
        is_called = isinstance(above, ast.Call) and above.func is whole
        if is_called and isinstance(above, ast.Call) and isinstance(whole, ast.Attribute):
            is_own = self.callees.called(outline, above) is not None
            if not is_own and by_method(outline, whole, value):
                return ["" if whole.value is node else key]
        if isinstance(whole, ast.expr) and whole is not node and self._changed_as_part(outline, whole, depth):
            return [key]
        for name, is_view in other_names(outline, node):
            use = Use(outline, name, self._made(outline, name))
            if (is_view and changes_view(outline, name)) or self._changed(use, False, depth + 1):
                return [key]
        return []

    def _is_handed_on(self, outline: Outline, method: ast.Attribute) -> bool:
        """What stands for the method is called somewhere, or goes to who may call it."""
        every = ((outline, method), *((same.outline, same.node) for same in self.same.of(outline, method)))
        return any(may_be_called(where.parents[node]) for where, node in every)

    def _changed_as_part(self, outline: Outline, whole: ast.expr, depth: int) -> bool:
        """Other expressions for a part of the object change it: `fill(settings.rows)`."""
        return any(
            self._changed(Use(same.outline, same.node, (outline, whole)), False, depth + 1)
            for same in self.same.of(outline, whole)
        )

    def _advances(self, use: Use, whole: ast.AST, above: ast.AST) -> bool:
        """The object has another state afterwards: `next(counter)`, `for each in counter`, a draw, `value.set(3)`."""
        node, (home, made) = use.node, use.made or (use.outline, None)
        if not isinstance(made, ast.Call):
            return False
        kind, is_seeded = _generator(home, made)
        if isinstance(above, ast.keyword):  # `torch.rand(3, generator=rng)`
            return kind in names("generators") and is_seeded and above.arg in _TAKES_DRAWS
        if goes_over(node, above):
            found = self.callees.resolver.definition(home, made.func)
            parts = walk(found.node) if found is not None else ()  # an inner one may be what it returns
            return kind in names("iterators") or any(
                isinstance(each, FUNCTIONS) and yields(each.body) for each in parts
            )
        if not isinstance(above, ast.Call) or above.func is not whole or not isinstance(whole, ast.Attribute):
            return False
        draws = whole.value is node and whole.attr not in _SEEDS and not whole.attr.startswith("get")
        return draws and kind in names("generators") and is_seeded

    def _made(self, outline: Outline, node: ast.expr) -> _Made:
        """What makes the object, and in which file."""
        if isinstance(node, ast.Name):
            bound = outline.lookup(node, node.id)[1]
            value = bound[0].value if len(bound) == 1 else None
            if value is not None:
                return outline, value
        found = self.callees.resolver.bound_by(outline, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        return (found[0], found[2].value) if found is not None and found[2].value is not None else None

    def _is_seeded(self, use: Use) -> bool:
        """A generator, or a variable of a context: set to a state of its own."""
        home, made = use.made or (use.outline, None)
        kind = qualified_name(home, made.func) if isinstance(made, ast.Call) else ""
        return kind in names("generators") or kind == "contextvars.ContextVar"

    def _is_container(self, use: Use) -> bool:
        """A list, set, dict or the like, not an object of some library, whose `add` may be anything."""
        made = use.made[1] if use.made is not None else None
        if isinstance(made, ast.Call):
            is_named = isinstance(made.func, (ast.Name, ast.Attribute))
            return is_named and ast.unparse(made.func).rpartition(".")[2] in names("containers")
        return made is not None

    def changed_by_method(self, outline: Outline, call: ast.Call, made: _Made = None) -> list[str]:
        """The attributes that a method of a class of the repository sets on its object, and no worker does.

        `made`: what makes the object, where the call itself does not show its class.
        """
        called: tuple[Outline, Function] | None = None
        if (found := self.callees.called(outline, call)) is not None:
            called = found[:2]
        elif made is not None and isinstance(made[1], ast.Call) and isinstance(call.func, ast.Attribute):
            cls = self.callees.made_class(made[0], made[1])
            called = self.callees.method_of(Class(*cls), call.func.attr) if cls is not None else None
        owner = called[0].owner(called[1].body[0]) if called is not None else None
        if called is None or owner is None:
            return []
        if called[1] in self.workers:
            targets = (each.target for each in walk(called[1]) if isinstance(each, ast.AugAssign))
            counted = {each.attr for each in targets if isinstance(each, ast.Attribute)}
            return [DRAWN] if counted & _of_self(called[0], called[1], ast.Load) else []
        lineage = self.callees.resolver.lineage(Class(called[0], owner))
        others = [(at.outline, each) for at in lineage for each in at.node.body if isinstance(each, ast.FunctionDef)]
        by_workers = {name for where, each in others if each in self.workers for name in _set_on_self(where, each)}
        return sorted(_set_on_self(called[0], called[1]) - by_workers)


def _generator(home: Outline, made: ast.Call) -> tuple[str, bool]:
    """What is made, and whether it gets a seed: `random.Random(3)`, `torch.Generator().manual_seed(3)`."""
    func = made.func
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and func.attr == "manual_seed":
        func = func.value.func
    return qualified_name(home, func), bool(made.args)


def fills(outline: Outline, node: ast.expr) -> bool:
    """`node[name] = value`, `node.append(value)`."""
    whole, above = _chain(outline, node)
    if isinstance(whole, ast.Subscript):
        return not isinstance(whole.ctx, ast.Load)
    is_called = isinstance(above, ast.Call) and above.func is whole and isinstance(whole, ast.Attribute)
    return is_called and whole is not node and getattr(whole, "attr", "") in names("filling")


def _set_on_self(outline: Outline, function: Function, depth: int = 0) -> set[str]:
    """The attributes of `self` that a method sets or fills, itself or by other methods of its class."""
    found = _of_self(outline, function, (ast.Store, ast.Del), depth)
    for node in walk(function):
        if isinstance(node, ast.Attribute) and outline.is_self(node.value) and fills(outline, node):
            found.add("" if node.attr == "__dict__" else node.attr)
        elif isinstance(node, ast.Subscript) and outline.is_self(node.value) and not isinstance(node.ctx, ast.Load):
            found.add(_text(node.slice))  # of a class of dicts
        elif isinstance(node, ast.Call) and last_name(node.func) == "setattr":
            found |= {_text(node.args[1])} if len(node.args) > 1 and outline.is_self(node.args[0]) else set()
    return found


def _text(node: ast.expr) -> str:
    """The name that is written there; "" for any."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _of_self(outline: Outline, function: Function, how: type | tuple[type, ...], depth: int = 0) -> set[str]:
    """The attributes of `self` that a method loads, or stores, itself or by other methods of its class."""
    found: set[str] = set()
    owner = outline.owner(function.body[0])
    for node in walk(function):
        if isinstance(node, ast.Attribute) and outline.is_self(node.value):
            called = method(owner, node.attr) if owner is not None and isinstance(node.ctx, ast.Load) else None
            if called is not None and called is not function and depth < _DEPTH:
                found |= _of_self(outline, called, how, depth + 1)
            elif isinstance(node.ctx, how):
                found.add(node.attr)
    return found


def _method_call(outline: Outline, node: ast.expr) -> ast.Call | None:
    """`settings.method(...)` around the name."""
    above = outline.parents[node]
    call = outline.parents[above] if isinstance(above, ast.Attribute) and above.value is node else None
    return call if isinstance(call, ast.Call) and call.func is above else None


def _chain(outline: Outline, node: ast.AST) -> tuple[ast.AST, ast.AST]:
    """`settings.a["b"].c` around a name, and what that stands in."""
    above = outline.parents[node]
    while isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is node:
        node, above = above, outline.parents[above]
    return node, above


def _is_merged(outline: Outline, node: ast.expr) -> bool:
    """`for key, value in loaded.items(): settings[key] = value` does what `settings.update(loaded)` does."""
    above = outline.parents[node]
    key = above.slice if isinstance(above, ast.Subscript) else None
    for loop in outline.ancestors(node):
        if isinstance(loop, FUNCTIONS):
            break
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Tuple) and isinstance(loop.iter, ast.Call):
            first = loop.target.elts[0]
            named = isinstance(first, ast.Name) and isinstance(key, ast.Name) and first.id == key.id
            return named and last_name(loop.iter.func) == "items"
    return False


def _key(outline: Outline, node: ast.expr) -> str:
    """Which part of the object a use is about; "" for all of it."""
    above = outline.parents[node]
    if isinstance(above, ast.Subscript) and above.value is node:
        return str(above.slice.value) if isinstance(above.slice, ast.Constant) else ""
    if isinstance(above, ast.Attribute):
        call = outline.parents[above]
        if not (isinstance(call, ast.Call) and call.func is above):
            return above.attr if above.attr != "__dict__" else ""
        first = call.args[0] if call.args else None
        if above.attr in ("get", "setdefault", "set_hparam") and isinstance(first, ast.Constant):
            return str(first.value)
        whole = ("get", "items", "values", "copy")
        return "" if above.attr in whole or above.attr in names("changing") | names("filling") else OWN_METHOD
    return ""
