"""Classes that a call makes (`namedtuple`, `type`) where pickle finds none of the name, on the way to a process."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Answer, Edit, Finding, Fix, Refused
from ...flow.answers.crossing import Crossing
from ...flow.answers.crossings import flow_of
from ...hazard_kind import HazardKind
from ...nodes import end_line, statements, walk
from ...project import Project
from ...syntax.binding_rules import ScopeKind
from ...syntax.names import last_name
from ...syntax.placement import end_of_line, place_above, removal
from ...syntax.scope_data import start_of
from .file_state import FileRewrite
from .screen import ID

_BY_HAND = (
    'make it at the top of the module, and bind it there to its own name: `Row = namedtuple("Row", ...)`; a process '
    "that imports the module finds it then"
)
_OF_VALUES = "it is made from `{}`, which is known only when the program runs, so no module can have it by its name: {}"
_SEND_PLAIN = "send plain tuples or dicts, and make the class where they are used"
_REDUCE = "give its objects a `__reduce__` that names a function of the module, which makes the class anew"
_MAKER = "collections.namedtuple"
_MAKES = "_make"
# what tells the classes of two calls apart, or goes through the names of a module
_TELLS_APART = re.compile(
    r"\btype\([^()\n]*\)(?!\s*\.\s*__name__)|\.__class__\b(?!\s*\.\s*__name__)|\bget(?:members|classes)\b|\bdir\("
)
_SEES_NAMES = re.compile(r"\b(?:globals|locals|vars|eval|exec)\s*\(")


def made_classes(project: Project) -> Iterator[Finding]:
    """A finding for each such class, or object of one, that crosses."""
    for crossing in flow_of(project).crossings(frozenset({HazardKind.MADE_CLASS}), project.lowest_bar):
        source = project.source(crossing.path)
        if source is None or not crossing.confidence.reaches(project.bar_of(crossing.path)):
            continue
        start = source.offset(crossing.line, crossing.column)
        end = source.offset(crossing.end_line, crossing.end_column)
        how = crossing.in_words
        message = f"the class that is made here, or an object of it, {how}; pickle can't import it by name"
        span, trace = source.span(start, end), crossing.trace
        if (hidden := _hidden(project, crossing)) is not None:
            message, reason = _in_place_of(hidden, how)
            yield Finding.answered(
                ID, crossing.path, source.span_of(hidden.decorator_list[0]), message, crossing.confidence, trace,
                Refused(reason),
            )  # fmt: skip
            continue
        yield Finding.answered(
            ID, crossing.path, span, message, crossing.confidence, trace, _moved_up(project, crossing)
        )


def _hidden(project: Project, crossing: Crossing) -> ast.ClassDef | None:
    """The class at this place: its decorator gives something else, which has its name."""
    module = project.module(crossing.path)
    at = crossing.line, crossing.column
    nodes = statements(module) if module is not None else ()
    return next((node for node in nodes if isinstance(node, ast.ClassDef) and start_of(node) == at), None)


def _in_place_of(node: ast.ClassDef, how: str) -> tuple[str, str]:
    name, decorator = node.name, ast.unparse(node.decorator_list[0])
    message = f"an object of `{name}` {how}; pickle finds what `@{decorator}` gives under that name, and not the class"
    reason = (
        f"give the class a name of its own (`class _{name}` and `{name} = {decorator}(_{name})`), or let the decorator "
        "give the class back; each process then has an object of its own"
    )
    return message, reason


def _moved_up(project: Project, crossing: Crossing) -> Answer:
    """`Row = namedtuple("Row", "a b")` of a function, above the definition around it."""
    module = project.module(crossing.path)
    rewrite = FileRewrite(project, crossing.path, module) if module is not None else None
    statement = _statement(rewrite, crossing) if rewrite is not None else None
    if rewrite is None or statement is None or not _stays_the_same(rewrite, statement):
        return Refused(_advice(rewrite, crossing))
    name = ast.unparse(statement.targets[0])
    source = rewrite.source
    line = place_above(source, rewrite.scopes, statement)
    gap = rewrite.gap_at(line)
    above = "\n" * rewrite.missing_above(line, gap)
    start, end = source.range_of(statement)
    at = source.line_starts[line - 1]
    edits = (
        Edit(crossing.path, at, at, f"{above}{source.text[start:end]}\n" + "\n" * gap),
        Edit(crossing.path, *removal(source, rewrite.scopes, statement), ""),
    )
    return Fix(f"Make `{name}` at module level", edits)


def _advice(rewrite: FileRewrite | None, crossing: Crossing) -> str:
    """What to do by hand: the class can be made at the top only from what is known there."""
    at = crossing.line, crossing.column
    nodes = walk(rewrite.scopes.tree) if rewrite is not None else ()
    call = next((node for node in nodes if isinstance(node, ast.Call) and start_of(node) == at), None)
    if rewrite is None or call is None:
        return _BY_HAND
    for argument in (*call.args[1:], *(keyword.value for keyword in call.keywords)):
        names = [part for part in walk(argument) if isinstance(part, ast.Name)]
        owners = [rewrite.scopes.owner(rewrite.scopes.around(name), name.id) for name in names]
        if any(owner is not None and owner.is_local for owner in owners):
            plain = last_name(call.func) in ("namedtuple", "NamedTuple", "make_dataclass", "TypedDict")
            return _OF_VALUES.format(ast.unparse(argument)[:60], _SEND_PLAIN if plain else _REDUCE)
    return _BY_HAND


def _statement(rewrite: FileRewrite, crossing: Crossing) -> ast.Assign | None:
    """`Row = namedtuple("Row", ...)`, alone on its lines in a function, with constants alone."""
    scopes, source = rewrite.scopes, rewrite.source
    at = crossing.line, crossing.column
    call = next((node for node in walk(scopes.tree) if isinstance(node, ast.Call) and start_of(node) == at), None)
    statement = scopes.parents.get(call) if call is not None else None
    if call is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, first = statement.targets[0], call.args[0] if call.args else None
    if not isinstance(target, ast.Name) or not isinstance(first, ast.Constant) or first.value != target.id:
        return None
    allowed = (ast.Constant, ast.List, ast.Tuple, ast.Load)
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    if any(not isinstance(part, allowed) for each in given for part in walk(each)):
        return None
    if scopes.around(statement).kind is not ScopeKind.FUNCTION or len(scopes.block_of(statement)) < 2:
        return None
    start, end = source.range_of(statement)
    lines = source.line_starts[statement.lineno - 1], end_of_line(source, end_line(statement))
    alone = not source.text[lines[0] : start].strip() and not source.text[end : lines[1]].strip()
    return statement if alone and statement.lineno == statement.end_lineno else None


def _stays_the_same(rewrite: FileRewrite, statement: ast.Assign) -> bool:
    """One class for all calls of the function does what one for each did, and nobody else has the name."""
    scopes, project = rewrite.scopes, rewrite.project
    assert isinstance(statement.targets[0], ast.Name) and isinstance(statement.value, ast.Call)
    name, home = statement.targets[0].id, scopes.around(statement)
    if [binding.statement for binding in scopes.everywhere(name)] != [statement]:
        return False
    for use in (use for use in scopes.uses if use.name == name):
        above = scopes.parents[use.node]
        makes = isinstance(above, ast.Attribute) and above.attr == _MAKES
        called = scopes.parents[above] if makes else above
        is_called = isinstance(called, ast.Call) and called.func is (above if makes else use.node)
        if not is_called or scopes.owner(use.scope, name) is not home:
            return False
    if not _is_imported(rewrite, statement) or scopes.module.stars or _SEES_NAMES.search(rewrite.source.text):
        return False
    stem = rewrite.path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    star = re.compile(rf"\bfrom[ \t]+[\w.]*\b{re.escape(stem)}[ \t]+import[ \t]*\*")
    return not any(True for _ in project.matching(_TELLS_APART)) and not any(True for _ in project.matching(star))


def _is_imported(rewrite: FileRewrite, statement: ast.Assign) -> bool:
    """The name of the maker is bound once, by an import at the top of the module above the place."""
    assert isinstance(statement.value, ast.Call)
    func = statement.value.func
    root = func.value if isinstance(func, ast.Attribute) else func
    if not isinstance(root, ast.Name):
        return False
    scopes = rewrite.scopes
    owner = scopes.owner(scopes.around(statement), root.id)
    bindings = owner.bindings[root.id] if owner is not None and owner.kind is ScopeKind.MODULE else []
    imported = bindings[0].statement if len(bindings) == 1 else None
    return imported in scopes.top_imports and imported.lineno < scopes.top_statement(statement).lineno
