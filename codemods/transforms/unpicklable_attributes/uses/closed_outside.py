"""Handles that code outside of the class closes before the object is sent: a copy would have an open one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....flow.answers.crossings import flow_of
from ....nodes import walk
from ....syntax.binding_rules import LOOPS, parameters
from ....syntax.callees import FUNCTIONS
from ....syntax.file_tree import position
from ....syntax.names import last_name, root_of_place
from ....syntax.outline import Outline
from ....syntax.unpicklable_table import Remedy
from ..data import names
from .attribute_uses import AttributeUses
from .file_uses import closed, is_closed
from .outside import Outside

_ENDS = ("__exit__", "__aexit__", "__del__")
_PUTS = ("append", "add")


def closed_outside(uses: AttributeUses) -> str | None:
    """The place that closes it while the object may still be sent.

    It counts wherever a file that names the class closes something of this name, unless that is seen to be of another
    object, or to be the end of this one.
    """
    if uses.kind.remedy is not Remedy.REOPEN:
        return None
    for outline, node in _closed(uses.outside, uses.attribute):
        if _may_be_sent_later(uses, outline, node):
            return f"{outline.path}:{node.lineno}"
    return None


def _closed(outside: Outside, attribute: str) -> Iterator[tuple[Outline, ast.Attribute]]:
    """What is closed and may be the attribute of such an object."""
    known = [*outside.reads(attribute), *outside.elsewhere.reads(attribute)]
    yield from (each for each in known if is_closed(*each))
    seen = {node for _, node in known}
    for file in outside.files:
        for node in file.once(closed, attribute):
            if node not in seen and not _is_of_other(outside, file.outline, node.value):
                yield file.outline, node


def _is_of_other(outside: Outside, outline: Outline, holder: ast.expr) -> bool:
    """A variable that only has what calls of something else give, and the value flow sees no such object in it."""
    bindings = outline.lookup(holder, holder.id)[1] if isinstance(holder, ast.Name) else []
    made = outside.names | outside.makers[outline]
    return bool(bindings) and all(
        isinstance(each.value, ast.Call) and made.isdisjoint(map(last_name, ast.walk(each.value))) for each in bindings
    )


def _may_be_sent_later(uses: AttributeUses, outline: Outline, handle: ast.Attribute) -> bool:
    root = root_of_place(handle)
    method = outline.method(handle)
    if method is not None and method.name in (*_ENDS, *names("closing_methods")):
        return False
    if root is None or outline.is_self(root):
        return True
    scope = outline.lookup(root, root.id)[0]
    if scope is not outline.scope(handle):
        return True
    holders = _holders(outline, scope, handle, root.id)
    if isinstance(scope, FUNCTIONS) and not holders.isdisjoint(parameters(scope)):
        return not _is_sent(uses, outline, scope)
    return any(_is_passed_later(uses, outline, handle, use) for use in _reads(outline, scope) if use.id in holders)


def _is_sent(uses: AttributeUses, outline: Outline, scope: ast.AST) -> bool:
    """What a worker itself runs closes its own copy."""
    sent = {(path, line) for path, line, _ in flow_of(uses.family.repo.project).sent()}
    return isinstance(scope, FUNCTIONS) and (outline.path, scope.lineno) in sent


def _reads(outline: Outline, scope: ast.AST) -> Iterator[ast.Name]:
    for node in walk(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node


def _holders(outline: Outline, scope: ast.AST, handle: ast.Attribute, name: str) -> set[str]:
    """The names by which the object may be passed on: variables for it, and for what it is an element of."""
    found = {name}
    for above in outline.ancestors(handle):
        for loop in (above, *getattr(above, "generators", ())):
            if isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension)) and name in _named(loop.target):
                found |= _named(loop.iter)
    statements = [node for node in walk(scope) if isinstance(node, (ast.Assign, ast.Expr))]
    for statement in statements:
        value = statement.value
        if isinstance(statement, ast.Assign) and _keeps(value):
            targets = {each.id for each in statement.targets if isinstance(each, ast.Name)}
            if not found.isdisjoint(_named(value)):
                found |= targets
            elif not isinstance(value, ast.Call) and not found.isdisjoint(targets):
                found |= _named(value)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _PUTS:
            put = {name for each in value.args for name in _named(each)}
            found |= set() if found.isdisjoint(put) else _named(value.func.value)
    return found


def _keeps(value: ast.expr) -> bool:
    """Another name, an element, a list of some, or a new object that is given it: `DataLoader(data)`."""
    if isinstance(value, ast.Call):
        return last_name(value.func)[:1].isupper()
    return isinstance(value, (ast.Name, ast.Subscript, ast.List, ast.Tuple, ast.Dict, ast.Set))


def _named(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_passed_later(uses: AttributeUses, outline: Outline, handle: ast.Attribute, use: ast.Name) -> bool:
    """Further down, or in the next round of a loop that does not make another object."""
    statement = outline.statement(handle)
    if outline.statement(use) is statement or not uses.outside.passes_on(outline, use):
        return False
    if position(use) > position(handle):
        return True
    bindings = outline.lookup(use, use.id)[1]
    around = [above for above in outline.ancestors(use) if isinstance(above, LOOPS)]
    around = [loop for loop in around if isinstance(loop, ast.While) or use not in ast.walk(loop.iter)]
    return any(
        loop in around and not any(loop in (each.statement, *outline.ancestors(each.statement)) for each in bindings)
        for loop in outline.ancestors(handle)
    )
