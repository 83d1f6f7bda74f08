"""Thread pools that are shut down before their object is sent: a new one would take tasks again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...finding import Refused, Trace
from ...flow.answers.crossings import flow_of
from ...syntax.branches import exclude_each_other
from ...syntax.outline import Outline
from .attribute_uses import AttributeUses
from .data import names

_STEPS = 4  # functions that call each other
_ENDS_THE_OBJECT = frozenset(("__del__", "__exit__", "__aexit__"))

_Place = tuple[Outline, ast.expr]


def check_not_ended(uses: AttributeUses, trace: Trace) -> None:
    """Raises Refused where what the attribute refers to is ended, and may be sent afterwards."""
    ends = {name.rpartition(".")[2] for name in names("ended_by") if name.rpartition(".")[0] in uses.kind.constructors}
    sent = trace[-1] if trace else None
    outline = uses.family.repo.outline(sent.path) if sent is not None else None
    if not ends or sent is None or outline is None:
        return
    at_work = {(path, line) for path, line, _ in flow_of(uses.family.repo.project).sent()}
    sending = [
        place
        for call in outline.nodes
        if isinstance(call, ast.Call) and call.lineno <= sent.line <= (call.end_lineno or call.lineno)
        for place in _leading_to(uses, outline, call)
    ]
    for place, node in _ended(uses, ends):
        for where, call in _leading_to(uses, place, node):
            if (where.path, getattr(where.scope(call), "lineno", 0)) in at_work:
                continue
            before = any(of is where and _runs_before(where, call, later) for of, later in sending)
            if before and not exclude_each_other(uses.family.repo, [(where.path, call.lineno), (sent.path, sent.line)]):
                by = f", called by {where.path}:{call.lineno}" if call is not node else ""
                raise Refused(
                    f"{place.path}:{node.lineno} ends it before the object is sent{by}, and a new one would take tasks "
                    "again: end it after that"
                )


def _ended(uses: AttributeUses, ends: Iterable[str]) -> Iterator[_Place]:
    """Where it is ended and kept."""
    outlines = dict.fromkeys([*(shape.outline for shape in uses.hierarchy), *uses.outside.outlines])
    for outline in outlines:
        for node in outline.attributes.get(uses.attribute, ()):
            above = outline.parents[node]
            scope = outline.scope(node)
            if not isinstance(node.ctx, ast.Load) or getattr(scope, "name", "") in _ENDS_THE_OBJECT:
                continue
            ended = isinstance(above, ast.withitem) or (isinstance(above, ast.Attribute) and above.attr in ends)
            kept = not any(
                outline.scope(other) is scope and not isinstance(other.ctx, ast.Load)
                for other in outline.attributes[uses.attribute]
            )
            if ended and (kept or scope is uses.hazards[0].store.method):
                yield outline, node


def _leading_to(uses: AttributeUses, outline: Outline, node: ast.expr) -> list[_Place]:
    """The place itself, calls of the method or function around it, of those around these, and so on."""
    found, todo = [(outline, node)], [(outline, node)]
    for _ in range(_STEPS):
        around = {(where, where.scope(place)) for where, place in todo}
        todo = [each for where, scope in around for each in _calls(uses, where, scope) if each not in found]
        found += todo
    return found


def _calls(uses: AttributeUses, outline: Outline, scope: ast.AST) -> Iterator[_Place]:
    """Where `scope`, a function, is called; a method of the class where the flow or `self` shows its object."""
    if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) or scope.name in _ENDS_THE_OBJECT:
        return
    repo = uses.family.repo
    if any(scope in shape.methods.values() for shape in uses.hierarchy):
        for where, read in uses.outside.elsewhere.reads(scope.name):
            if isinstance(call := where.parents[read], ast.Call) and call.func is read:
                yield where, call
        for shape in uses.hierarchy:
            for _, read in shape.selves.get(scope.name, []):
                if isinstance(call := shape.outline.parents[read], ast.Call) and call.func is read:
                    yield shape.outline, call
        return
    for where in repo.mentioning(scope.name):
        for call in where.calls.get(scope.name, ()):
            if any(function is scope for _, function in repo.called(where, call.func)):
                yield where, call


def _runs_before(outline: Outline, node: ast.expr, sending: ast.expr) -> bool:
    """`node` stands in the function that sends the object, above that or above the start, or in a loop with it."""
    scope = outline.scope(node)
    if outline.scope(sending) is not scope or node is sending or node in outline.ancestors(sending):
        return False
    starts = [call for call in outline.calls.get("start", ()) if outline.scope(call) is scope]
    last = max((call.lineno for call in (*starts, sending)), default=0)
    return node.lineno < max(last, sending.lineno) or outline.shared_loop(node, sending) is not None
