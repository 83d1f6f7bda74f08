"""What is in containers that the code writes out, or fills: `BACKENDS = {"json": json}`, `locks.append(Lock())`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from .file_tree import Scope
from .names import last_name
from .outline import Outline

Stores = Callable[[Outline, ast.Attribute], "list[tuple[Outline, ast.expr]]"]
_PUTS = {"append": 0, "appendleft": 0, "add": 0, "insert": 1, "setdefault": 1}
_COPIES = frozenset(("list", "tuple", "dict", "set", "frozenset", "deque", "OrderedDict", "sorted"))
_PASSING = _COPIES | {"zip", "enumerate", "reversed", "iter", "cycle", "chain"}
_ANY_ORDER = frozenset(("set", "frozenset", "sorted"))
_PASSING_METHODS = frozenset(("values", "items", "copy", "elements"))
_DEPTH = 4  # names and attributes that are followed to the container


class Entry(NamedTuple):
    """`key` None: it may be under any."""

    outline: Outline
    key: object | None
    value: ast.expr


class Put(NamedTuple):
    """A statement or call that puts `value` into a container; `key` where that is a constant."""

    node: ast.AST
    key: object | None
    value: ast.expr


@dataclass(frozen=True)
class Inner:
    """All that is in a container; nothing where that can't be told. `by_key`: walking over it gives keys.

    `through`: the names and attributes that were followed to it.
    """

    entries: tuple[Entry, ...] = ()
    by_key: bool = False
    through: tuple[tuple[Outline, ast.Name | ast.Attribute], ...] = ()

    @cached_property
    def _by_key(self) -> dict[object, list[Entry]]:
        """The entries by their key: what may be under any is in each list, and under None."""
        found: dict[object, list[Entry]] = {each.key: [] for each in self.entries}
        loose = [each for each in self.entries if each.key is None]
        for each in self.entries:
            if each.key is not None:
                found[each.key].append(each)
        for several in found.values():
            several += loose
        return {**found, None: loose}

    def at(self, key: ast.expr) -> list[tuple[Outline, ast.expr]]:
        """What `container[key]` may be."""
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub) and isinstance(key.operand, ast.Constant):
            return [(each.outline, each.value) for each in self.entries]
        wanted = _constant(key)
        found = self.entries if wanted is None else self._by_key.get(wanted, self._by_key[None])
        return [(each.outline, each.value) for each in found]


class Contents:
    """Answers what containers hold; `stores` gives the values of `self.x`."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._names: dict[tuple[Scope, str, ast.expr, int], Inner] = {}
        self._filled: dict[Scope, dict[str, list[Put]]] = {}

    def of(self, outline: Outline, node: ast.expr, depth: int = 0) -> Inner:
        """What the container that `node` names has in it."""
        if depth > _DEPTH:
            return Inner()
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            if any(isinstance(each, ast.Starred) for each in node.elts):
                return Inner()
            return Inner(tuple(Entry(outline, at, each) for at, each in enumerate(node.elts)))
        if isinstance(node, ast.Dict):
            if None in node.keys:
                return Inner()
            pairs = zip(node.keys, node.values, strict=True)
            return Inner(tuple(Entry(outline, _constant(key), value) for key, value in pairs), True)
        if isinstance(node, (ast.ListComp, ast.SetComp)):
            return Inner((Entry(outline, None, node.elt),))
        if isinstance(node, ast.DictComp):
            return Inner((Entry(outline, None, node.value),), True)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):  # `[Lock()] * 2`
            sides = (self.of(outline, side, depth + 1) for side in (node.left, node.right))
            return Inner(tuple(Entry(each.outline, None, each.value) for side in sides for each in side.entries))
        if isinstance(node, ast.Name):
            return self._of_name(outline, node, depth)
        if isinstance(node, ast.Attribute):
            values = self.stores(outline, node) if outline.is_self(node.value) else []
            values = values or values_of_class(outline, node)
            return _through(self.of(*values[0], depth + 1), outline, node) if len(values) == 1 else Inner()
        if isinstance(node, ast.Call):
            return self._of_call(outline, node, depth)
        return Inner()

    def _of_name(self, outline: Outline, node: ast.Name, depth: int) -> Inner:
        scope, bindings = outline.lookup(node, node.id)
        if len(bindings) != 1 or (value := bindings[0].value) is None:
            return Inner()
        known = self._names.get((scope, node.id, value, depth))
        if known is None:
            inner = self.of(outline, value, depth + 1)
            more = tuple(Entry(outline, key, put) for _, key, put in self.filled(outline, node))
            known = _through(replace(inner, entries=(*inner.entries, *more)), outline, node)
            self._names[scope, node.id, value, depth] = known
        return known

    def filled(self, outline: Outline, name: ast.Name) -> list[Put]:
        """What the code that binds a local name puts into it."""
        scope, _ = outline.lookup(name, name.id)
        if scope not in self._filled:
            self._filled[scope] = _puts(outline.own(scope))
        return self._filled[scope].get(name.id, [])

    def _of_call(self, outline: Outline, node: ast.Call, depth: int) -> Inner:
        if isinstance(node.func, ast.Attribute) and not node.args:
            inner = self.of(outline, node.func.value, depth + 1)
            if node.func.attr == "copy":
                return inner
            return replace(inner, by_key=False) if node.func.attr == "values" and inner.by_key else Inner()
        if isinstance(node.func, ast.Name) and node.func.id in _COPIES and len(node.args) == 1 and not node.keywords:
            inner = self.of(outline, node.args[0], depth + 1)
            if node.func.id in _ANY_ORDER:
                inner = replace(inner, entries=tuple(each._replace(key=None) for each in inner.entries))
            return inner if not inner.by_key or node.func.id in ("dict", "OrderedDict") else Inner()
        return Inner()


