"""Imports inside a function that nothing there uses any more once what used them has moved, imports and all."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import takewhile

from ....finding import Edit
from ....syntax.binding_rules import FUNCTIONS
from ....syntax.placement import end_of_line, first_attached_line, removal, starts_line
from ....syntax.scope_data import Variable, end_of, start_of
from ....syntax.scopes import Scopes
from ....tree.source import Source
from ..candidate import SEES_NAMES, Unit
from ..checks.settled import Settled

_TURNS = 3  # fixes that wait for one another


def idle_imports(
    settled: Settled, source: Source, group: Sequence[Unit], moving: Iterable[Unit], others: Sequence[Edit] = ()
) -> list[Edit]:
    """Removes what only `group` used. Where others that move use it too, the last one to move removes it.

    An import that may fail, or do something, stays too: whoever calls the function around it gets the error. So does
    one with a comment above it, which would be about nothing.

    For that their fixes must be made one after the other: each has an edit there, which changes nothing.
    `others`: the edits of the fix so far. What they write where a definition stood keeps its block from being empty.
    """
    scopes = settled.scopes
    imported = dict.fromkeys(item for unit in group for item in unit.imported)
    if not imported:
        return []
    edits: list[Edit] = []
    inside = {id(node) for unit in group for node in ast.walk(unit.node)}
    theirs = {id(node): unit for unit in moving if unit not in group for node in ast.walk(unit.node)}
    idle: dict[ast.Import | ast.ImportFrom, list[str]] = {}
    tried: dict[ast.Import | ast.ImportFrom, list[str]] = {}
    for variable in imported:
        statement = _plain_import(scopes, source, variable)
        tried_statement = _import_under_try(scopes, source, variable) if statement is None else None
        if statement is None and tried_statement is None:
            continue
        left = [use for use in variable.scope.uses[variable.name] if id(use.node) not in inside]
        users = {theirs.get(id(use.node)) for use in left}
        if tried_statement is not None or statement is None:
            if tried_statement is not None and not left:
                tried.setdefault(tried_statement, []).append(variable.name)
        elif not left:
            idle.setdefault(statement, []).append(variable.name)
        elif None not in users and len(users) < _TURNS:
            start, end = source.offset(*start_of(statement)), source.offset(*end_of(statement))
            edits.append(Edit(source.path, start, end, source.text[start:end]))
    edits += [_kept(source, item) for item, names in tried.items() if len(names) == len(item.names)]
    going = {unit.node for unit in group if not _leaves_code(source, unit, others)}
    all_names = {item for item, names in idle.items() if len(names) == len(item.names)}
    explained = {item for item in all_names if first_attached_line(source, item) != item.lineno}
    whole = {item for item in all_names - explained if settled.is_import_alone(item)}
    for statement, names in idle.items():
        block = scopes.block_of(statement)
        if statement in explained or not settled.is_import_alone(statement):
            edits.append(_kept(source, statement))
            continue
        if statement not in whole:
            edits.append(_without(source, statement, names))
        elif not all(statement in going or statement in whole for statement in block):  # the block needs something
            head = list(takewhile(whole.__contains__, block))
            if statement in head:  # no blank line stays below the `def`
                start = source.line_starts[head[0].lineno - 1]
                end = source.line_starts[first_attached_line(source, block[len(head)]) - 1]
                edits.append(Edit(source.path, start, end, ""))
            else:
                edits.append(Edit(source.path, *removal(source, scopes, statement), ""))
    return list(dict.fromkeys(edits))


def _leaves_code(source: Source, unit: Unit, edits: Iterable[Edit]) -> bool:
    """An assignment, say, stands where the definition stood."""
    start, end = source.range_of(unit.node)
    return any(edit.start <= start and end <= edit.end and edit.text.strip() for edit in edits)


def _kept(source: Source, statement: ast.Import | ast.ImportFrom) -> Edit:
    """Nothing names what the import binds any more, and linters should know that it is there on purpose."""
    start, end = source.range_of(statement)
    return Edit(source.path, start, end, f"{source.text[start:end]}  # noqa: F401")


def _without(source: Source, statement: ast.Import | ast.ImportFrom, names: Sequence[str]) -> Edit:
    kept = ", ".join(ast.unparse(name) for name in statement.names if (name.asname or name.name) not in names)
    head = "import "
    if isinstance(statement, ast.ImportFrom):
        head = f"from {'.' * statement.level}{statement.module or ''} import "
    return Edit(source.path, source.offset(*start_of(statement)), source.offset(*end_of(statement)), head + kept)


def _import_under_try(scopes: Scopes, source: Source, variable: Variable) -> ast.Import | ast.ImportFrom | None:
    """The import that alone binds the variable, on a line of its own in a `try`: it is there to fail."""
    statement = variable.bindings[0].statement
    if not isinstance(statement, (ast.Import, ast.ImportFrom)) or len(variable.bindings) != 1:
        return None
    behind = source.text[source.offset(*end_of(statement)) : end_of_line(source, statement.lineno)].strip()
    is_alone = statement.end_lineno == statement.lineno and starts_line(source, statement) and not behind
    return statement if is_alone and isinstance(scopes.parents[statement], ast.Try) else None


def _plain_import(scopes: Scopes, source: Source, variable: Variable) -> ast.Import | ast.ImportFrom | None:
    """The import that binds the variable, when it stands on a line of its own in a function, under no `try`."""
    statement = variable.bindings[0].statement
    if not isinstance(statement, (ast.Import, ast.ImportFrom)) or len(variable.bindings) != 1:
        return None
    around = scopes.parents[statement]
    while isinstance(around, ast.If):
        around = scopes.parents[around]
    if around is not variable.scope.node or not isinstance(around, FUNCTIONS):
        return None  # in a `try`, say, it may be there to fail
    if any("." in alias.name and not alias.asname for alias in statement.names if isinstance(statement, ast.Import)):
        return None
    line = statement.lineno
    behind = source.text[source.offset(*end_of(statement)) : end_of_line(source, line)].strip()
    if statement.end_lineno != line or not starts_line(source, statement):
        return None
    if behind and (behind[0] != "#" or "noqa" in behind):
        return None
    seen = any(isinstance(node, ast.Name) and node.id in SEES_NAMES for node in ast.walk(variable.scope.node))
    return None if seen else statement
