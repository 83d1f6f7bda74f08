"""What goes into a main guard that begins too late, with the statements that no worker should repeat; what stays above.

The guard starts the workers already, so all that stands above it may stay: only what is made for these statements goes
along, and what stands below them and may need them; not a constant.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from ....syntax.outline import Outline
from ....syntax.resolver import Resolver
from ..statements import is_guard, is_plain, method_root, names_bound, stays
from .one_guard import moves


def constants(resolver: Resolver, outline: Outline, inside: Collection[int]) -> set[int]:
    """Those of the statements `inside` (indices into the module) that are the same constants in front of all others."""
    body, found = outline.module.body, set[int]()
    for at in sorted(inside):
        over = [body[other] for other in sorted(inside) if other < at and other not in found]
        if is_plain(body[at]) and moves(resolver, outline, body[at], over):
            found.add(at)
    return found


def made_for(
    outline: Outline, inside: Collection[int], outside: Collection[int], prepares: Callable[[ast.stmt], bool]
) -> set[int]:
    """What stands above the statements `inside` and is made for them: no constants, and nothing that others read, too.

    `outside`: statements that stay; `prepares`: it binds variables, or calls a method of one.
    """
    body, found = outline.module.body, set[int]()
    for at in range(min(inside, default=0) - 1, -1, -1):
        if at not in outside and prepares(body[at]) and _is_for(outline, at, found | set(inside)):
            found.add(at)
        elif not stays(body[at]) and not is_plain(body[at]):
            break
    bound = {name for at in found for name in names_bound(body[at])}
    roots = {method_root(body[at]) for at in found} - {None}
    return found if roots <= bound else set()


def _is_for(outline: Outline, at: int, others: Collection[int]) -> bool:
    """The statement binds or changes what `others` read, and beside them only a guard below."""
    statement = outline.module.body[at]
    value = getattr(statement, "value", None)
    if is_plain(statement) and not any(isinstance(node, ast.Name) for node in ast.walk(value or statement)):
        return False
    root = method_root(statement)
    names = set(names_bound(statement)) if root is None else {root}
    readers = {reader for name in names for reader in _readers(outline, name)} - {at}
    guards = {reader for reader in readers if at < reader and is_guard(outline.module.body[reader])}
    return not readers.isdisjoint(others) and readers <= {*others, *guards}


def _readers(outline: Outline, name: str) -> set[int]:
    """The statements of the module that read the name, or in which something does."""
    tops = {statement: at for at, statement in enumerate(outline.module.body)}
    named = (use for use in outline.named.get(name, ()) if isinstance(use, ast.Name))
    uses = [use for use in named if not isinstance(use.ctx, ast.Store)]
    return {tops[above] for use in uses for above in (use, *outline.ancestors(use)) if above in tops}
