"""Each call of a maker gives a new function or class. Finds the places where a program can tell them apart.

A function of which that is seen becomes a `functools.partial` per call, which is a new object each time; one that is
made only once becomes a function of its own. For a class there is no such form: it stays.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from ....finding import Refused
from ....flow.answers.introspection import Question
from ....nodes import walk
from ....project import Project
from ....syntax.binding_rules import FUNCTIONS, ScopeKind
from ....syntax.branches import types_asked_for
from ....syntax.names import last_name, root_of_chain, whose_class
from ....syntax.outline import outline_of
from ....syntax.scope_data import line_of, start_of
from ....syntax.scopes import Scopes
from ..candidate import Unit
from .settled import origin_in

_MAKERS = 3  # functions that call each other
_GIVEN = "given the attribute `"
_SET_ATTRIBUTES = frozenset({"passed to `setattr`", "passed to `vars`", "asked for its `__dict__`"})
# types of which a function may be one, where a test asks for them
_FUNCTIONS = frozenset({"object", "Callable", "FunctionType", "LambdaType", "type", "Any", None})
_ADVICE = "move it to module level by hand, if one class will do for all"


class Identities(Protocol):
    """What the flow knows of places where functions, classes and objects are told apart."""

    def identities(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Where a function or lambda is told from another that does the same."""

    def class_identities(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Where a local class is told from another with the same body."""

    def instance_identities(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Where an object of a local class is compared, or is a key."""


def told_apart(
    project: Project, known: Identities, path: str, scopes: Scopes, node: ast.AST, has_twin: bool = False
) -> str | None:
    """Where the function is told from another that does the same, in words; None where no such place is seen.

    `has_twin`: one function will stand for it and for others that are written elsewhere.
    """
    home = scopes.around(node)
    if home.kind is ScopeKind.MODULE and not has_twin and not scopes.loops_around(node, home):
        return None  # there is only one
    place = next(_identities(project, known, path, node), None)
    return _in_words(place, path) if place is not None else None


def _identities(project: Project, known: Identities, path: str, node: ast.AST) -> Iterator[Question]:
    """As `Identities.identities`, without what is done only where `isinstance` says that it is no function."""
    for place in known.identities(path, *start_of(node)):
        outline = outline_of(project, place.path) if place.what.startswith(_GIVEN) else None
        asked = types_asked_for(outline, place.line) if outline is not None else {}
        if outline is None or not asked:
            yield place
            continue
        attributes = outline.attributes.get(place.what[len(_GIVEN) :].strip("`"), ())
        roots = [root_of_chain(each) for each in attributes if each.lineno == place.line]
        if not roots or any(root is None or asked.get(root.id, _FUNCTIONS) & _FUNCTIONS for root in roots):
            yield place


def is_made_once(project: Project, path: str, scopes: Scopes, node: ast.AST) -> bool:
    """The module makes it, the body of a class of the module, or a function called in one place, in no loop."""
    for _ in range(_MAKERS):
        home = scopes.around(node)
        if scopes.loops_around(node, home):
            return False
        if home.kind is ScopeKind.MODULE:
            return True
        call = home.node if home.kind is ScopeKind.CLASS else _only_call(project, path, scopes, home.node)
        if call is None:
            return False
        node = call
    return False


def _only_call(project: Project, path: str, scopes: Scopes, maker: ast.AST) -> ast.AST | None:
    """The one place where a function of the module is called, and named at all; None where it may run more often."""
    if not isinstance(maker, ast.FunctionDef) or maker.decorator_list or scopes.around(maker) is not scopes.module:
        return None
    name = maker.name
    uses = [use for use in scopes.uses if use.name == name]
    call = scopes.parents[uses[0].node] if len(uses) == 1 else None
    if not isinstance(call, ast.Call) or call.func is not uses[0].node or len(scopes.module.bindings[name]) != 1:
        return None
    if scopes.module.stars or any(other != path for other in project.with_words((name,))):
        return None
    return call if scopes.owner(uses[0].scope, name) is scopes.module else None


def gets_attributes(project: Project, known: Identities, path: str, node: ast.AST) -> bool:
    """Somebody, perhaps a helper, sets an attribute on the function.

    `multiprocessing` pickles a partial without its attributes, and an object with them.
    """
    uses = [place.what for place in _identities(project, known, path, node)]
    return any(use.startswith(_GIVEN) or use in _SET_ATTRIBUTES for use in uses)


def lost_attribute(project: Project, known: Identities, path: str, scopes: Scopes, unit: Unit) -> str | None:
    """The place that reads an attribute that is set on the function, which it lacks as a partial in a worker; in words.

    Where it can't be seen which attributes those are, the place that sets them.
    """
    names: dict[str, None] = {}
    for place in _identities(project, known, path, unit.node):
        if place.what in _SET_ATTRIBUTES:
            return f"{where_in_words(place, path)} may set attributes on it"
        if place.what.startswith(_GIVEN):
            names[place.what[len(_GIVEN) :].strip("`")] = None
    for use in unit.variable.scope.uses.get(unit.variable.name, []) if unit.variable is not None else ():
        parent = scopes.parents[use.node]
        if isinstance(parent, ast.Attribute) and not isinstance(parent.ctx, ast.Load):
            names[parent.attr] = None
        elif isinstance(parent, (ast.Attribute, ast.Call)):
            shows = isinstance(parent, ast.Attribute) and parent.attr == "__dict__"
            if shows or (isinstance(parent, ast.Call) and last_name(parent.func) in ("setattr", "vars")):
                return f"line {line_of(parent)} may set attributes on it"
    for name in names:
        read = re.compile(rf"\.\s*{name}\b(?!\s*(?:[-+*/|&]?=(?!=)|:\s*\w[^=\n]*=))|['\"]{name}['\"]")
        for source in project.matching(read, word=name):
            found = read.search(source.text)
            line = source.position(found.start())[0] if found is not None else 1
            return f"`{name}` is set on it, and {_named(source.path, line, path)} reads that"
    return None


def shows_attributes(known: Identities, path: str, node: ast.AST) -> bool:
    """The `__dict__` of the function is read."""
    return any(
        place.what in ("asked for its `__dict__`", "passed to `vars`")
        for place in known.identities(path, *start_of(node))
    )


def check_class(project: Project, known: Identities, path: str, scopes: Scopes, unit: Unit) -> None:
    """Raises Refused where one class can't stand for the classes of several calls."""
    node = unit.node
    if not isinstance(node, ast.ClassDef) or is_made_once(project, path, scopes, node):
        return
    at, anew = start_of(node), f"each call makes a class `{node.name}` of its own"
    for place in known.class_identities(path, *at):
        raise Refused(f"{anew}, and it {_in_words(place, path)}: {_ADVICE}")
    if _compares_by_class(scopes, node):
        for place in known.instance_identities(path, *at):
            what = f"an object of `{node.name}` is equal to those of the same call only, and one"
            raise Refused(f"{what} {_in_words(place, path)}: {_ADVICE}")
    for base in node.bases:
        if origin_in(scopes, base).startswith("enum."):
            raise Refused(f"`{node.name}` is an enumeration, whose members differ from call to call: {_ADVICE}")
    bound = scopes.inner(node).bindings
    uses = unit.variable.scope.uses.get(node.name, ()) if unit.variable is not None else ()
    for use in uses:
        method = scopes.parents[use.node]
        call = scopes.parents[method]
        for_effect = isinstance(call, ast.Call) and call.func is method and isinstance(scopes.parents[call], ast.Expr)
        if for_effect and isinstance(method, ast.Attribute) and method.attr not in bound:
            what = f"`{ast.unparse(method)}` (line {method.lineno}), a method of a base class,"
            raise Refused(f"{anew}, and {what} may change what it keeps: {_ADVICE}")
    for inner, attribute in _all_set_on_class(scopes):
        if attribute in bound or node in scopes.ancestors(inner):
            what = f"`{ast.unparse(inner)}` (line {getattr(inner, 'lineno', 0)})"
            raise Refused(f"{anew}, and {what} sets what it keeps: {_ADVICE}")


def _in_words(place: Question, path: str) -> str:
    return f"is {place.what} ({where_in_words(place, path)})"


def where_in_words(place: Question, path: str) -> str:
    """The place, as seen from the file at `path`."""
    return _named(place.path, place.line, path)


def _named(path: str, line: int, here: str) -> str:
    return f"line {line}" if path == here else f"{path}:{line}"


def _compares_by_class(scopes: Scopes, node: ast.ClassDef) -> bool:
    """Its objects ask for the class when they are compared."""
    names = {
        last_name(decorator.func if isinstance(decorator, ast.Call) else decorator) for decorator in node.decorator_list
    }
    return bool(names) or any(
        isinstance(statement, FUNCTIONS) and statement.name == "__eq__" for statement in node.body
    )


_known: WeakKeyDictionary[Scopes, list[tuple[ast.AST, str]]] = WeakKeyDictionary()


def _all_set_on_class(scopes: Scopes) -> list[tuple[ast.AST, str]]:
    """Every place of the file that sets an attribute on the class of something, with the attribute."""
    if scopes not in _known:
        found = ((node, _set_on_class(node)) for node in walk(scopes.tree))
        _known[scopes] = [(node, attribute) for node, attribute in found if attribute is not None]
    return _known[scopes]


def _set_on_class(node: ast.AST) -> str | None:
    """The attribute that is set on the class of something: `type(x).count += 1`, `x.__class__.count = 1`."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return node.attr if whose_class(node.value) is not None else None
    if isinstance(node, ast.Call) and last_name(node.func) == "setattr" and len(node.args) > 1:
        name = node.args[1]
        if whose_class(node.args[0]) is not None:
            return str(name.value) if isinstance(name, ast.Constant) else ""
    return None
