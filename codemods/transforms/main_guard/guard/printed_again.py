"""Lines printed by statements that every spawned worker runs again, as workers read what these set."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from ....finding import Edit
from ....nodes import end_line
from ....project import Project
from ....questions import asked
from ....syntax.outline import Outline
from ....syntax.placement import indentation_unit
from ....tree.source import Source
from ..importers import Importers
from ..own_nodes import own_nodes
from ..side_effects import only_prints, shows, shows_itself
from ..starts.process_starts import Starts
from ..statements import is_print
from .edits import guard_line, inside_strings

_MOST = 3  # guards of their own that one script gets
_PRINTS = re.compile(r"^\f*(?:\([\s(]*)?print\b|[;\\]\s*print\b", re.MULTILINE)


def prints_of(starts: Starts, outline: Outline, statements: Iterable[ast.stmt]) -> list[ast.stmt] | None:
    """All that `statements` print, as statements that can have a guard of their own; None where that is not all.

    Each is a `print` that stands alone on its lines, below a loop, a condition or a `with`.
    """
    found: list[ast.stmt] = []
    for statement in statements:
        nodes = [*own_nodes([statement])]
        prints = [node for node in nodes if isinstance(node, ast.stmt) and _is_alone(starts, outline, node)]
        known = {inner for node in prints for inner in ast.walk(node)}
        for call in nodes:
            if not isinstance(call, ast.Call) or call in known:
                continue
            called = starts.callees.called(outline, call)
            if shows_itself(outline, call) or (
                called is not None and any(shows(starts, called[0], inner, 1) for inner in called[1].body)
            ):
                return None
        found += prints
    return found if len(found) <= _MOST else None


def _is_alone(starts: Starts, outline: Outline, node: ast.stmt) -> bool:
    if not is_print(node) or not only_prints(starts, outline, node):
        return False
    block = next(
        part
        for name in ("body", "orelse", "finalbody")
        if isinstance(part := getattr(outline.parents[node], name, None), list) and node in part
    )
    at = block.index(node)
    above = end_line(block[at - 1]) if at else _line_of_header(outline.parents[node], node)
    below = block[at + 1].lineno if at + 1 < len(block) else end_line(node) + 1
    return above < node.lineno and end_line(node) < below


def _line_of_header(parent: ast.AST, node: ast.stmt) -> int:
    """The last line that holds something of `parent` before its block."""
    inner = (item for item in ast.walk(parent) if isinstance(item, ast.expr) and item.lineno <= node.lineno)
    before = (end_line(item) for item in inner if (item.lineno, item.col_offset) < (node.lineno, node.col_offset))
    return max([getattr(parent, "lineno", 0), *before])


def print_edits(outline: Outline, source: Source, prints: Sequence[ast.stmt]) -> tuple[Edit, ...]:
    """The edits that put each of `prints` under a guard where it stands. Raises Refused."""
    indent, strings = indentation_unit(source, outline.module), inside_strings(source)
    edits = []
    for node in prints:
        margin = source.line_text(node.lineno)[: node.col_offset]
        for line in range(node.lineno, end_line(node) + 1):
            if line in strings or not source.line_text(line).strip():
                continue
            at = source.line_starts[line - 1]
            lead = f"{margin}{guard_line(source)}\n" if line == node.lineno else ""
            edits.append(Edit(source.path, at, at, lead + indent))
    return tuple(edits)


@asked
def _may_print(project: Project, path: str) -> bool:
    """A statement of the module seems to be a `print(...)`."""
    return project.holds(path, "print") and project.holds(path, _PRINTS)  # most files have none at all


def _is_banner(statement: ast.stmt) -> bool:
    """A `print` that shows texts, and computes nothing."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and all(isinstance(each, ast.Constant) for each in call.args)


def printed_by_imports(starts: Starts, importers: Importers, outline: Outline) -> tuple[str, int] | None:
    """The file, and the line of a `print`, of what the script imports: each worker imports it as well.

    A line that is the same whenever it is printed (`print("apex not found")`) does no harm once more.
    """
    loud, below = importers.loud, importers.below(outline.path)
    for other in sorted(below - loud.keys()):
        loud[other] = _print_in(starts, other)
    # who imports a file is asked only where that matters: each new file may change the answer
    todo, seen = [outline.path], {outline.path}
    for path in todo if any(map(loud.get, below)) else ():
        for other in sorted(importers.imported(path) - seen):
            if not importers.only_later(other):
                seen.add(other)
                todo.append(other)
                if line := loud[other]:
                    return other, line
    return None


def _print_in(starts: Starts, path: str) -> int:
    """The line of the first statement of a module that is a `print`, and no banner; 0 without one."""
    where = starts.callees.repo.outline(path) if _may_print(starts.project, path) else None
    statements = where.module.body if where is not None else ()
    prints = (each for each in statements if is_print(each) and not _is_banner(each))
    return next((each.lineno for each in prints if where is not None and only_prints(starts, where, each)), 0)
