"""Thread pools that are shut down before their object is sent: a new one would take tasks again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....finding import Refused, Trace
from ....flow.answers.crossings import flow_of
from ....nodes import end_line
from ....syntax.branches import exclude_each_other
from ....syntax.outline import Outline
from ..data import names
from .attribute_uses import AttributeUses

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
    sending: dict[ast.AST, list[ast.expr]] = {}  # by the function that they stand in
    for node in outline.nodes:
        if isinstance(node, ast.Call) and node.lineno <= sent.line <= end_line(node):
            for where, call in _leading_to(uses, outline, node):
                sending.setdefault(where.scope(call), []).append(call)
    for place, node in _ended(uses, ends):
        for where, call in _leading_to(uses, place, node):
            if (where.path, getattr(where.scope(call), "lineno", 0)) in at_work:
                continue
            before = any(_runs_before(where, call, later) for later in sending.get(where.scope(call), ()))
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
    found, todo = {node: outline}, [(outline, node)]
    callers = _Callers(uses)
    for _ in range(_STEPS):
        around = dict.fromkeys((where, where.scope(place)) for where, place in todo)
        todo = [each for where, scope in around for each in callers.of(where, scope) if each[1] not in found]
        found.update((call, where) for where, call in todo)
    return [(where, place) for place, where in found.items()]


class _Callers:
    """Where functions are called; each function, and each name of methods, is answered once."""

    def __init__(self, uses: AttributeUses) -> None:
        self._uses = uses
        self._asked: set[ast.AST | str] = set()

    def of(self, outline: Outline, scope: ast.AST) -> Iterator[_Place]:
        """Where `scope`, a function, is called; a method of the class where the flow or `self` shows its object."""
        if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) or scope.name in _ENDS_THE_OBJECT:
            return
        if scope in self._asked:
            return
        self._asked.add(scope)
        if any(scope in shape.methods.values() for shape in self._uses.hierarchy):
            yield from self._of_method(scope.name)
            return
        repo = self._uses.family.repo
        yield from repo.callers(scope)
        if isinstance(outline.parents[scope], ast.ClassDef) and scope.name not in self._asked:
            self._asked.add(scope.name)
            yield from repo.callers_of_any_method(scope.name)

    def _of_method(self, name: str) -> Iterator[_Place]:
        for where, read in self._uses.outside.elsewhere.reads(name):
            if isinstance(call := where.parents[read], ast.Call) and call.func is read:
                yield where, call
        for shape in self._uses.hierarchy:
            for _, read in shape.selves.get(name, []):
                if isinstance(call := shape.outline.parents[read], ast.Call) and call.func is read:
                    yield shape.outline, call


def _runs_before(outline: Outline, node: ast.expr, sending: ast.expr) -> bool:
    """`node` stands above what sends the object in the same function, or above the start, or in a loop with it."""
    scope = outline.scope(node)
    if node is sending or node in outline.ancestors(sending):
        return False
    starts = [call for call in outline.calls.get("start", ()) if outline.scope(call) is scope]
    last = max((call.lineno for call in (*starts, sending)), default=0)
    return node.lineno < max(last, sending.lineno) or outline.shared_loop(node, sending) is not None
