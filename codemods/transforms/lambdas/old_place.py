"""What stands at the place that a function or class leaves, and in the code there that names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ...finding import Edit, Import
from ...syntax.placement import end_of_line, first_attached_line, indentation_at, last_line, removal
from ...syntax.scopes import Scope, Use, line_of
from .candidate import SEES_NAMES, Unit, is_after
from .checks import Stay, outside_uses
from .file_state import Move, Page
from .stdlib_forms import spelled

_LINE_END = re.compile(r"[ \t]*(?:#|\r?$)", re.MULTILINE)


def leave(page: Page, move: Move, moves: dict[Unit, Move], imports: list[Import]) -> list[Edit]:
    """What happens at the place that the unit leaves, and to the code there that names it."""
    unit = move.unit
    node = unit.node
    if isinstance(node, ast.Lambda):
        going: set[ast.AST] = {other.node for other in moves}
        if any(isinstance(above, ast.stmt) and above in going for above in page.scopes.ancestors(node)):
            raise Stay("it moves with the function around it")
        if move.arguments and not unit.frozen and _is_given_to_partial(page, node):
            return [page.replace_lambda(node, ", ".join([move.base, *move.arguments]))]
        return [page.replace_lambda(node, _made(page, move, imports))]
    uses = outside_uses(unit, moves)
    seen_by_name = _is_seen_by_name(page, unit)
    if unit.variable is not None and not move.is_object and page.can_vanish(unit):
        if isinstance(node, ast.ClassDef) and move.arguments and not seen_by_name and _may_spell(page, uses, move):
            return [_removal(page, node), *(call_edit(page, use, move) for use in uses)]
        if move.keeps_name or (not uses and not seen_by_name):
            return [_removal(page, node)]
        plain = not move.arguments and not unit.frozen and not seen_by_name and len(uses) <= 8
        if plain and all(_can_rename(page, use, move) for use in uses):
            return [_removal(page, node), *(page.rename(use, move.base) for use in uses)]
    made = _made(page, move, imports)
    indent = indentation_at(page.source, node.lineno)
    given_back = page.given_back(unit)
    if given_back is not None and not seen_by_name:
        text = _broken(page, indent, "return ", made)
        return [_removal(page, node, closing=True), page.replace(given_back, text[len(indent + "return ") :])]
    first, last = first_attached_line(page.source, node), last_line(page.source, node)
    start, end = page.source.line_starts[first - 1], end_of_line(page.source, last)
    return [Edit(page.path, start, end, _broken(page, indent, f"{node.name} = ", made))]


def _broken(page: Page, indent: str, head: str, made: str) -> str:
    """`head` and the call `made`, its arguments on lines of their own where the line gets too long otherwise."""
    text = f"{indent}{head}{made}"
    if len(text) <= page.width or not made.endswith(")"):
        return text
    function, _, arguments = made[:-1].partition("(")
    lines = [f"{indent}{head}{function}(", *(f"{indent}{page.indent_unit}{each}," for each in arguments.split(", "))]
    return "\n".join([*lines, f"{indent})"])


def _made(page: Page, move: Move, imports: list[Import]) -> str:
    """The expression that stands for the function where it was made."""
    if move.is_object:
        return f"{move.base}({', '.join(move.arguments)})"
    arguments = [*move.arguments, *(f"{name}={value}" for name, value in move.unit.frozen.items())]
    return page.partial(move.base, arguments, move.unit.node, imports) if arguments else move.base


def _may_spell(page: Page, calls: Sequence[Use], move: Move) -> bool:
    """Each call may name the class and give it the captured values: there are few, and their lines stay short."""
    more = len(", ".join([move.base, *move.arguments]))
    lines = [line_of(use.node) for use in calls]
    longest = max((len(page.source.line_text(line)) + more * lines.count(line) for line in lines), default=0)
    return len(lines) <= 2 and longest <= page.width


def _is_given_to_partial(page: Page, node: ast.Lambda) -> bool:
    """The lambda is what a `functools.partial(...)` wraps: that can take the captured values as well."""
    call = page.scopes.parents[node]
    if not (isinstance(call, ast.Call) and call.args and call.args[0] is node):
        return False
    found = spelled(page.scopes, page.path, node, "functools", "partial")
    return found is not None and not found[1] and ast.unparse(call.func) == found[0]


def _removal(page: Page, node: ast.stmt, closing: bool = False) -> Edit:
    start, end = removal(page.source, page.scopes, node, closing)
    return Edit(page.path, start, end, "")


def _is_seen_by_name(page: Page, unit: Unit) -> bool:
    """An `eval` and the like could find the local name."""
    assert unit.variable is not None or not isinstance(unit.node, ast.Lambda)
    for use in page.scopes.uses:
        if use.name in SEES_NAMES and page.scopes.owner(use.scope, use.name) is None:
            scope: Scope | None = use.scope
            while scope is not None and scope is not unit.home:
                scope = scope.parent
            if scope is unit.home and is_after(page.scopes, use, unit.node, unit.home):
                return True
    return False


def _can_rename(page: Page, use: Use, move: Move) -> bool:
    try:
        page.rename(use, move.base)
    except Stay:
        return False
    return move.method is None or page.scopes.owner(use.scope, move.method[1]) is move.method[0]


def call_edit(page: Page, use: Use, other: Move) -> Edit:
    """A call of what `use` names gets the captured values first."""
    call, edit = page.scopes.parents[use.node], page.rename(use, "")
    assert isinstance(call, ast.Call)
    if page.source.text[edit.end : edit.end + 1] != "(":
        raise Stay(f"`{use.name}` is called in an unusual way (line {line_of(use.node)}): write `{use.name}(...)`")
    given = ", ".join(other.captures) + (", " if call.args or call.keywords else "")
    if _LINE_END.match(page.source.text, edit.end + 1):  # the arguments are on lines of their own
        given = given.rstrip()
    return Edit(page.path, edit.start, edit.end + 1, f"{other.base}({given}")
