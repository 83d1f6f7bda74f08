"""Names of modules that workers give another object before they use them: `clock.ticks = iter(rows)`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from ....nodes import walk
from ....syntax.callees import Callees, Function
from ....syntax.outline import Outline
from .worker_functions import Worker, begins_some, begins_workers

if TYPE_CHECKING:
    from .changed_settings import Place, Settings

_MAX_DEPTH = 3


def bound_in(
    callees: Callees, settings: Settings, outlines: Iterable[Outline], run: Collection[ast.AST]
) -> dict[ast.AST, ast.AST]:
    """The functions that workers run (`run`) and that bind the name of the settings, each with the statement."""
    found: dict[ast.AST, ast.AST] = {}
    for outline in outlines:
        for node in outline.attributes.get(settings.name, ()):
            scope = outline.scope(node)
            bound = (
                callees.resolver.bound_by(outline, node) if isinstance(node.ctx, ast.Store) and scope in run else None
            )
            if bound is not None and bound[:2] == (settings.outline, settings.name):
                found[scope] = outline.statement(node)
    return found


def bind_first(
    callees: Callees, name: str, bound: Mapping[ast.AST, ast.AST], workers: Iterable[Worker],
    readers: Iterable[tuple[Place, Worker]],
) -> bool:  # fmt: skip
    """All functions that are sent where those of the readers are begin with one of the statements in `bound`.

    Or one that each worker begins with: `initializer=`, `worker_init_fn=`.
    """
    files = {path for _, reader in readers for path in reader.sent}
    sent = [worker for worker in workers if worker.depth == 0 and not files.isdisjoint(worker.sent)]
    binds = [each for each in sent if _binds_first(callees, each.outline, each.function, name, bound, 0)]
    return bool(binds) and (
        binds == sent
        or any(
            begins_workers(each.outline, each.function) and not begins_some(each.outline, each.function)
            for each in binds
        )
    )


def _binds_first(
    callees: Callees, outline: Outline, function: Function, name: str, bound: Mapping[ast.AST, ast.AST], depth: int
) -> bool:
    """The function comes to its statement in `bound` before it calls another function or uses the name."""
    for statement in function.body:
        nodes = list(walk(statement))
        reads = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == name]
        if bound.get(function) is statement:
            return all(isinstance(node.ctx, ast.Store) for node in reads)
        called = [callees.called(outline, node) for node in nodes if isinstance(node, ast.Call)]
        found = [each for each in called if each is not None]
        if found or reads:
            is_step = len(called) == 1 and isinstance(statement, ast.Expr) and not reads and depth < _MAX_DEPTH
            return is_step and _binds_first(callees, *found[0][:2], name, bound, depth + 1)
    return False
