"""What is put on a module only when the process that gets it runs already."""

from __future__ import annotations

import ast

from ...flow.answers.crossing import Crossing
from ...syntax.callees import FUNCTIONS
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.scopes import scopes_of
from .checks.identity import is_made_once

_PROCESS = "multiprocessing.Process"


def set_after_start(repo: Repo, crossing: Crossing) -> bool:
    """`clock.now = lambda: 7` below all starts of the file, in the function that has the start, and runs once."""
    sent = crossing.trace[-1] if crossing.trace else None
    outline = repo.outline(crossing.path)
    if crossing.boundary != _PROCESS or sent is None or sent.path != crossing.path or outline is None:
        return False
    made = next((each for each in outline.by_line.get(crossing.line, ()) if _is_at(each, crossing)), None)
    statement = outline.statement(made) if made is not None else None
    if made is None or not isinstance(statement, ast.Assign) or not _is_put_on_modules(outline, statement, made):
        return False
    scope = outline.scope(statement)
    starts = [call for name in ("Process", "start") for call in outline.calls_of(name)]
    lines = {call.lineno for call in starts if outline.scope(call) is scope and call.lineno < statement.lineno}
    return (
        isinstance(scope, FUNCTIONS)
        and sent.line in lines
        and all(call.lineno in lines for call in starts)
        and is_made_once(repo.project, crossing.path, scopes_of(outline.module), statement)
    )


def _is_at(node: ast.AST, crossing: Crossing) -> bool:
    place = getattr(node, "lineno", 0), getattr(node, "col_offset", -1)
    return isinstance(node, ast.Lambda) and place == (crossing.line, crossing.column)


def _is_put_on_modules(outline: Outline, statement: ast.Assign, made: ast.AST) -> bool:
    """All that the statement gives the value to are names of modules that the file imports."""
    given: list[ast.expr] = []
    for target in statement.targets:
        if statement.value is made:
            given.append(target)
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            pairs = zip(target.elts, statement.value.elts, strict=False)
            given += [to for to, value in pairs if value is made]
    return bool(given) and all(
        isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in outline.imported
        for each in given
    )
