"""Statements whose calls may lead to one of some places, also where the value flow alone knows what they call."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from ....flow.answers.crossings import flow_of
from ....nodes import end_line
from ....syntax.callees import Function, method
from ....syntax.outline import Outline
from ....syntax.repo import Repo

_MAX_FUNCTIONS = 200  # that are followed into
_INIT = "__init__"
_Lines = tuple[str, int, int]  # the path, the first and the last line


def leads_to(repo: Repo, outline: Outline, statements: Iterable[ast.stmt], places: Collection[tuple[str, int]]) -> bool:
    """Whether the statements, or functions that they call, hold one of the places: a path and a line."""
    flow = flow_of(repo.project)
    todo: list[_Lines] = [(outline.path, each.lineno, end_line(each)) for each in statements]
    seen = set(todo)
    for path, first, last in todo:  # grows as it goes
        if any(path == where and first <= line <= last for where, line in places):
            return True
        if len(seen) > _MAX_FUNCTIONS:
            continue
        for (line, _), called in flow.called_in(path).items():
            for place in called if first <= line <= last else ():
                for where, node in repo.defined_at(*place):
                    code = method(node, _INIT) if isinstance(node, ast.ClassDef) else node
                    if code is not None and (lines := _lines(where, code)) not in seen:
                        seen.add(lines)
                        todo.append(lines)
    return False


def _lines(outline: Outline, code: Function) -> _Lines:
    return outline.path, code.lineno, end_line(code)
