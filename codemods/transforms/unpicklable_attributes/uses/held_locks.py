"""Locks that are held when a process starts, and that somebody asks for without waiting: a new one would be free."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Refused
from ....flow.answers.crossings import flow_of
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ..data import names
from .attribute_uses import AttributeUses

_DEPTH = 2  # functions between the lock and the start
_ACQUIRES = ("blocking", "timeout")  # the parameters of `acquire`


def check_not_held(uses: AttributeUses) -> None:
    """Raises Refused where the copy's lock, which is free, may answer otherwise than the one that a fork copies.

    Who waits for a lock that the parent held at the fork waits forever, so only questions without waiting count.
    """
    if names("locks").isdisjoint(uses.kind.constructors):
        return
    found = list(_uses(uses))
    asked = next((node.lineno for outline, node in found if _asks(outline, node)), None)
    run_there = {(path, line) for path, line, _ in flow_of(uses.family.repo.project).sent()}
    here = ((outline, node) for outline, node in found if _place(outline, node) not in run_there)
    repo = uses.family.repo
    taken = next((node.lineno for outline, node in here if _keeps(repo, outline, node)), None)
    if asked is not None and taken is not None:
        raise Refused(
            f"line {asked} asks for it without waiting, and it may be taken (line {taken}) when a process starts: a "
            "new one would be free. Tell the worker in another way whether it is taken"
        )


def _uses(uses: AttributeUses) -> Iterator[tuple[Outline, ast.Attribute]]:
    outlines = dict.fromkeys([*(shape.outline for shape in uses.hierarchy), *uses.outside.outlines])
    for outline in outlines:
        for node in outline.attributes.get(uses.attribute, ()):
            if isinstance(node.ctx, ast.Load):
                yield outline, node


def _place(outline: Outline, node: ast.AST) -> tuple[str, int]:
    """Where the function around is defined: what workers are sent runs after the start."""
    return outline.path, getattr(outline.scope(node), "lineno", 0)


def _lock(outline: Outline, node: ast.Attribute) -> ast.expr:
    """The lock itself: what is taken out, where the attribute keeps several."""
    above = outline.parents[node]
    return above if isinstance(above, ast.Subscript) and above.value is node else node


def _called(outline: Outline, node: ast.Attribute) -> tuple[str, ast.Call] | None:
    above = outline.parents[_lock(outline, node)]
    call = outline.parents.get(above)
    if isinstance(above, ast.Attribute) and isinstance(call, ast.Call) and call.func is above:
        return above.attr, call
    return None


def _asks(outline: Outline, node: ast.Attribute) -> bool:
    """`x.lock.locked()`, `x.lock.acquire(blocking=False)`, `x.lock.acquire(timeout=1)`."""
    if (called := _called(outline, node)) is None:
        return False
    name, call = called
    if name != "acquire":
        return name == "locked"
    values: dict[str | None, ast.expr] = dict(zip(_ACQUIRES, call.args, strict=False))
    values |= {word.arg: word.value for word in call.keywords}
    waits = values.pop("blocking", None)
    return bool(values) or not (waits is None or (isinstance(waits, ast.Constant) and bool(waits.value)))


def _keeps(repo: Repo, outline: Outline, node: ast.Attribute) -> bool:
    """It is acquired, and released elsewhere; or a process starts while it is held."""
    name, _ = _called(outline, node) or ("", None)
    scope = outline.scope(node)
    if name == "acquire":
        of_here = (other for other in outline.attributes.get(node.attr, ()) if outline.scope(other) is scope)
        releases = [other for other in of_here if (_called(outline, other) or ("",))[0] == "release"]
        between = (call for call in outline.own(scope) if isinstance(call, ast.Call) and call.lineno >= node.lineno)
        last = max((other.lineno for other in releases), default=0)
        return not releases or any(call.lineno <= last and _starts(repo, outline, call) for call in between)
    lock = _lock(outline, node)
    item = outline.parents[lock]
    if not isinstance(item, ast.withitem) or item.context_expr is not lock:
        return False
    block = outline.parents[item]
    return any(isinstance(inner, ast.Call) and _starts(repo, outline, inner) for inner in ast.walk(block))


def _starts(repo: Repo, outline: Outline, call: ast.Call, depth: int = 0) -> bool:
    """It starts a process, or calls a function of the repository that does."""
    if last_name(call.func) in names("starting"):
        return True
    return depth < _DEPTH and any(
        isinstance(inner, ast.Call) and _starts(repo, where, inner, depth + 1)
        for where, function in repo.called(outline, call.func)
        for inner in ast.walk(function)
    )
