"""Whether log records show the name of a function: `%(funcName)s` in a format, and a call of a logger in its code."""

from __future__ import annotations

import ast
import re

from ....nodes import walk
from ....project import Project
from ....syntax.names import last_name

_SHOWS = re.compile(r"\bfuncName\b")
LOG_METHODS = frozenset(["debug", "info", "warn", "warning", "error", "critical", "exception", "log"])
_LOGGER = re.compile(r"log", re.IGNORECASE)


def logged_name(project: Project, path: str, node: ast.AST) -> str | None:
    """Where a log shows the name of this function, which becomes another; in words."""
    call = next((part for part in walk(node) if isinstance(part, ast.Call) and _logs(part)), None)
    for source in project.matching(_SHOWS, word="funcName") if call is not None else ():
        found = _SHOWS.search(source.text)
        line = source.position(found.start())[0] if found is not None else 1
        where = f"line {line}" if source.path == path else f"{source.path}:{line}"
        return f"line {call.lineno} writes to a log, which shows the name of the function (`funcName`, {where})"  # type: ignore[union-attr]
    return None


def _logs(call: ast.Call) -> bool:
    func = call.func
    is_method = isinstance(func, ast.Attribute) and last_name(func) in LOG_METHODS
    return is_method and isinstance(func, ast.Attribute) and _LOGGER.search(ast.unparse(func.value)) is not None
