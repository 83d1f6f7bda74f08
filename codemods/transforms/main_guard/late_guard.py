"""Main guards that begin too late: what stands above them starts nothing, but every worker runs it again."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...finding import Confidence
from ...syntax.main_guard import is_main_name_test
from ...syntax.outline import Outline
from .process_starts import Start, Starts
from .side_effects import Harm, Repeated, repeated
from .statements import stays


@dataclass(frozen=True)
class LateGuard:
    """Statements above the guard that no worker should repeat, by index, and what starts the workers."""

    repeats: dict[int, Repeated]
    start: Start
    confidence: Confidence


def late_guard(starts: Starts, outline: Outline) -> LateGuard | None:
    """What the only main guard of the script leaves out; None where it starts no processes, or leaves out nothing."""
    body = outline.module.body
    guards = [at for at, statement in enumerate(body) if is_plain_guard(statement)]
    if len(guards) != 1:
        return None
    repeats = {
        at: what
        for at, statement in enumerate(body[: guards[0]])
        if not stays(statement) and (what := repeated(starts, outline, statement)) is not None
    }
    repeats = {at: what for at, what in repeats.items() if what.harm is not Harm.LITTLE and what.surely}
    guard = body[guards[0]]
    start = starts.in_block(outline, guard.body) if repeats and isinstance(guard, ast.If) else None
    if start is None:
        return None
    sure = start.confidence if start.confidence.rank < Confidence.LIKELY.rank else Confidence.LIKELY
    return LateGuard(repeats, start, sure)


def is_plain_guard(statement: ast.stmt) -> bool:
    """`if __name__ == "__main__":` with nothing else in its test, and no `else`."""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Compare)
        and is_main_name_test(statement.test)
        and not statement.orelse
    )
