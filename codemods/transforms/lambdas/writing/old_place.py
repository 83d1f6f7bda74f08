"""What stands at the place that a function or class leaves, and in the code there that names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from ....finding import Edit, Import, Refused
from ....nodes import end_line
from ....syntax.names import last_name
from ....syntax.placement import end_of_line, first_attached_line, indentation_at, last_line, removal
from ....syntax.scope_data import Scope, Use, line_of
from ..candidate import SEES_NAMES, Unit, has_own_names, is_after
from ..file_state import FileRewrite, Move
from ..known import outside_uses
from ..stdlib_forms import spelled

_ABOUT_LAMBDAS = re.compile(r"[ \t]*#[ \t]*noqa(?:[ \t]*:[ \t]*E731)?[ \t]*(?=\r?$)", re.IGNORECASE | re.MULTILINE)
_LINE_END = re.compile(r"[ \t]*(?:#|\r?$)", re.MULTILINE)
_OPENED = re.compile(r"\(\s*(?=[^\s#])")
_GAP = re.compile(r"[ \t]*(?:\r\n|\n)\s*(?=[^\s#])")


def leave(rewrite: FileRewrite, move: Move, moves: dict[Unit, Move], imports: list[Import]) -> list[Edit]:
    """What happens at the place that the unit leaves, and to the code there that names it."""
    unit = move.unit
    node = unit.node
    if isinstance(node, ast.Lambda):
        going: set[ast.AST] = {other.node for other in moves}
        if any(isinstance(above, ast.stmt) and above in going for above in rewrite.scopes.ancestors(node)):
            raise Refused("it moves with the function around it")
        goes = move.keeps_name or (unit.variable is not None and not outside_uses(unit, moves))
        if goes and (named := lone_assignment(rewrite, unit, moves)) is not None:
            return [_removal(rewrite, named)]
        joins = move.is_partial and move.arguments and move.passes_on is None and not unit.frozen
        if joins and _is_given_to_partial(rewrite, node):
            return [rewrite.replace_lambda(node, ", ".join([move.base, *move.arguments]))]
        if _takes_arguments(move) and (given := _beside_target(rewrite, node, move)) is not None:
            return [rewrite.replace_lambda(node, given[0]), *given[1]]
        return [rewrite.replace_lambda(node, _made(rewrite, move, imports)), *_no_longer_ignored(rewrite, node)]
    uses = outside_uses(unit, moves)
    seen_by_name = is_seen_by_name(rewrite, unit)
    if unit.variable is not None and not move.is_object and not unit.applied and rewrite.can_vanish(unit):
        if move.arguments and is_spelled_in_calls(rewrite, move, moves):
            return [_removal(rewrite, node), *(call_edit(rewrite, use, move) for use in uses)]
        if move.keeps_name or (not uses and not seen_by_name):
            return [_removal(rewrite, node)]
        plain = not move.is_partial and not unit.fields and not seen_by_name and len(uses) <= 8
        if plain and all(_can_rename(rewrite, use, move) for use in uses):
            return [_removal(rewrite, node), *(rewrite.rename(use, move.base) for use in uses)]
        is_target = _takes_arguments(move) and not unit.fields and not seen_by_name and len(uses) == 1
        given = _beside_target(rewrite, uses[0].node, move) if is_target and uses[0].scope is unit.home else None
        if given is not None:
            return [_removal(rewrite, node), rewrite.rename(uses[0], given[0]), *given[1]]
    created = _made(rewrite, move, imports)
    indent = indentation_at(rewrite.source, node.lineno)
    returned_name = rewrite.returned_name(unit)
    if returned_name is not None and not seen_by_name:
        text = _broken(rewrite, indent, "return ", created)
        return [_removal(rewrite, node, closing=True), rewrite.replace(returned_name, text[len(indent + "return ") :])]
    if unit.late is not None:
        use, why = unit.late
        if uses != [use] or seen_by_name or unit.frozen or not rewrite.can_vanish(unit):
            raise Refused(why)
        return [_removal(rewrite, node), rewrite.replace(use.node, created)]
    first, last = first_attached_line(rewrite.source, node), last_line(rewrite.source, node)
    start, end = rewrite.source.line_starts[first - 1], end_of_line(rewrite.source, last)
    is_unread = bool(unit.applied) and unit.variable is not None and not uses and not seen_by_name
    return [Edit(rewrite.path, start, end, _broken(rewrite, indent, "" if is_unread else f"{node.name} = ", created))]


def lone_assignment(rewrite: FileRewrite, unit: Unit, moves: Collection[Unit]) -> ast.stmt | None:
    """`name = lambda ...`, alone on its lines and in a block with more."""
    scopes, source = rewrite.scopes, rewrite.source
    statement = scopes.parents[unit.node]
    if not isinstance(statement, ast.Assign) or unit.variable is None:
        return None
    read = unit.variable.name in unit.variable.scope.uses
    if not read or len(statement.targets) > 1 or not isinstance(statement.targets[0], ast.Name):
        return None
    start, end = source.range_of(statement)
    first, last = source.line_starts[statement.lineno - 1], end_of_line(source, end_line(statement))
    alone = not source.text[first:start].strip() and not source.text[end:last].strip()
    above = {scopes.parents[other.node] for other in moves}
    moving = {other.node for other in moves} | {each for each in above if isinstance(each, ast.Assign)}
    stays = any(each not in moving for each in scopes.block_of(statement))
    attached = first_attached_line(source, statement) < statement.lineno  # a comment, which would go as well
    return statement if alone and stays and not attached and not is_seen_by_name(rewrite, unit) else None


def _takes_arguments(move: Move) -> bool:
    """All that it takes along comes before its own parameters, and nothing tells it from an equal one."""
    passes_on = move.passes_on is None or not any("=" in value for value in move.passes_on)
    return move.is_partial and passes_on and not move.unit.frozen and not move.is_distinct and bool(_given(move))


def _given(move: Move) -> list[str]:
    return move.arguments if move.passes_on is None else move.passes_on


def _beside_target(rewrite: FileRewrite, node: ast.expr, move: Move) -> tuple[str, list[Edit]] | None:
    """What stands for `node` in `Process(target=node)`, and edits of the arguments there; None at other places.

    `worker, args=(queue,)`, where the call says nothing of arguments; else the values go in front of those that it has.
    """
    parent = rewrite.scopes.parents[node]
    call = rewrite.scopes.parents[parent]
    if not (
        isinstance(parent, ast.keyword)
        and parent.arg == "target"
        and isinstance(call, ast.Call)
        and last_name(call.func) == "Process"
        and not rewrite.names.is_defined("Process")
        and not call.args
        and all(keyword.arg in ("target", "name", "daemon", "args") for keyword in call.keywords)
    ):
        return None
    values = ", ".join(_given(move))
    args = next((keyword.value for keyword in call.keywords if keyword.arg == "args"), None)
    if args is None:
        return f"{move.base}, args=({values}{',' if len(_given(move)) == 1 else ''})", []
    start, end = rewrite.source.range_of(args)
    opened = _OPENED.match(rewrite.source.text, start)
    if opened is None or not isinstance(args, ast.Tuple) or not args.elts:
        return None
    edits = [Edit(rewrite.path, opened.end(), opened.end(), f"{values}, ")]
    if len(args.elts) == 1 and rewrite.source.text[end - 2 : end] == ",)":
        edits.append(Edit(rewrite.path, end - 2, end - 1, ""))  # the comma that made a tuple of it
    return move.base, edits


def _no_longer_ignored(rewrite: FileRewrite, node: ast.Lambda) -> list[Edit]:
    """The `# noqa` behind `name = lambda ...`: E731 was about the lambda, not what stands there now."""
    statement = rewrite.scopes.parents[node]
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is not node:
        return []
    _, end = rewrite.source.range_of(statement)
    comment = _ABOUT_LAMBDAS.match(rewrite.source.text, end)
    return [Edit(rewrite.path, comment.start(), comment.end(), "")] if comment is not None else []


def _broken(rewrite: FileRewrite, indent: str, head: str, made: str) -> str:
    """`head` and the call `made`, its arguments on lines of their own where the line gets too long otherwise."""
    text = f"{indent}{head}{made}"
    if len(text) <= rewrite.width or not made.endswith(")"):
        return text
    call = ast.parse(made, mode="eval").body
    if not isinstance(call, ast.Call) or not (call.args or call.keywords) or "\n" in made:
        return text
    every = [ast.get_source_segment(made, item) or "" for item in (*call.args, *call.keywords)]
    called, inner = ast.get_source_segment(made, call.func), indent + rewrite.indent_unit
    lines = [f"{indent}{head}{called}(", *(f"{_broken(rewrite, inner, '', item)}," for item in every)]
    return "\n".join([*lines, f"{indent})"])


def _made(rewrite: FileRewrite, move: Move, imports: list[Import]) -> str:
    """The expression that stands for the function where it was made, its decorators applied."""
    made = _bare(rewrite, move, imports)
    for decorator in reversed(move.unit.applied):
        made = f"{rewrite.source.text_of(decorator)}({made})"
    return made


def _bare(rewrite: FileRewrite, move: Move, imports: list[Import]) -> str:
    if move.is_object:
        return f"{move.base}({', '.join([*move.arguments, *_defaults(move)])})"
    if move.passes_on is not None:
        passed = move.passes_on
        return rewrite.partial(move.base, passed, move.unit.node, imports) if passed else move.base
    arguments = [*move.arguments, *_defaults(move)]
    return (
        rewrite.partial(move.base, arguments, move.unit.node, imports) if arguments or move.is_distinct else move.base
    )


def _defaults(move: Move) -> list[str]:
    return [f"{name}={value}" for name, value in move.unit.frozen.items()]


def _is_made_at_once(rewrite: FileRewrite, node: ast.AST, calls: Sequence[Use]) -> bool:
    """The one object is made in the next statement, before all else in it: what is read is the same there."""
    assert isinstance(node, ast.ClassDef)
    block = rewrite.scopes.block_of(node)
    after = block[block.index(node) + 1] if block[-1] is not node else None
    if len(calls) != 1 or not isinstance(after, (ast.Return, ast.Assign, ast.Expr)):
        return False
    return after.value is rewrite.scopes.parents[calls[0].node]


def is_spelled_in_calls(rewrite: FileRewrite, move: Move, moves: dict[Unit, Move]) -> bool:
    """Each call names the class and gives it the captured values: there are few, and their lines stay short."""
    node, calls = move.unit.node, outside_uses(move.unit, moves)
    if not isinstance(node, ast.ClassDef) or is_seen_by_name(rewrite, move.unit):
        return False
    if move.unit.fields and not _is_made_at_once(rewrite, move.unit.node, calls):
        return False
    more = len(", ".join([move.base or node.name, *move.arguments]))
    lines = [line_of(use.node) for use in calls]
    longest = max((len(rewrite.source.line_text(line)) + more * lines.count(line) for line in lines), default=0)
    return len(lines) <= 2 and longest <= rewrite.width


def _is_given_to_partial(rewrite: FileRewrite, node: ast.Lambda) -> bool:
    """The lambda is what a `functools.partial(...)` wraps: that can take the captured values as well."""
    call = rewrite.scopes.parents[node]
    if not (isinstance(call, ast.Call) and call.args and call.args[0] is node):
        return False
    found = spelled(rewrite.scopes, rewrite.path, node, "functools", "partial")
    return found is not None and not found[1] and ast.unparse(call.func) == found[0]


def _removal(rewrite: FileRewrite, node: ast.stmt, closing: bool = False) -> Edit:
    start, end = removal(rewrite.source, rewrite.scopes, node, closing)
    return Edit(rewrite.path, start, end, "")


def is_seen_by_name(rewrite: FileRewrite, unit: Unit, among: frozenset[str] = SEES_NAMES) -> bool:
    """An `eval` and the like, one of those `among`, could find the local name."""
    assert unit.variable is not None or not isinstance(unit.node, ast.Lambda)
    for use in rewrite.seeing_names:
        given = has_own_names(rewrite.scopes, use)  # it sees no others
        if use.name in among and not given and rewrite.scopes.owner(use.scope, use.name) is None:
            scope: Scope | None = use.scope
            while scope is not None and scope is not unit.home:
                scope = scope.parent
            if scope is unit.home and is_after(rewrite.scopes, use, unit.node, unit.home):
                return True
    return False


def _can_rename(rewrite: FileRewrite, use: Use, move: Move) -> bool:
    try:
        rewrite.rename(use, move.base)
    except Refused:
        return False
    return move.method is None or rewrite.scopes.owner(use.scope, move.method[1]) is move.method[0]


def call_edit(rewrite: FileRewrite, use: Use, other: Move) -> Edit:
    """A call of what `use` names gets the captured values first."""
    call, edit = rewrite.scopes.parents[use.node], rewrite.rename(use, "")
    assert isinstance(call, ast.Call)
    if rewrite.source.text[edit.end : edit.end + 1] != "(":
        raise Refused(f"`{use.name}` is called in an unusual way (line {line_of(use.node)}): write `{use.name}(...)`")
    passed, text = ", ".join(other.arguments), rewrite.source.text
    more = ", " if call.args or call.keywords else ""
    gap = _GAP.match(text, edit.end + 1)
    if gap is not None and more:  # the arguments are on lines of their own
        line = rewrite.source.line_text(text.count("\n", 0, gap.end()) + 1)
        more = more if len(line) + len(passed) + len(more) <= rewrite.width else f",{gap[0]}"
        return Edit(rewrite.path, edit.start, gap.end(), f"{other.base}({gap[0]}{passed}{more}")
    if _LINE_END.match(text, edit.end + 1):  # with a comment
        more = more.rstrip()
    return Edit(rewrite.path, edit.start, edit.end + 1, f"{other.base}({passed}{more}")
