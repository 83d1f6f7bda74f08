"""Whether a dict changes after a view of it was stored: then the view shows the change and a list would not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...launch.importers import importers
from ...syntax.binding_rules import FunctionNode, defaults_of, parameters, positional
from ...syntax.file_tree import position
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from .elements import ANY_KEY, container_of, loop_variables
from .holders import Difference, HolderKind
from .next_holders import holders_of, makes_dict
from .own_dicts import changed_at
from .uses import ViewUses

CHANGING = frozenset(
    ["update", "pop", "popitem", "clear", "setdefault", "subtract", "move_to_end", "__setitem__", "__delitem__"]
)
_PROPERTIES = frozenset(["property", "cached_property"])
_OF_MODULES = frozenset(["_modules", "_parameters", "_buffers"])  # torch.nn.Module.__setattr__ puts things there
_DEPTH = 3
_SPECIAL = frozenset(
    ["", "__call__", "__getitem__", "__len__", "__iter__", "__enter__", "__exit__"]
)  # called by no name
_NAMING = (ast.Name, ast.Attribute, ast.BoolOp, ast.IfExp)  # may be a dict that has another name
_TARGETS = 20  # ways to reach one dict that are followed


@dataclass(frozen=True, slots=True)
class _Target:
    """A way to reach the dict: `.name` of any object (`scope` None), a local or global name, or what the function
    `name` gives (`result`), then subscripts.
    """

    outline: Outline
    scope: ast.AST | None
    name: str
    keys: tuple[str, ...]
    owner: Class | None = None
    hops: int = 0
    result: bool = False
    filled_by: FunctionNode | None = None  # the function that returned this variable of its own


class DictChanges:
    """Finds changes to the dict of one view, for one run of a rule."""

    def __init__(self, repo: Repo, uses: ViewUses) -> None:
        self.repo = repo
        self.uses = uses
        # The same dict is asked about for each view of it.
        self._known: dict[_Target, list[tuple[Outline, ast.expr]]] = {}
        self._growing: dict[_Target, bool] = {}
        self._other_names: dict[tuple[_Target, Outline], list[_Target]] = {}
        self._places: dict[tuple[_Target, str, bool], list[tuple[Outline, ast.AST, str]]] = {}
        self._callers: dict[str, frozenset[str]] = {}
        self._importers: dict[Outline, list[tuple[Outline, ast.stmt]]] = {}

    def after(self, outline: Outline, taken: ast.AST, receiver: ast.expr, method: str) -> Difference | None:
        """The first place where the dict of `receiver` changes after `receiver.method()` was evaluated at `taken`."""
        if own := _namespace(receiver):
            return Difference(
                outline.path, receiver.lineno, f"takes the view of {own}, which may change as the program runs", False
            )
        if isinstance(receiver, ast.Call) and last_name(receiver.func) == "super":
            return self._of_object(outline, outline.owner(receiver), receiver)
        todo = list(self._targets(outline, receiver, 0))
        seen: set[_Target] = set()
        grows = False
        while todo:
            target = todo.pop()
            if target in seen or target.hops > _DEPTH or len(seen) > _TARGETS:
                continue
            seen.add(target)
            if _is_own(target):
                owner = target.outline.parents[target.scope] if target.scope is not None else None
                found = self._of_object(target.outline, owner, receiver)
                if found is not None:
                    return found
                continue
            todo.extend(self._known_aliases(target, outline))
            grows = grows or self._grows_when_read(target)
            filled = target.filled_by if _made_by_each_call(target) else None
            for where, node, what in self._known_changes(target, method, grows):
                if filled is not None and where.scope(node) is filled:
                    continue  # before it is returned
                if node is not taken and self._happens_after(where, node, outline, taken, 0, target.scope is None):
                    text = f"{what} after the view is taken: the view shows that, a list would not"
                    return Difference(where.path, position(node)[0], text, False)
        return None

    def _of_object(self, outline: Outline, owner: ast.AST | None, taken: ast.expr) -> Difference | None:
        """The same of an object of the class `owner`, which is a dict itself."""
        if not isinstance(owner, ast.ClassDef):
            return None
        changed = changed_at(self.repo, outline, owner, taken, CHANGING)
        if changed is None:
            return None
        where, node = changed
        text = f"may change the `{owner.name}` whose view is taken: the view shows that, a list would not"
        return Difference(where.path, position(node)[0], text, False)

    def _targets(self, outline: Outline, node: ast.expr, hops: int) -> Iterator[_Target]:
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from self._targets(outline, value, hops)
        elif isinstance(node, ast.IfExp):
            yield from self._targets(outline, node.body, hops)
            yield from self._targets(outline, node.orelse, hops)
        else:
            keys: list[str] = []
            while isinstance(node, ast.Subscript):
                keys.insert(0, ast.dump(node.slice))
                node = node.value
            if isinstance(node, ast.Name):
                scope, _ = outline.lookup(node, node.id)
                container = container_of(outline, node) if hops < _DEPTH else None
                for outer in self._targets(outline, container, hops + 1) if container is not None else ():
                    yield replace(outer, keys=(*outer.keys, ANY_KEY, *keys))
                yield _Target(outline, scope, node.id, tuple(keys), hops=hops)
                around = outline.parents[outline.statement(node)]
                if isinstance(around, ast.ClassDef):  # a table of the class, which others reach through it
                    yield _Target(outline, None, node.id, tuple(keys), Class(outline, around), hops)
            elif isinstance(node, ast.Attribute):
                owner = outline.owner(node) if outline.is_self(node.value) else None
                cls = Class(outline, owner) if owner is not None else None
                yield _Target(outline, None, node.attr, tuple(keys), cls, hops)
                module = self.repo.resolver.module(outline, node.value) if owner is None else None
                if module is not None:
                    yield _Target(module, module.module, node.attr, tuple(keys), None, hops)
            elif isinstance(node, ast.Call) and not keys and hops < _DEPTH:
                yield from self._given_by(outline, node, hops + 1)

    def _given_by(self, outline: Outline, call: ast.Call, hops: int) -> Iterator[_Target]:
        """What functions of the repository return: a dict that lives longer than the call."""
        for where, function in self.repo.called(outline, call.func):
            for node in where.own(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    for target in self._targets(where, node.value, hops):
                        yield replace(target, filled_by=function) if target.scope is function else target

    def _reads(self, target: _Target) -> list[tuple[Outline, ast.expr]]:
        """Every expression that may be the dict of `target`."""
        if target not in self._known:
            self._known[target] = list(self._found(target))
        return self._known[target]

    def _found(self, target: _Target) -> Iterator[tuple[Outline, ast.expr]]:
        if target.result:
            for outline, call in self._calls(target.name):
                yield from _with_keys(outline, call, target.keys)
            return
        if target.scope is None:
            for outline in self.repo.mentioning(target.name):
                for read in outline.attributes.get(target.name, ()):
                    if not self.uses.foreign(outline, read, target.owner):
                        yield from _with_keys(outline, read, target.keys)
                for by_text in _reads_by_text(outline, target.name):
                    yield from _with_keys(outline, by_text, target.keys)
            return
        outlines = [target.outline]
        if isinstance(target.scope, ast.Module):  # a global: other files may import it
            outlines = self.repo.mentioning(target.name)
        for outline in outlines:
            root = target.scope if outline is target.outline else outline.module
            whole = isinstance(root, ast.Module)
            for node in outline.named.get(target.name, ()):
                if not whole and root not in outline.ancestors(node):
                    continue
                if isinstance(node, ast.Name):
                    scope, bindings = outline.lookup(node, node.id)
                    local = scope is target.scope
                    if not local and outline is not target.outline:
                        local = any(isinstance(binding.statement, ast.ImportFrom) for binding in bindings)
                    if local:
                        yield from _with_keys(outline, node, target.keys)
                elif outline is not target.outline:
                    yield from _with_keys(outline, node, target.keys)

    def _grows_when_read(self, target: _Target) -> bool:
        """`defaultdict(...)` is assigned to it."""
        if target not in self._growing:
            self._growing[target] = self._is_defaultdict(target)
        return self._growing[target]

    def _is_defaultdict(self, target: _Target) -> bool:
        return any(
            isinstance(parent := outline.parents[node], (ast.Assign, ast.AnnAssign))
            and node is not parent.value
            and isinstance(parent.value, ast.Call)
            and last_name(parent.value.func) == "defaultdict"
            for outline, node in self._reads(target)
        )

    def _known_changes(self, target: _Target, method: str, grows: bool) -> list[tuple[Outline, ast.AST, str]]:
        key = target, method, grows
        if key not in self._places:
            self._places[key] = list(self._changes(target, method, grows))
        return self._places[key]

    def _changes(self, target: _Target, method: str, grows: bool) -> Iterator[tuple[Outline, ast.AST, str]]:
        for outline, node in self._reads(target):
            parent = outline.parents[node]
            if (
                grows
                and isinstance(parent, ast.Subscript)
                and parent.value is node
                and isinstance(parent.ctx, ast.Load)
            ):
                if not _same_keys(outline, node, parent):
                    yield outline, outline.statement(parent), "reads an item of the dict, which adds missing ones,"
                continue
            if isinstance(parent, ast.Subscript) and parent.value is node and not isinstance(parent.ctx, ast.Load):
                if isinstance(parent.ctx, ast.Del):
                    yield outline, outline.statement(parent), "deletes from the dict"
                elif method != "keys" or not _same_keys(outline, node, parent):
                    yield outline, outline.statement(parent), "sets an item of the dict"
            elif isinstance(parent, ast.Attribute) and parent.value is node and parent.attr in CHANGING:
                call = outline.parents[parent]
                if isinstance(call, ast.Call) and call.func is parent:
                    yield outline, outline.statement(call), f"calls `.{parent.attr}()` on the dict"
            elif isinstance(parent, ast.AugAssign) and parent.target is node and isinstance(parent.op, ast.BitOr):
                yield outline, parent, "updates the dict with `|=`"

    def _known_aliases(self, target: _Target, outline: Outline) -> list[_Target]:
        if (target, outline) not in self._other_names:
            found = list(self._aliases(target, outline))
            if target.keys:
                found += self._aliases_of_whole(target, outline)
            self._other_names[target, outline] = found
        return self._other_names[target, outline]

    def _aliases_of_whole(self, target: _Target, outline: Outline) -> Iterator[_Target]:
        """The same of other names of what the dict is in, and the variables of loops over that."""
        whole = replace(target, keys=target.keys[:-1])
        if target.keys[-1] == ANY_KEY:
            for where, node in self._reads(whole):
                for name in loop_variables(where, node):
                    yield _Target(where, where.lookup(name, name.id)[0], name.id, (), hops=target.hops + 1)
        for other in self._known_aliases(whole, outline):
            yield replace(other, keys=(*other.keys, target.keys[-1]))

    def _aliases(self, target: _Target, outline: Outline) -> Iterator[_Target]:
        """Other names of the same dict: what it was assigned from or to, and what callers pass."""
        for where, node in self._reads(target):
            parent = where.parents[node]
            if isinstance(parent, ast.Assign):
                near = target.scope is not None or where is outline
                if parent.value is node or node in parent.targets:
                    for place in parent.targets:
                        if isinstance(place, (ast.Name, ast.Attribute)) and place is not node:
                            yield from self._targets(where, place, target.hops + 1)
                if near and parent.value is not node and isinstance(parent.value, _NAMING):
                    yield from self._targets(where, parent.value, target.hops + 1)
            elif isinstance(parent, ast.Return) and isinstance(
                around := where.scope(parent), (ast.FunctionDef, ast.AsyncFunctionDef)
            ):
                plain = not any(last_name(mark) in _PROPERTIES for mark in around.decorator_list)
                owner = where.parents[around]
                cls = Class(where, owner) if isinstance(owner, ast.ClassDef) else None
                yield _Target(where, None, around.name, (), cls, target.hops + 1, result=plain)
            elif isinstance(parent, (ast.Call, ast.keyword)):
                yield from self._parameters(where, node, target.hops + 1)
        scope = target.scope
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) and target.name in parameters(scope):
            yield from self._passed(target, scope)
            for parameter, default in defaults_of(scope):
                if parameter.arg == target.name:
                    yield from self._targets(target.outline, default, target.hops + 1)

    def _parameters(self, outline: Outline, argument: ast.expr, hops: int) -> Iterator[_Target]:
        """What the functions of the repository that get the dict call it."""
        for holder in holders_of(outline, argument)[0]:
            for parameter in self.uses.parameters(holder) if holder.kind is HolderKind.ARGUMENT else ():
                if parameter.outline is not None:
                    yield _Target(parameter.outline, parameter.scope, parameter.name, (), hops=hops)

    def _passed(self, target: _Target, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[_Target]:
        outline = target.outline
        parent = outline.parents[function]
        bound = isinstance(parent, ast.ClassDef)
        called = parent.name if isinstance(parent, ast.ClassDef) and function.name == "__init__" else function.name
        plain = positional(function)
        for where, call in self._calls(called):
            value = next((item.value for item in call.keywords if item.arg == target.name), None)
            if value is None and target.name in plain:
                at = plain.index(target.name) - bound
                value = call.args[at] if 0 <= at < len(call.args) else None
            if isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)):
                yield from self._targets(where, value, target.hops + 1)

    def _calls(self, name: str) -> Iterator[tuple[Outline, ast.Call]]:
        for outline in self.repo.mentioning(name):
            for node in outline.calls.get(name, ()):
                yield outline, node

    def _happens_after(
        self, where: Outline, node: ast.AST, outline: Outline, taken: ast.AST, depth: int, of_object: bool
    ) -> bool:
        """Whether `node` may run after `taken` did (True when nobody can tell).

        `of_object`: the dict is an attribute of an object.
        """
        scope, home = where.scope(node), outline.scope(taken)
        if scope is home:
            return _later(where, node, taken)
        owner = outline.owner(taken)
        called = {getattr(home, "name", "")} - {""}
        if owner is not None and called == {"__init__"}:
            called = {owner.name}
        here = where.owner(node)
        same = (
            here is not None
            and owner is not None
            and self.repo.resolver.may_be_related(Class(where, here), Class(outline, owner))
        )
        anchors = [
            call
            for call in where.own(scope)
            if isinstance(call, ast.Call)
            and (last_name(call.func) in called or (same and last_name(call.func) == getattr(home, "name", None)))
        ]
        if not anchors:
            through = frozenset[str]().union(*map(self._called_through, called))
            own = (call for call in where.own(scope) if isinstance(call, ast.Call))
            anchors = [call for call in own if last_name(call.func) in through]
        if anchors:
            return any(_later(where, node, call) for call in anchors)
        if isinstance(scope, ast.Module):
            if of_object or isinstance(home, ast.Module):
                return True
            # tables of a module are filled on import, unless that is late
            return where is not outline and depth < _DEPTH and self._imported_after(where, outline, taken, depth)
        if isinstance(scope, ast.Lambda) or depth >= _DEPTH:
            return True
        if scope.name == "__init__" and same:
            return False  # an object is set up before its other methods run, and its base classes before itself
        sites = [(other, call) for other, call in self._calls(scope.name) if other.scope(call) is not scope]
        return not sites or any(
            self._happens_after(other, call, outline, taken, depth + 1, of_object) for other, call in sites
        )

    def _imported_after(self, where: Outline, outline: Outline, taken: ast.AST, depth: int) -> bool:
        """Whatever imports the file `where` may run after `taken` did."""
        if where not in self._importers:
            self._importers[where] = list(importers(self.repo, self.repo.resolver.modules, where))
        found = self._importers[where]
        return bool(found) and all(
            self._happens_after(other, statement, outline, taken, depth + 1, False) for other, statement in found
        )

    def _called_through(self, name: str) -> frozenset[str]:
        """The functions that call the function or class `name`, and those that call them."""
        if name not in self._callers:
            found: set[str] = set()
            todo = {name}
            for _ in range(_DEPTH):
                calls = [(where, call) for each in todo for where, call in self._calls(each)]
                todo = {_called_as(where, call) for where, call in calls} - found - _SPECIAL
                found |= todo
            self._callers[name] = frozenset(found)
        return self._callers[name]


def _is_own(target: _Target) -> bool:
    """The object of a method, which anybody may change who has it: `self` of a class that derives from dict."""
    function = target.scope if not target.keys else None
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    in_class = isinstance(target.outline.parents[function], ast.ClassDef)
    static = any(last_name(mark) in ("staticmethod", "classmethod") for mark in function.decorator_list)
    return in_class and not static and positional(function)[:1] == [target.name]


def _made_by_each_call(target: _Target) -> bool:
    """A variable of the function that returns it, which each call gives a dict of its own."""
    if target.filled_by is None:
        return False
    values = [binding.value for binding in target.outline.bindings(target.filled_by, target.name)]
    return bool(values) and all(map(makes_dict, values))


def _called_as(outline: Outline, node: ast.AST) -> str:
    """The name by which what stands around `node` is called: that of the class for its `__init__`."""
    scope = outline.scope(node)
    owner = outline.owner(node)
    name: str = getattr(scope, "name", "")
    return owner.name if name == "__init__" and owner is not None else name


def _later(outline: Outline, node: ast.AST, taken: ast.AST) -> bool:
    return not outline.precedes(outline.statement(node), taken) or outline.shared_loop(node, taken) is not None


def _with_keys(outline: Outline, node: ast.expr, keys: tuple[str, ...]) -> Iterator[tuple[Outline, ast.expr]]:
    for key in keys:
        parent = outline.parents[node]
        if not (isinstance(parent, ast.Subscript) and parent.value is node):
            return
        if key not in (ANY_KEY, ast.dump(parent.slice)):
            return
        node = parent
    yield outline, node


def _same_keys(outline: Outline, node: ast.expr, item: ast.Subscript) -> bool:
    """`for k in d: d[k] = ...` replaces values and leaves the keys as they are."""
    if not isinstance(item.slice, ast.Name):
        return False
    for loop in outline.ancestors(item):
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            source, target = loop.iter, loop.target
            if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and len(source.args) == 1:
                source = source.args[0]  # list(d), sorted(d)
            if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
                if source.func.attr == "items" and isinstance(target, ast.Tuple):
                    target = target.elts[0]
                source = source.func.value
            if isinstance(target, ast.Name) and target.id == item.slice.id:
                return _text(source) == _text(node)
    return False


def _text(node: ast.expr) -> str:
    return ast.unparse(node)


def _namespace(receiver: ast.expr) -> str | None:
    if isinstance(receiver, ast.Attribute) and receiver.attr == "__dict__":
        return "an object's own attributes"
    if isinstance(receiver, ast.Attribute) and receiver.attr in _OF_MODULES:
        return f"`{receiver.attr}`, in which a module keeps what is set on it"
    if isinstance(receiver, ast.Attribute) and ast.unparse(receiver) == "sys.modules":
        return "the loaded modules"
    if (
        isinstance(receiver, ast.Call)
        and isinstance(receiver.func, ast.Name)
        and receiver.func.id in ("vars", "globals")
    ):
        return f"`{receiver.func.id}()`" if not receiver.args else "an object's own attributes"
    return None


def _reads_by_text(outline: Outline, name: str) -> Iterator[ast.expr]:
    """`vars(x)["name"]`, `x.__dict__["name"]` and `getattr(x, "name")`."""
    for call in outline.calls.get("getattr", []):
        if len(call.args) > 1 and getattr(call.args[1], "value", None) == name:
            yield call
    for whole in [*outline.calls.get("vars", []), *outline.attributes.get("__dict__", [])]:
        above = outline.parents[whole]
        if isinstance(above, ast.Subscript) and above.value is whole and getattr(above.slice, "value", None) == name:
            yield above
