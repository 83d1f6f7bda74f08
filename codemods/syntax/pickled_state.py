"""What a class says of how its objects are pickled: which attributes its `__getstate__` leaves out, or replaces.

`del state["lock"]`, `state["lock"] = None`, a dict that is written out, and tests that are evaluated for the attribute
at hand: `{k: v for k, v in vars(self).items() if k[0] != "_" and not isinstance(v, IOBase)}`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from ..nodes import children, walk
from .names import last_name
from .outline import Outline

Method = ast.FunctionDef | ast.AsyncFunctionDef
Constant = Callable[[ast.expr], ast.expr | None]
OfType = Callable[[list[ast.expr]], "bool | None"]
_DICTS = frozenset(("dict", "OrderedDict"))
_COPIES = _DICTS | frozenset(("list", "tuple", "set", "sorted", "copy", "deepcopy"))
_VIEWS = frozenset(("items", "keys", "copy"))
_LEAVES = (ast.Continue, ast.Break, ast.Return, ast.Raise)
_LITERALS = (ast.Tuple, ast.List, ast.Set)


class StateFilter:
    """What one `__getstate__` does to the attributes that it goes over.

    `constant`: the value of a constant of the class or the module.
    """

    def __init__(self, method: Method, constant: Constant) -> None:
        self._method, self._constant = method, constant
        self._nodes = [node for statement in method.body for node in walk(statement)]
        self._of_type: OfType = _unknown
        self._values: dict[str, list[ast.expr]] = {}
        given = (node.value for node in self._nodes if isinstance(node, ast.Return))
        self._returned = {value.id for value in given if isinstance(value, ast.Name)}
        for node in self._nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in (each for each in targets if isinstance(each, ast.Name)):
                    self._values.setdefault(target.id, []).append(node.value)

    def leaves_out(self, key: str, of_type: OfType | None = None) -> bool | None:
        """It leaves `key` out by a test; None where that can't be said.

        `of_type`: whether what the attribute keeps is of one of the classes that these expressions name.
        """
        self._of_type = of_type or _unknown
        return _any(self._taken_out(key))

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        """By node of the method the one above it."""
        return {below: node for node in (self._method, *self._nodes) for below in children(node)}

    def _ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node is not self._method:
            node = self._parents[node]
            yield node

    def _taken_out(self, key: str) -> Iterator[bool | None]:
        """Whether `key` is left out, for each place where some may be."""
        puts: dict[str, list[bool | None]] = {}  # by the variable of a dict that is empty at first
        for node in self._nodes:
            if (pairs := self._pairs(node)) is not None:
                loop, name, value = pairs
                if loop.ifs or not isinstance(value, ast.Name):
                    yield self._not_taken(loop, name, value, key)
            elif isinstance(node, ast.Call):
                if last_name(node.func) == "pop" and isinstance(node.func, ast.Attribute) and node.args:
                    yield from self._removed(node, node.func.value, node.args[0], key)
                elif self._passes_state(node):
                    yield None
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del):
                yield from self._removed(node, node.value, node.slice, key)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                statement = next(above for above in self._ancestors(node) if isinstance(above, ast.stmt))
                value = statement.value if isinstance(statement, ast.Assign) else node
                found = list(self._removed(node, node.value, node.slice, key))
                plain = isinstance(value, ast.Name) or self._is_item(value, node.slice)
                if isinstance(node.value, ast.Name) and self._is_filled(node.value.id):
                    puts.setdefault(node.value.id, []).extend(
                        each if plain or each is False else None for each in found
                    )
                elif not plain:
                    yield from (each if isinstance(value, ast.Constant) or each is False else None for each in found)
        yield from (_not(_any(found)) for found in puts.values() if found)

    # what the state is

    def _is_state(self, node: ast.expr, depth: int = 4) -> bool:
        """The dict of all attributes, a copy of it, or its names or items."""
        match node:
            case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name("vars") | ast.Attribute(attr="__getstate__")):
                return True
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[]) if name in _VIEWS:
                return self._is_state(value, depth)
            case ast.Call(func=function, args=[value]) if last_name(function) in _COPIES:
                return self._is_state(value, depth)
            case ast.Dict(keys=[None, *_], values=[value, *_]):
                return self._is_state(value, depth)
            case ast.Name(name):
                return depth > 0 and any(self._is_state(each, depth - 1) for each in self._values.get(name, ()))
            case ast.DictComp(generators=[loop]):
                return self._is_state(loop.iter, depth)
        return False

    def _is_filled(self, name: str) -> bool:
        return [ast.unparse(value) for value in self._values.get(name, ())] in (["{}"], ["dict()"])

    def _pairs(self, node: ast.AST) -> tuple[ast.comprehension, ast.expr, ast.expr] | None:
        """The loop of a comprehension that gives a dict of attributes, and what it makes of each."""
        match node:
            case ast.DictComp(key=key, value=value, generators=[loop]):
                return (loop, key, value) if self._is_state(loop.iter) else None
            case ast.Call(func=function, args=[ast.ListComp() | ast.GeneratorExp() as inner]) if (
                last_name(function) in _DICTS and len(inner.generators) == 1 and isinstance(inner.elt, ast.Tuple)
            ):
                loop, parts = inner.generators[0], inner.elt.elts
                return (loop, parts[0], parts[1]) if len(parts) == 2 and self._is_state(loop.iter) else None
        return None

    def _passes_state(self, call: ast.Call) -> bool:
        """`state = without_handles(vars(self))`."""
        above = self._parents[call]
        named = {getattr(each, "id", "") for each in above.targets} if isinstance(above, ast.Assign) else set[str]()
        taken = isinstance(above, ast.Return) or not named.isdisjoint(self._returned)
        taken = taken or (isinstance(above, ast.Call) and last_name(above.func) in _DICTS)
        return taken and last_name(call.func) not in (*_COPIES, "vars") and any(map(self._is_state, call.args))

    # which are left out

    def _not_taken(self, loop: ast.comprehension, name: ast.expr, value: ast.expr, key: str) -> bool | None:
        names = _key_names(loop.target, loop.iter)
        kept = _all(self._holds(test, names, key) for test in loop.ifs)
        if kept is False or not isinstance(name, ast.Name) or name.id not in names:
            return True if kept is False else None
        if isinstance(value, ast.IfExp):
            chosen = self._holds(value.test, names, key)
            value = value.body if chosen else value.orelse if chosen is False else value
        if isinstance(value, ast.Constant):
            return True
        return _not(kept) if isinstance(value, ast.Name) or self._is_item(value, name) else None

    def _is_item(self, value: ast.AST, name: ast.expr) -> bool:
        """`state[name]`, `getattr(self, name)`."""
        if isinstance(value, ast.Subscript):
            return self._is_state(value.value) and ast.unparse(value.slice) == ast.unparse(name)
        gets = isinstance(value, ast.Call) and last_name(value.func) in ("getattr", "get")
        return gets and any(ast.unparse(part) == ast.unparse(name) for part in getattr(value, "args", ()))

    def _removed(self, node: ast.expr, state: ast.expr, which: ast.expr, key: str) -> Iterator[bool | None]:
        """`del state[which]`; nothing where that is written there, or is in a table that is."""
        name = state.id if isinstance(state, ast.Name) else ""
        if isinstance(which, ast.Constant) or not (self._is_state(state) or self._is_filled(name)):
            return
        around = [above for above in self._ancestors(node) if isinstance(above, ast.For)]
        for loop in around:
            names = _key_names(loop.target, loop.iter)
            if isinstance(which, ast.Name) and which.id in names:
                if self._texts(loop.iter) is None:
                    yield _all([self._goes_over(loop.iter, key), self._comes_to(node, names, key)])
                return
        yield None

    def _texts(self, node: ast.expr | None, depth: int = 4) -> frozenset[str] | None:
        """The texts that are written in a tuple, list or set, or in what a name stands for."""
        if isinstance(node, _LITERALS):
            texts = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            return frozenset(texts) if len(texts) == len(node.elts) else None
        if node is None or not depth:
            return None
        if isinstance(node, ast.Call):
            copies = last_name(node.func) in ("frozenset", *_COPIES) and len(node.args) == 1
            return self._texts(node.args[0], depth - 1) if copies else None
        if isinstance(node, ast.Name) and node.id in self._values:
            values = self._values[node.id]
            return self._texts(values[0], depth - 1) if len(values) == 1 else None
        return self._texts(self._constant(node), depth - 1)

    def _goes_over(self, node: ast.expr, key: str, depth: int = 4) -> bool | None:
        """What a loop goes over has `key` in it, for which it is not known to be no attribute."""
        if self._is_state(node):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) in _COPIES and len(node.args) == 1:
            return self._goes_over(node.args[0], key, depth)
        if isinstance(node, ast.Name) and len(values := self._values.get(node.id, [])) == 1 and depth:
            return self._goes_over(values[0], key, depth - 1)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and len(node.generators) == 1:
            loop = node.generators[0]
            names = _key_names(loop.target, loop.iter)
            if isinstance(node.elt, ast.Name) and node.elt.id in names:
                tests = (self._holds(test, names, key) for test in loop.ifs)
                return _all([self._goes_over(loop.iter, key, depth), *tests])
        return None

    def _comes_to(self, node: ast.AST, names: Iterable[str], key: str) -> bool | None:
        """The tests around `node`, and those above it that go on to the next name, let `key` come there."""
        found: list[bool | None] = []
        inside = node
        for above in self._ancestors(node):
            blocks = [getattr(above, part, None) for part in ("body", "orelse", "finalbody")]
            block = next((each for each in blocks if isinstance(each, list) and inside in each), [])
            if isinstance(above, ast.If) and block:
                held = self._holds(above.test, names, key)
                found.append(held if block is above.body else _not(held))
            elif isinstance(above, ast.ExceptHandler):
                found.append(None)
            for before in block[: block.index(inside)] if block else ():
                if any(isinstance(each, _LEAVES) for each in ast.walk(before)):
                    decides = isinstance(before, ast.If) and not before.orelse and isinstance(before.body[-1], _LEAVES)
                    found.append(_not(self._holds(before.test, names, key)) if decides else None)
            if above is self._method:
                break
            inside = above
        return _all(found)

    def _holds(self, test: ast.expr, names: Iterable[str], key: str) -> bool | None:
        """What a test says of `key`, for which `names` stand."""
        if isinstance(test, ast.BoolOp):
            held = [self._holds(part, names, key) for part in test.values]
            return _all(held) if isinstance(test.op, ast.And) else _any(held)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return _not(self._holds(test.operand, names, key))
        match test:
            case ast.Call(func=ast.Name("isinstance"), args=[value, named]) if self._is_value(value, names):
                return self._of_type(named.elts if isinstance(named, ast.Tuple) else [named])
            case ast.Compare(left=left, ops=[how], comparators=[right]):
                return _compared(how, self._text(left, names, key), self._text(right, names, key))
            case ast.Call(func=ast.Attribute(value=of, attr="startswith" | "endswith" as end), args=[given]):
                text, ends = self._text(of, names, key), self._text(given, names, key)
                if isinstance(text, str) and ends is not None:
                    parts = (ends,) if isinstance(ends, str) else tuple(ends)
                    return text.startswith(parts) if end == "startswith" else text.endswith(parts)
        return None

    def _is_value(self, node: ast.expr, names: Iterable[str]) -> bool:
        """What the attribute keeps, for whose name `names` stand: `value` of the same loop, `state[name]`."""
        if isinstance(node, ast.Name):
            return any(node.id == value and name in names for name, value in self._pairs_of_loops)
        return any(self._is_item(node, ast.Name(name)) for name in names)

    @cached_property
    def _pairs_of_loops(self) -> list[tuple[str, str]]:
        """The two variables of each loop over names and values."""
        found: list[tuple[str, str]] = []
        for node in self._nodes:
            match getattr(node, "target", None):
                case ast.Tuple(elts=[ast.Name(name), ast.Name(value)]):
                    found.append((name, value))
        return found

    def _text(self, node: ast.expr, names: Iterable[str], key: str) -> str | frozenset[str] | None:
        match node:
            case ast.Constant(str(text)):
                return text
            case ast.Name(name) if name in names:
                return key
            case ast.Subscript(value=ast.Name(name), slice=ast.Constant(int(at))) if name in names:
                return key[at : at + 1 or None]
            case ast.Subscript(
                value=ast.Name(name), slice=ast.Slice(lower=None, upper=ast.Constant(int(at)), step=None)
            ):
                return key[:at] if name in names else None
        return self._texts(node)


def _key_names(target: ast.expr, over: ast.expr) -> frozenset[str]:
    """The variables of a loop that stand for names of attributes."""
    pairs = ".items()" in ast.unparse(over)
    named = target.elts[0] if isinstance(target, ast.Tuple) and target.elts and pairs else target
    if pairs and named is target:
        return frozenset()
    return frozenset({named.id}) if isinstance(named, ast.Name) else frozenset()


def _compared(how: ast.cmpop, one: str | frozenset[str] | None, other: str | frozenset[str] | None) -> bool | None:
    if not isinstance(one, str) or other is None:
        return None
    if isinstance(how, (ast.Eq, ast.NotEq)):
        return (one == other) is isinstance(how, ast.Eq) if isinstance(other, str) else None
    return (one in other) is isinstance(how, ast.In) if isinstance(how, (ast.In, ast.NotIn)) else None


def _not(held: bool | None) -> bool | None:
    return None if held is None else not held


def _all(parts: Iterable[bool | None]) -> bool | None:
    known = list(parts)
    return False if False in known else None if None in known else True


def _any(parts: Iterable[bool | None]) -> bool | None:
    return _not(_all(map(_not, parts)))


def _unknown(_: list[ast.expr]) -> bool | None:
    return None


# what is written there by its name


def takes_all(method: Method | ast.stmt) -> bool:
    """The state that it gives, or a statement takes, has all attributes: by `__dict__`, `vars(self)` or `super()`."""
    for node in walk(method):
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return True
        if isinstance(node, ast.Name) and node.id in ("vars", "super"):
            return True
    return False


def named_by(outline: Outline, method: Method, classes: Iterable[ast.ClassDef]) -> set[str]:
    """The texts that a method names, or reads in a table: `for name in self.per_process`.

    `classes`: the class of the objects and its base classes, nearest first.
    """
    found: set[str] = set()
    for node in walk(method):
        values: list[ast.expr | None] = []
        if isinstance(node, ast.keyword):
            found.add(node.arg or "")
        elif isinstance(node, ast.Constant):
            values = [node]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            values.append(next((value for each in classes for value in set_in_body(each, node.attr)), None))
        elif isinstance(node, ast.Name):
            values = [binding.value for binding in outline.bindings(outline.module, node.id)]
        for value in values:
            items: list[ast.AST | None] = [value]
            items.extend(value.elts if isinstance(value, (ast.Tuple, ast.List, ast.Set)) else ())
            texts = (item.value for item in items if isinstance(item, ast.Constant))
            found.update(text for text in texts if isinstance(text, str))
    return found


def names_for_all(method: Method, key: str) -> bool:
    """A `__getstate__` that names an attribute leaves it out of the state of each object: under no condition.

    `if "lock" in state:` is none, nor is `try: del state["lock"]`.
    """
    for node in walk(method):
        match node:
            case ast.Try(body=[_]) | ast.If(test=ast.Compare(left=ast.Constant(), ops=[ast.In()])):
                continue
            case ast.If() | ast.Try() | ast.While() | ast.IfExp() | ast.Match() if any(map(_changes_state, walk(node))):
                return False
            case ast.Dict(keys=keys, values=values):
                pairs = list(zip(keys, values, strict=True))
            case ast.Assign(targets=[ast.Subscript(slice=put)], value=value):
                pairs = [(put, value)]
            case _:
                continue
        kept = (value for name, value in pairs if isinstance(name, ast.Constant) and name.value == key)
        if not all(isinstance(value, ast.Constant) for value in kept):
            return False
    return _ends_in_one(method)


def filters_always(method: Method) -> bool:
    """What a `StateFilter` says of the method holds for each object: no comprehension stands under a condition."""
    choices = (node for node in walk(method) if isinstance(node, (ast.If, ast.IfExp, ast.Try, ast.While, ast.Match)))
    made = (ast.DictComp, ast.ListComp, ast.GeneratorExp)
    return _ends_in_one(method) and not any(isinstance(each, made) for node in choices for each in walk(node))


def _changes_state(node: ast.AST) -> bool:
    """It may leave something out of a dict, or put it in."""
    match node:
        case ast.Subscript(ctx=ast.Del() | ast.Store()) | ast.DictComp() | ast.Dict() | ast.Return():
            return True
        case ast.Call(func=ast.Attribute(attr="pop" | "update" | "setdefault")):
            return True
    return False


def _ends_in_one(method: Method) -> bool:
    """Its last statement is its only `return`."""
    return [node for node in walk(method) if isinstance(node, ast.Return)] == method.body[-1:]


def constant(outline: Outline | None, classes: Iterable[ast.ClassDef], node: ast.expr) -> ast.expr | None:
    """What `self.left_out`, or a name of the module, is set to once and for all."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        kept = any(_stores(each, node.attr) for each in classes)
        return None if kept else next((value for each in classes for value in set_in_body(each, node.attr)), None)
    bindings = outline.bindings(outline.module, node.id) if isinstance(node, ast.Name) and outline is not None else []
    return bindings[0].value if len(bindings) == 1 else None


def _stores(node: ast.ClassDef, name: str) -> bool:
    """A method of the class sets `self.name`."""
    return any(
        isinstance(inner, ast.Attribute)
        and inner.attr == name
        and not isinstance(inner.ctx, ast.Load)
        and isinstance(inner.value, ast.Name)
        for inner in walk(node)
    )


def set_in_body(node: ast.ClassDef, name: str) -> Iterator[ast.expr]:
    """What the body of the class gives the name."""
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        if value is not None and any(isinstance(target, ast.Name) and target.id == name for target in targets):
            yield value
