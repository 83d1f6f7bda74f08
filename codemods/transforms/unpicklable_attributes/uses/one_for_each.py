"""Reasons why objects can't each have one of their own: it is asked whether theirs is the same, or copies share it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Refused
from ....flow.answers.crossings import flow_of
from ....flow.answers.introspection import Question
from ....nodes import end_line
from ....syntax.binding_rules import positional
from ....syntax.callees import FUNCTIONS
from ....syntax.names import last_name, root_of_chain
from ....syntax.outline import Outline
from ....syntax.unpicklable_table import Remedy
from ..classes import Shape
from .attribute_uses import AttributeUses
from .use_checks import goes_on


def check_identity(uses: AttributeUses) -> None:
    """Raises Refused where it is asked whether two objects have the same one, which copies of both would not have."""
    inside = ((shape.outline, node) for shape, _, node in uses.reads)
    for outline, node in (*inside, *_of_given_objects(uses)):
        above = outline.parents[node]
        operands = [above.left, *above.comparators] if isinstance(above, ast.Compare) else []
        others = [each for each in operands if isinstance(each, ast.Attribute) and each is not node]
        compared = any(each.attr == uses.attribute for each in others)
        asked = isinstance(above, ast.Call) and above.func is not node and last_name(above.func) in ("id", "hash")
        if compared or asked:
            place = f"line {node.lineno}" if outline is uses.shape.outline else f"{outline.path}:{node.lineno}"
            raise Refused(
                f"`{ast.unparse(above)}` ({place}) asks whether it is the same, and of two objects that are sent each "
                "would get one of its own; leave it out in a `__getstate__` and decide what the copies get"
            )
    for use in flow_of(uses.family.repo.project).kept_identities(*_place(uses.shape), uses.attribute):
        where = uses.family.repo.outline(use.path)
        if where is None or not _gets_objects(where, use.line):
            continue
        if not (_with_global(where, use) or _within_one(where, use)):
            raise Refused(
                f"{use.path}:{use.line} asks whether it is the same (it is {use.what}), and of two objects that are "
                "sent each would get one of its own; leave it out in a `__getstate__` and decide what the copies get"
            )


def check_equality(uses: AttributeUses) -> None:
    """Raises Refused where `copy.copy` makes objects that share it, and all attributes of two objects are compared."""
    if not uses.outside.copied:
        return
    for shape in uses.hierarchy:
        compares = shape.methods.get("__eq__")
        for node in ast.walk(compares) if compares is not None else ():
            if (isinstance(node, ast.Attribute) and node.attr == "__dict__") or (
                isinstance(node, ast.Call) and last_name(node.func) == "vars"
            ):
                raise Refused(
                    f"`__eq__` (line {node.lineno}) compares all attributes, and a copy by `copy.copy`, which shares "
                    "this one, would get one of its own and not be equal any more: let `__eq__` name what counts, and "
                    "leave this out in a `__getstate__`"
                )


def check_not_shared(uses: AttributeUses) -> None:
    """Raises Refused where an object is sent together with a copy by `copy.copy`, with which it shares this."""
    kind = uses.kind
    if kind.remedy is not Remedy.RECREATE and not (kind.remedy is Remedy.REOPEN and goes_on(uses)):
        return
    by_replace = any(isinstance(hazard.store.statement, ast.AnnAssign) for hazard in uses.hazards)
    place = flow_of(uses.family.repo.project).sent_with_copy(*_place(uses.shape), by_replace)
    if place is not None:
        raise Refused(
            f"{place} makes a copy of the object that shares it, and the two may be sent together, where each would "
            "get one of its own; leave it out in a `__getstate__` and decide what the copies get"
        )


def _place(shape: Shape) -> tuple[str, int]:
    return shape.outline.path, shape.node.lineno


def _gets_objects(outline: Outline, line: int) -> bool:
    """The line stands in a function that is passed something: what runs in a worker is."""
    scopes = (outline.scope(node) for node in outline.statements if node.lineno <= line <= end_line(node))
    return any(isinstance(scope, FUNCTIONS) and (positional(scope) or scope.args.vararg) for scope in scopes)


def _with_global(outline: Outline, use: Question) -> bool:
    """It is compared with something of a module: `self.stream is sys.stdout`, `self.lock is LOCK`."""
    sides = [
        side
        for node in outline.nodes
        if isinstance(node, ast.Compare) and node.lineno == use.line and use.what == "compared"
        for side in (node.left, *node.comparators)
    ]
    roots = [root_of_chain(side) for side in sides]
    return any(root is not None and outline.lookup(root, root.id)[0] is outline.module for root in roots)


def _within_one(outline: Outline, use: Question) -> bool:
    """`rows.lock is rows.guards["read"]`: a copy has one for all names that the object has for it, as this has."""
    compared = [
        [_attribute_of(side) for side in (node.left, *node.comparators)]
        for node in outline.of_kind(ast.Compare)
        if node.lineno == use.line and use.what == "compared"
    ]
    return bool(compared) and all(
        "" not in (root for root, _ in sides) and len({root for root, _ in sides}) == 1 and len({*sides}) == len(sides)
        for sides in compared
    )


def _attribute_of(node: ast.expr) -> tuple[str, str]:
    """`rows` and `guards` of `rows.guards["read"]`; "" and "" for anything else."""
    name = ""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        name = node.attr if isinstance(node, ast.Attribute) else name
        node = node.value
    return (node.id, name) if isinstance(node, ast.Name) and name else ("", "")


def _of_given_objects(uses: AttributeUses) -> Iterator[tuple[Outline, ast.Attribute]]:
    """Reads of the attribute in functions that are passed objects: what runs in a worker is."""
    for outline, node in uses.outside.elsewhere.reads(uses.attribute):
        scope = outline.scope(node)
        if isinstance(scope, FUNCTIONS) and positional(scope):
            yield outline, node
