"""Which parts of an object of a module a piece of code changes or reads: attributes, entries, all of it."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence

from ....nodes import walk, yields
from ....syntax.binding_rules import positional
from ....syntax.callees import FUNCTIONS, Callees, Function, method
from ....syntax.outline import Outline, ValueBinding
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class
from ..data import names
from ..statements import LOG_METHODS
from .other_changes import bound_method, by_library, by_method, by_syntax, changes_view, hands_on, other_names

ITEM = "[]"  # of what is looked up under a name that is not written there, and the function does not ask for first
DRAWN = "next()"  # an iterator or generator goes on: workers do that too, from where it was left
_METHOD = "()"  # of a call like `log.info(...)`: it reads no part that is known
_DEPTH = 2  # functions that an object is passed through, methods that call each other
ADDS = ("append", "appendleft", "extend", "insert", "add")
_SEEDS = ("seed", "setstate", "set_state", "set")
_SETS = ("setattr", "delattr")
_Known = ast.Name | ast.Attribute


class Parts:
    """Answers for one project; "" is all of an object. What `workers` do themselves changes nothing for them.

    The object is known by a name, or by `other.name` of a module that is imported.
    """

    def __init__(self, callees: Callees, workers: Container[Function]) -> None:
        self.callees, self.workers = callees, workers

    def read(self, outline: Outline, node: _Known, function: Function) -> Sequence[str]:
        """Which parts of the object `function` reads by the name `node`."""
        if _looks_up(outline, node, function):
            return (ITEM,)
        key = _key(outline, node)
        call = _method_call(outline, node)
        if call is None or getattr(call.func, "attr", "") in LOG_METHODS:
            return (key,)
        found = self.callees.called(outline, call)
        own = sorted(_of_self(found[0], found[1], ast.Load)) if found is not None else []
        return (_METHOD, *own) if own else (key,)  # `get` of an own class is no `get` of a dict

    def changed(self, outline: Outline, node: _Known, collects: bool, depth: int = 0) -> list[str]:
        """Which parts the use `node` changes.

        `collects`: the object begins empty, so what is put under unknown names is what the program meets, and no
        setting but for who looks it up under such a name.
        """
        whole, above = _chain(outline, node)
        if isinstance(above, ast.Assign) and whole is node and depth < _DEPTH:
            return self._changed_alias(outline, above, node, collects, depth)
        if collects and _is_put(outline, node):
            return [ITEM] if isinstance(getattr(outline.parents[node], "ctx", None), ast.Store) else []
        if not isinstance(getattr(whole, "ctx", None), ast.Load) and whole is not node:
            counts = isinstance(above, ast.AugAssign) and outline.scope(node) in self.workers
            own = by_syntax(node, whole, above)
            more = self.changed_by_method(outline, own) if own is not None else []
            return [DRAWN if counts else _key(outline, node), *more]
        if self._advances(outline, node, whole, above):
            return [DRAWN]
        if depth < _DEPTH and (otherwise := self._changed_otherwise(outline, node, whole, above, depth)):
            return otherwise
        if isinstance(above, ast.Call) and above.func is whole and isinstance(whole, ast.Attribute):
            if whole.value is node and (keys := self.changed_by_method(outline, above)):
                return keys
            if (
                whole.attr in names("changing")
                or (whole.attr in _SEEDS and self._is_seeded(outline, node))
                or (whole.attr in names("filling") and (whole.value is not node or self._is_container(outline, node)))
            ):
                return [DRAWN if whole.attr in ADDS and whole.value is node else _key(outline, node)]
            return []
        if isinstance(above, FUNCTIONS) and whole in above.decorator_list and isinstance(whole, ast.Attribute):
            return self.changed_by_method(outline, ast.Call(whole, [], []))  # `@registry.register`
        if isinstance(above, ast.keyword):
            above = outline.parents[above]
        if not isinstance(above, ast.Call) or whole is not node:
            return []
        if isinstance(above.func, ast.Name) and above.func.id in _SETS and above.args[0] is node:
            return [_text(above.args[1]) if len(above.args) > 1 else ""]
        if isinstance(above.func, ast.Name) and above.func.id == "vars":
            around, call = _chain(outline, above)
            called = isinstance(call, ast.Call) and call.func is around and isinstance(around, ast.Attribute)
            stored = isinstance(around, ast.Subscript) and not isinstance(around.ctx, ast.Load)
            return [""] if stored or (called and getattr(around, "attr", "") in names("changing")) else []
        return self._changed_by(outline, above, node, collects, depth) if depth < _DEPTH else []

    def _changed_alias(
        self, outline: Outline, statement: ast.Assign, node: _Known, collects: bool, depth: int
    ) -> list[str]:
        """What a function changes by a variable of its own: `cfg = CFG; cfg.size = 3`."""
        target = statement.targets[0] if len(statement.targets) == 1 else None
        scope = outline.scope(node)
        if not isinstance(target, ast.Name) or not isinstance(scope, FUNCTIONS) or statement.value is not node:
            return []
        if len(outline.bindings(scope, target.id)) != 1:
            return []
        uses = (use for use in outline.named.get(target.id, ()) if isinstance(use, ast.Name) and use is not target)
        uses = (use for use in uses if outline.lookup(use, target.id)[0] is scope)
        return list(dict.fromkeys(key for use in uses for key in self.changed(outline, use, collects, depth + 1)))

    def changed_result(self, outline: Outline, call: ast.Call) -> list[str]:
        """Which parts of the object that a function returned are changed: `config()["size"] = 3`."""
        whole, above = _chain(outline, call)
        if not isinstance(getattr(whole, "ctx", ast.Load()), ast.Load):
            return [""]
        if isinstance(above, ast.Call) and above.func is whole and isinstance(whole, ast.Attribute):
            return [""] if whole.attr in names("changing") | names("filling") else []
        uses = [use for use, _ in other_names(outline, call, whole=True)]
        return list(dict.fromkeys(key for use in uses for key in self.changed(outline, use, False, 1)))

    def _changed_otherwise(
        self, outline: Outline, node: _Known, whole: ast.AST, above: ast.AST, depth: int
    ) -> list[str]:
        """What its name alone does not show: an operator, a function of a library, another name for a part."""
        bound = self._bound(outline, node)[1]
        made = bound[0].value if len(bound) == 1 else None
        called = bound_method(node, above, made) or by_syntax(node, whole, above)
        if called is not None and (keys := self.changed_by_method(outline, called)):
            return keys
        key = _key(outline, node).replace(_METHOD, "")
        if isinstance(whole, ast.expr) and (by_library(outline, whole) or hands_on(outline, whole, above)):
            return [key]
        is_called = isinstance(above, ast.Call) and above.func is whole
        if is_called and isinstance(above, ast.Call) and isinstance(whole, ast.Attribute):
            own = self.callees.called(outline, above) is not None
            if not own and by_method(outline, whole, made):
                return ["" if whole.value is node else key]
        for use, is_view in other_names(outline, node):
            if (is_view and changes_view(outline, use)) or self.changed(outline, use, False, depth + 1):
                return [key]
        return []

    def _advances(self, outline: Outline, node: _Known, whole: ast.AST, above: ast.AST) -> bool:
        """`next(counter)`, a draw from a generator, `variable.set(value)`: the object has another state afterwards."""
        home, bound = self._bound(outline, node)
        made = bound[0].value if len(bound) == 1 else None
        if not isinstance(made, ast.Call) or not isinstance(above, ast.Call):
            return False
        kind, method = qualified_name(home, made.func), getattr(above.func, "attr", "")
        if isinstance(above.func, ast.Name) and above.func.id == "next":
            found = self.callees.resolver.definition(home, made.func)
            parts = walk(found.node) if found is not None else ()  # an inner one may be what it returns
            makes = any(isinstance(each, FUNCTIONS) and yields(each.body) for each in parts)
            return (kind in names("iterators") or makes) and node in above.args
        if above.func is not whole or not isinstance(whole, ast.Attribute) or whole.value is not node:
            return False
        return kind in names("generators") and bool(made.args) and method not in _SEEDS and not method.startswith("get")

    def _bound(self, outline: Outline, node: _Known) -> tuple[Outline, Sequence[ValueBinding]]:
        """What binds the name, and in which file."""
        if isinstance(node, ast.Name):
            return outline, outline.lookup(node, node.id)[1]
        home = self.callees.resolver.module(outline, node.value)
        return (home, home.bindings(home.module, node.attr)) if home is not None else (outline, ())

    def _is_seeded(self, outline: Outline, node: _Known) -> bool:
        """A generator, or a variable of a context: set to a state of its own."""
        home, bound = self._bound(outline, node)
        made = bound[0].value if len(bound) == 1 else None
        kind = qualified_name(home, made.func) if isinstance(made, ast.Call) else ""
        return kind in names("generators") or kind == "contextvars.ContextVar"

    def _is_container(self, outline: Outline, node: _Known) -> bool:
        """A list, set, dict or the like, not an object of some library, whose `add` may be anything."""
        _, bound = self._bound(outline, node)
        made = bound[0].value if len(bound) == 1 else None
        if isinstance(made, ast.Call):
            return isinstance(made.func, (ast.Name, ast.Attribute)) and ast.unparse(made.func).rpartition(".")[
                2
            ] in names("containers")
        return made is not None or isinstance(bound[0].statement if bound else None, ast.ImportFrom)

    def _changed_by(self, outline: Outline, call: ast.Call, node: _Known, collects: bool, depth: int) -> list[str]:
        """Which parts of that argument a function of the repository changes."""
        called = self.callees.called(outline, call)
        made = self.callees.made_class(outline, call) if called is None else None
        called = self.callees.initialiser(*made) if made is not None else called
        if called is None:
            return []
        other, function, skip = called
        skip = max(skip, int(made is not None))
        own = positional(function)[skip:]
        at = next((index for index, argument in enumerate(call.args) if argument is node), None)
        given = next((word.arg for word in call.keywords if word.value is node), None)
        name = own[at] if at is not None and at < len(own) else given
        uses = [use for use in ast.walk(function) if isinstance(use, ast.Name) and use.id == name]
        keys = [key for use in uses for key in self.changed(other, use, collects, depth + 1)]
        return list(dict.fromkeys((*keys, *(self._changed_as_kept(other, uses) if made is not None else ()))))

    def _changed_as_kept(self, outline: Outline, given: Sequence[ast.Name]) -> Iterator[str]:
        """What methods set on an object that the initialiser keeps: `self.cfg = cfg`, `self.cfg.size = 3`."""
        for use in given:
            statement, owner = outline.parents[use], outline.owner(use)
            targets = statement.targets if isinstance(statement, ast.Assign) and statement.value is use else []
            kept = {each.attr for each in targets if isinstance(each, ast.Attribute) and outline.is_self(each.value)}
            for node in ast.walk(owner) if owner is not None and kept else ():
                held = node.value if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) else None
                by_self = isinstance(held, ast.Attribute) and held.attr in kept and outline.is_self(held.value)
                if by_self and isinstance(node, ast.Attribute) and outline.scope(node) not in self.workers:
                    yield node.attr

    def changed_by_method(self, outline: Outline, call: ast.Call) -> list[str]:
        """The attributes that a method of a class of the repository sets on its object, and no worker does."""
        called = self.callees.called(outline, call)
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
            found.add(node.attr)
    return found


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


def _method_call(outline: Outline, node: _Known) -> ast.Call | None:
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


def _is_put(outline: Outline, node: _Known) -> bool:
    """`settings[name]`, a name that is not written there."""
    above = outline.parents[node]
    return isinstance(above, ast.Subscript) and above.value is node and not isinstance(above.slice, ast.Constant)


def _looks_up(outline: Outline, node: _Known, function: Function) -> bool:
    """`table[name]` in a function that does not ask whether the name is there."""
    above = outline.parents[node]
    if not _is_put(outline, node) or not isinstance(getattr(above, "ctx", None), ast.Load):
        return False
    asks = (each for each in ast.walk(function) if isinstance(each, (ast.Compare, ast.Try)))
    same = ast.dump(node)
    parts = (part for each in asks for part in ast.walk(each) if isinstance(part, type(node)))
    return not any(ast.dump(part) == same for part in parts)


def _key(outline: Outline, node: _Known) -> str:
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
        return "" if above.attr in whole or above.attr in names("changing") | names("filling") else _METHOD
    return ""


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