def is_empty(value: ast.expr) -> bool:
    """A list or dict with nothing in it."""
    if isinstance(value, (ast.List, ast.Set)):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and last_name(value.func) in _COPIES and not (value.args or value.keywords)


def _puts(nodes: list[ast.AST]) -> dict[str, list[Put]]:
    """What statements put into local names."""
    found: dict[str, list[Put]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    found.setdefault(target.value.id, []).append(Put(node, _constant(target.slice), node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS:
            at = _PUTS[node.func.attr]
            if isinstance(node.func.value, ast.Name) and len(node.args) == at + 1:
                found.setdefault(node.func.value.id, []).append(Put(node, None, node.args[at]))
    return found


def _constant(key: ast.expr | None) -> object | None:
    return key.value if isinstance(key, ast.Constant) else None


def _through(inner: Inner, outline: Outline, node: ast.Name | ast.Attribute) -> Inner:
    return replace(inner, through=(*inner.through, (outline, node)))


def values_of_class(outline: Outline, node: ast.Attribute) -> list[tuple[Outline, ast.expr]]:
    """What the body of a class of the same file gives `Job.lock`; and the class around it, `self.lock`."""
    owner: ast.AST | None = None
    if outline.is_self(node.value):
        owner = outline.owner(node)
    elif isinstance(node.value, ast.Name):
        _, bindings = outline.lookup(node.value, node.value.id)
        owner = bindings[0].statement if len(bindings) == 1 else None
    return [
        (outline, item.value)
        for item in (owner.body if isinstance(owner, ast.ClassDef) else ())
        if isinstance(item, (ast.Assign, ast.AnnAssign)) and item.value is not None
        for target in (item.targets if isinstance(item, ast.Assign) else [item.target])
        if isinstance(target, ast.Name) and target.id == node.attr
    ]


def hands_on_parts(value: ast.expr, node: ast.expr, by_key: bool) -> bool:
    """What `value` makes has in it what is in the container `node`: `list(zip(names, locks))`, `locks + more`.

    `by_key`: walking over the container gives keys, as that of a dict does.
    """

    def holds(part: ast.expr) -> bool:
        return hands_on_parts(part, node, by_key)

    def walks(part: ast.expr) -> bool:
        return holds(part) and not (by_key and part is node)

    if value is node:
        return True
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return any(walks(each.value) if isinstance(each, ast.Starred) else holds(each) for each in value.elts)
    if isinstance(value, ast.Dict):
        return any(map(holds, value.values))
    if isinstance(value, ast.BinOp):
        return holds(value.left) or holds(value.right)
    if isinstance(value, ast.IfExp):
        return holds(value.body) or holds(value.orelse)
    if isinstance(value, ast.BoolOp):
        return any(map(holds, value.values))
    if isinstance(value, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        given = value.value if isinstance(value, ast.DictComp) else value.elt
        names = {name for loop in value.generators for name in _given_parts(loop.target, loop.iter, walks)}
        parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
        return any(isinstance(each, ast.Name) and each.id in names for each in parts)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in _PASSING_METHODS and holds(value.func.value)
    if isinstance(value, ast.Call):
        name = last_name(value.func)
        return name in _PASSING and any(map(holds if name in ("dict", "OrderedDict") else walks, value.args))
    return False


def _given_parts(target: ast.expr, walked: ast.expr, walks: Callable[[ast.expr], bool]) -> set[str]:
    """The names of a loop that get what is in the container: `lock` of `for name, lock in zip(names, locks)`."""
    if not walks(walked):
        return set()
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(walked, ast.Call):
        name, parts = last_name(walked.func), target.elts
        plain = isinstance(walked.func, ast.Name) and not any(isinstance(each, ast.Starred) for each in parts)
        given = walked.args
        if plain and name == "zip" and len(parts) == len(given) and not any(map(_is_starred, given)):
            pairs = zip(parts, given, strict=True)
            return {found for part, each in pairs for found in _given_parts(part, each, walks)}
        if plain and name == "enumerate" and len(parts) == 2 and given and not _is_starred(given[0]):
            return _given_parts(parts[1], given[0], walks)
        if isinstance(walked.func, ast.Attribute) and name == "items" and len(parts) == 2:
            target = parts[1]
    return {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}


def _is_starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)
