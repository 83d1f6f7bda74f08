"""Other expressions for one object: names that it is given, elements of what holds it, arguments, attributes.

`c = conf`, `for m in (conf,)`, `self.cfg = conf.CFG`, `fill(conf.CFG)`. A copy is another object.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from ....project import Project
from ....questions import asked
from ....syntax.binding_rules import COMPREHENSIONS, defaults_of, positional
from ....syntax.callees import FUNCTIONS, Callees, Function
from ....syntax.names import last_name, written
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name

_MOST = 60  # expressions that are followed for one
_HEADS = (ast.For, ast.AsyncFor, ast.comprehension)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_PARTS = ("get", "pop", "setdefault", "popleft")
_BY_TEXT = ("import_module", "__import__", "modules", "globals", "vars")  # see `_by_text`
_PAIRED = {"zip": 0, "enumerate": 1}  # with how many other things come first


class Same(NamedTuple):
    """An expression for the object. `at`: the argument by which it came into another function, where it did."""

    outline: Outline
    node: ast.expr
    at: tuple[Outline, ast.expr] | None = None


class SameValues:
    """Answers for one project."""

    def __init__(self, callees: Callees) -> None:
        self.callees = callees
        self._known: dict[ast.expr, tuple[Same, ...]] = {}
        self._modules: dict[Outline, tuple[Same, ...]] = {}

    def of(self, outline: Outline, node: ast.expr) -> tuple[Same, ...]:
        """The other expressions for the object that `node` stands for, each once."""
        if node not in self._known:
            found: dict[ast.expr, Same] = {node: Same(outline, node)}
            todo = [found[node]]
            for same in todo:  # grows as it goes
                for other in self._next(same):
                    if other.node not in found and len(found) < _MOST:
                        found[other.node] = other
                        todo.append(other)
            self._known[node] = tuple(todo[1:])
        return self._known[node]

    def of_module(self, home: Outline) -> tuple[Same, ...]:
        """The expressions for a module itself, but for names of imports that only stand before a dot."""
        if home not in self._modules:
            found: dict[ast.expr, Same] = {}
            for outline, node in self._mentions(home):
                found[node] = Same(outline, node)
                found |= {same.node: same for same in self.of(outline, node)}
            self._modules[home] = tuple(found.values())
        return self._modules[home]

    def _mentions(self, home: Outline) -> Iterator[tuple[Outline, ast.expr]]:
        """What imports call the module, `sys.modules["module"]`, `globals()["module"]`, `import_module("module")`."""
        stem = PurePosixPath(home.path.removesuffix("/__init__.py")).stem
        resolver, repo = self.callees.resolver, self.callees.repo
        by_text = frozenset(repo.project.with_words(_BY_TEXT))
        for outline in repo.mentioning(stem):
            words = [name for name, origin in outline.imported.items() if origin.rpartition(".")[2] == stem]
            words = [name for name in words if _stands_alone(repo.project, outline.path, name)]
            for use in (use for word in words for use in outline.named.get(word, ())):
                is_read = isinstance(use.ctx, ast.Load) and not isinstance(outline.parents[use], ast.Attribute)
                if is_read and resolver.module(outline, use) is home:
                    yield outline, use
            for node, name, is_variable in _by_text(outline) if outline.path in by_text else ():
                if is_variable:
                    named = resolver.module(outline, ast.Name(name, ast.Load()))
                    is_home = named is home and name in outline.imported
                else:
                    is_home = self.callees.modules.absolute(outline.path, name) == home.path
                if is_home:
                    yield outline, node

    def members(self, home: Outline, name: str) -> Iterator[Same]:
        """The expressions for a variable of a module that do not stand behind a name of an import: `m.name`."""
        for same in self.of_module(home):
            above = same.outline.parents[same.node]
            if isinstance(above, ast.Attribute) and above.attr == name:
                yield Same(same.outline, above, same.at)
            elif isinstance(above, ast.Subscript) and above.value is same.node and written(above.slice) == name:
                yield Same(same.outline, above, same.at)  # of `vars(module)`
            elif isinstance(above, ast.Call) and last_name(above.func) == "getattr" and above.args[:1] == [same.node]:
                yield from [Same(same.outline, above, same.at)] if _asks_for(above, name) else ()

    def _next(self, same: Same) -> Iterator[Same]:
        outline, node, at = same
        above = outline.parents.get(node)
        if isinstance(above, (ast.IfExp, ast.BoolOp)) and node is not getattr(above, "test", None):
            yield Same(outline, above, at)
        elif isinstance(above, ast.NamedExpr):
            yield Same(outline, above, at)
            yield from self._named(same, above.target)
        elif isinstance(above, (ast.Assign, ast.AnnAssign)) and above.value is node:
            for target in above.targets if isinstance(above, ast.Assign) else [above.target]:
                yield from self._bound(same, target)
        elif isinstance(above, (*_DISPLAYS, ast.Dict)):
            yield from self._held(same, above)
        elif isinstance(above, ast.keyword) or (isinstance(above, ast.Call) and node is not above.func):
            yield from self._passed(same, above)
        elif isinstance(above, ast.arguments):
            yield from self._by_default(same, above)
        elif isinstance(above, ast.Return):
            yield from self._returned(same)

    def _bound(self, same: Same, target: ast.expr) -> Iterator[Same]:
        """By the names and attributes of the target of an assignment."""
        if isinstance(target, ast.Name):
            yield from self._named(same, target)
        elif isinstance(target, ast.Attribute) and same.outline.is_self(target.value):
            yield from self._kept(same, same.outline.owner(target), target.attr)

    def _named(self, same: Same, target: ast.Name) -> Iterator[Same]:
        """The uses of a variable that `target` binds; of one in the body of a class, as an attribute of it."""
        outline, name = same.outline, target.id
        around = outline.parents[outline.statement(target)]
        if isinstance(around, ast.ClassDef):
            yield from self._kept(same, around, name)
            return
        for use in outline.named.get(name, ()):
            if isinstance(use, ast.Name) and use is not target and _means(outline, use, target):
                yield Same(outline, use, same.at)
        if outline.parents[outline.statement(target)] is outline.module:
            yield from self._imported(same, name)

    def _imported(self, same: Same, name: str) -> Iterator[Same]:
        """The uses of a variable of the module in other files."""
        bindings = same.outline.bindings(same.outline.module, name)
        for outline in self.callees.repo.using(name) if len(bindings) == 1 else ():
            if outline is not same.outline:
                for use in (use for word in outline.names_of(name) for use in outline.named.get(word, ())):
                    found = self.callees.resolver.bound_by(outline, use)
                    if found is not None and found[2] is bindings[0]:
                        yield Same(outline, use, same.at)

    def _kept(self, same: Same, owner: ast.ClassDef | None, name: str) -> Iterator[Same]:
        """`self.name` in the methods of a class, and `x.name` where `x` is seen to be an object of it, or the class."""
        for outline in self.callees.repo.using(name) if owner is not None else ():
            for use in outline.attributes.get(name, ()):
                if not isinstance(use.ctx, ast.Load):
                    continue
                if outline.is_self(use.value):
                    around = outline.owner(use)
                else:
                    found = self.callees.class_of(outline, use.value)
                    around = found[1] if found is not None else None
                if around is owner:
                    yield Same(outline, use, same.at)

    def _held(self, same: Same, display: ast.expr) -> Iterator[Same]:
        """As an element of what a display makes: in a loop over it, or under a key."""
        outline, above = same.outline, same.outline.parents[display]
        if isinstance(above, ast.Assign) and above.value is display:
            for target in above.targets:
                if isinstance(target, (ast.Tuple, ast.List)):
                    for name in _starred_pairs(target, display, same.node):
                        yield from self._bound(same, name)
                elif isinstance(target, ast.Name):
                    for use in self._named(same, target):
                        yield from self._taken(use, display, same.node)
        elif isinstance(above, _DISPLAYS) and isinstance(display, ast.Tuple):  # `[(conf, 3)]`
            yield from self._in_loop(same, above, display.elts.index(same.node))
        else:
            yield from self._taken(Same(outline, display, same.at), display, same.node)

    def _in_loop(self, same: Same, whole: ast.expr, at: int | None = None) -> Iterator[Same]:
        """By the variable of a loop over `whole`, `at` that place of a tuple of variables."""
        outline, above = same.outline, same.outline.parents[whole]
        if isinstance(above, ast.Call) and last_name(above.func) in _PAIRED and whole in above.args and at is None:
            at = above.args.index(whole) + _PAIRED[last_name(above.func)]
            whole, above = above, outline.parents[above]
        if isinstance(above, _HEADS) and above.iter is whole:
            target = above.target
            if at is not None and isinstance(target, (ast.Tuple, ast.List)) and at < len(target.elts):
                target = target.elts[at]
            if isinstance(target, ast.Name):
                yield from self._named(same, target)

    def _taken(self, holder: Same, display: ast.expr, element: ast.expr) -> Iterator[Same]:
        """As it is taken out of a use of its holder: `mods["c"]`, `mods.get("c")`, `for m in mods.values()`."""
        outline, use = holder.outline, holder.node
        above = outline.parents[use]
        if isinstance(above, ast.Subscript) and above.value is use:
            if _under(display, above.slice) in (None, element):
                yield Same(outline, above, holder.at)
        elif isinstance(above, ast.Attribute):
            call = outline.parents[above]
            if isinstance(call, ast.Call) and call.func is above and above.attr in _PARTS:
                key = call.args[0] if call.args else None
                if key is None or _under(display, key) in (None, element):
                    yield Same(outline, call, holder.at)
            elif isinstance(call, ast.Call) and above.attr in ("values", "items"):
                yield from self._in_loop(holder._replace(node=call), call, 1 if above.attr == "items" else None)
        else:
            yield from self._in_loop(holder, use)

    def _passed(self, same: Same, above: ast.AST) -> Iterator[Same]:
        """By the parameter of a function of the repository that gets it.

        `vars(options)` has the same parts, and `partial(step, 3)` runs the same function.
        """
        outline, node = same.outline, same.node
        call = outline.parents[above] if isinstance(above, ast.keyword) else above
        if not isinstance(call, ast.Call):
            return
        if call.args[:1] == [node] and qualified_name(outline, call.func) in ("vars", "functools.partial"):
            yield Same(outline, call, same.at)
        called = self.function(outline, call)
        if called is None:
            return
        other, function, skip = called
        if isinstance(above, ast.keyword):
            name = above.arg
        else:
            own, at = positional(function)[skip:], call.args.index(node)
            name = own[at] if at < len(own) else None
        for use in other.named.get(name, ()) if name is not None else ():
            if isinstance(use, ast.Name) and _is_parameter(other, use, function):
                yield Same(other, use, same.at or (outline, node))

    def function(self, outline: Outline, call: ast.Call) -> tuple[Outline, Function, int] | None:
        """The function that a call runs, or initialiser, and how many of its parameters are bound already."""
        called = self.callees.called(outline, call)
        if called is not None:
            return called
        found = self.callees.resolver.definition(outline, call.func)
        if found is None:
            return None
        if not isinstance(found.node, ast.ClassDef):
            return found.outline, found.node, 0  # `Options.grow(OPT)`
        made = self.callees.initialiser(found.outline, found.node)
        return (*made[:2], 1) if made is not None else None

    def _by_default(self, same: Same, arguments: ast.arguments) -> Iterator[Same]:
        """By the parameter whose default it is."""
        outline, function = same.outline, same.outline.parents[arguments]
        assert isinstance(function, (*FUNCTIONS, ast.Lambda))
        for parameter in (each.arg for each, value in defaults_of(function) if value is same.node):
            for use in outline.named.get(parameter, ()):
                if isinstance(use, ast.Name) and _is_parameter(outline, use, function):
                    yield Same(outline, use, same.at)

    def _returned(self, same: Same) -> Iterator[Same]:
        """By the calls of the function that returns it."""
        function = same.outline.scope(same.node)
        if not isinstance(function, FUNCTIONS):
            return
        for outline in self.callees.repo.calling(function.name):
            for call in self.callees.calls_in(outline, function):
                yield Same(outline, call, same.at)


def _means(outline: Outline, use: ast.Name, target: ast.Name) -> bool:
    """The use may have the value that `target` gets; `name += value` is a use as well."""
    if not isinstance(use.ctx, ast.Load) and not isinstance(outline.parents[use], ast.AugAssign):
        return False
    for around in outline.ancestors(target):
        if isinstance(around, COMPREHENSIONS):
            return around in outline.ancestors(use)
        if isinstance(around, ast.stmt):
            break
    statement = outline.statement(target)
    scope, bindings = outline.lookup(use, use.id)
    if scope is not outline.scope(target):
        return False
    return any(binding.statement is statement for binding in bindings)


@asked
def _stands_alone(project: Project, path: str, name: str) -> bool:
    """The name may be used in the text of a file otherwise than in front of a dot, and in more than a plain import."""
    source = project.source(path)
    text = source.text if source is not None else ""
    for match in re.finditer(rf"{name}(?<!\w{name})(?!\w)(?![ \t]*\.)", text):
        start = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip()
        if not start.startswith(("import ", "from ")) or ";" in start or "\r" in start:
            return True
    return False


def _by_text(outline: Outline) -> Iterator[tuple[ast.expr, str, bool]]:
    """What gives a module by its name as text, the text, and whether that is the name of a variable."""
    for word in ("import_module", "__import__"):
        for call in outline.calls.get(word, ()):
            if call.args and written(call.args[0]):
                yield call, written(call.args[0]), False
    tables: list[tuple[ast.expr, bool]] = [(node, False) for node in outline.attributes.get("modules", ())]
    tables += [(call, True) for word in ("globals", "vars") for call in outline.calls.get(word, ()) if not call.args]
    for table, is_variable in tables:
        above = outline.parents[table]
        if isinstance(above, ast.Subscript) and above.value is table and written(above.slice):
            yield above, written(above.slice), is_variable


def _asks_for(call: ast.Call, name: str) -> bool:
    return len(call.args) > 1 and written(call.args[1]) == name


def _is_parameter(outline: Outline, use: ast.Name, function: ast.AST) -> bool:
    """The use may have the value that the function is called with; `name += value` is a use as well."""
    if not isinstance(use.ctx, ast.Load) and not isinstance(outline.parents[use], ast.AugAssign):
        return False
    scope, bindings = outline.lookup(use, use.id)
    return scope is function and any(binding.parameter for binding in bindings)


def _under(display: ast.expr, key: ast.expr) -> ast.expr | None:
    """What a display has under a key or at a place that are both written there; None where they are not."""
    if not isinstance(key, ast.Constant):
        return None
    if isinstance(display, ast.Dict):
        for name, value in zip(display.keys, display.values, strict=True):
            if isinstance(name, ast.Constant) and name.value == key.value:
                return value
    elif isinstance(display, (ast.List, ast.Tuple)) and isinstance(key.value, int) and key.value < len(display.elts):
        return display.elts[key.value]
    return None


def _starred_pairs(target: ast.Tuple | ast.List, display: ast.expr, element: ast.expr) -> Iterator[ast.expr]:
    """The targets that get the element: `a, b = conf, 3`, `first, *rest = [conf, 1]`."""
    plain = [
        at for at, _ in enumerate(target.elts) if not any(isinstance(e, ast.Starred) for e in target.elts[: at + 1])
    ]
    values = display.elts if isinstance(display, (ast.List, ast.Tuple)) else []
    for at in plain:
        if at < len(values) and values[at] is element:
            yield target.elts[at]
