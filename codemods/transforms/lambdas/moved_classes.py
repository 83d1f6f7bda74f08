"""Classes that a call makes in a function (`Row = namedtuple("Row", "a b")`), moved to module level."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from ...finding import Edit, Fix
from ...nodes import end_line, walk
from ...syntax.binding_rules import ScopeKind
from ...syntax.imports import top_imports
from ...syntax.placement import end_of_line, place_above, removal
from .candidate import Unit
from .checks.captures import Captured
from .file_state import FileRewrite

_MAKER = "collections.namedtuple"
_MAKES = "_make"
# what tells the classes of two calls apart, or goes through the names of a module
_TELLS_APART = re.compile(
    r"\btype\([^()\n]*\)(?!\s*\.\s*__name__)|\.__class__\b(?!\s*\.\s*__name__)|\bget(?:members|classes)\b|\bdir\("
)
_SEES_NAMES = re.compile(r"\b(?:globals|locals|vars|eval|exec)\s*\(")


class MovedClasses:
    """The classes of one file that move together with the functions that read them."""

    def __init__(self, rewrite: FileRewrite, captured: Captured) -> None:
        self._rewrite, self._captured = rewrite, captured
        self._known: dict[ast.Call, Fix | None] = {}
        self._taken: dict[Unit, list[Fix]] = {}

    def along(self, group: Iterable[Unit]) -> list[Fix]:
        """How the classes move that functions of the group read; these then need not be given them."""
        found: list[Fix] = []
        for unit in group:
            for variable in list(unit.captures):
                values = [getattr(binding.statement, "value", None) for binding in variable.bindings]
                if len(values) == 1 and (fix := self._moved(values[0])) is not None:
                    del unit.captures[variable]
                    self._taken.setdefault(unit, []).append(fix)
            found += self._taken.get(unit, ())
        return list(dict.fromkeys(found))

    def _moved(self, made: ast.expr | None) -> Fix | None:
        if not isinstance(made, ast.Call) or not self._captured.makes_class(made):
            return None
        if made not in self._known:
            self._known[made] = moved_class(self._rewrite, made)
        return self._known[made]


def moved_class(rewrite: FileRewrite, call: ast.Call) -> Fix | None:
    """The class that `call` makes, at module level; None where one class for all calls of the function won't do."""
    statement = _statement(rewrite, call)
    following = _following(rewrite, statement) if statement is not None else []
    if statement is None or not _stays_the_same(rewrite, statement, following):
        return None
    name = ast.unparse(statement.targets[0])
    source = rewrite.source
    line = place_above(source, rewrite.scopes, statement)
    gap = rewrite.gap_at(line)
    above = "\n" * rewrite.missing_above(line, gap)
    texts = [source.text[slice(*source.range_of(each))] for each in (statement, *following)]
    at = source.line_starts[line - 1]
    edits = (
        Edit(rewrite.path, at, at, above + "".join(f"{text}\n" for text in texts) + "\n" * gap),
        *(Edit(rewrite.path, *removal(source, rewrite.scopes, each), "") for each in (statement, *following)),
    )
    return Fix(f"Make `{name}` at module level", edits)


def _following(rewrite: FileRewrite, statement: ast.Assign) -> list[ast.Assign]:
    """What gives it defaults right below: `Row.__new__.__defaults__ = (None,) * len(Row._fields)`."""
    found: list[ast.Assign] = []
    block, name = rewrite.scopes.block_of(statement), ast.unparse(statement.targets[0])
    for each in block[block.index(statement) + 1 :]:
        target = ast.unparse(each.targets[0]) if isinstance(each, ast.Assign) and len(each.targets) == 1 else ""
        if not isinstance(each, ast.Assign) or target not in (f"{name}.__new__.__defaults__", f"{name}.__doc__"):
            break
        length = {id(part) for node in walk(each.value) if _is_length(node, name) for part in walk(node)}
        allowed = (ast.Constant, ast.Tuple, ast.BinOp, ast.Mult, ast.Load)
        plain = all(isinstance(part, allowed) or id(part) in length for part in walk(each.value))
        if not plain or not _alone(rewrite, each):
            break
        found.append(each)
    return found


def _is_length(node: ast.AST, name: str) -> bool:
    return ast.unparse(node) == f"len({name}._fields)"


def _statement(rewrite: FileRewrite, call: ast.Call) -> ast.Assign | None:
    """`Row = namedtuple("Row", ...)`, alone on its lines in a function, with constants alone."""
    scopes = rewrite.scopes
    statement = scopes.parents.get(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, first = statement.targets[0], call.args[0] if call.args else None
    if not isinstance(target, ast.Name) or not isinstance(first, ast.Constant) or first.value != target.id:
        return None
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    if not all(_is_constant(part) for each in given for part in (each.elts if isinstance(each, ast.List) else [each])):
        return None
    if scopes.around(statement).kind is not ScopeKind.FUNCTION or len(scopes.block_of(statement)) < 2:
        return None
    return statement if _alone(rewrite, statement) else None


def _is_constant(value: ast.expr) -> bool:
    """Nothing can change it. A list that is an argument is only read by the call; one in it is kept, as a default."""
    return all(isinstance(part, (ast.Constant, ast.Tuple, ast.Load)) for part in walk(value))


def _alone(rewrite: FileRewrite, statement: ast.stmt) -> bool:
    """It stands on one line, and nothing else does."""
    source = rewrite.source
    start, end = source.range_of(statement)
    lines = source.line_starts[statement.lineno - 1], end_of_line(source, end_line(statement))
    alone = not source.text[lines[0] : start].strip() and not source.text[end : lines[1]].strip()
    return alone and statement.lineno == statement.end_lineno


def _stays_the_same(rewrite: FileRewrite, statement: ast.Assign, following: Sequence[ast.Assign]) -> bool:
    """One class for all calls of the function does what one for each did, and nobody else has the name."""
    scopes, project = rewrite.scopes, rewrite.project
    assert isinstance(statement.targets[0], ast.Name) and isinstance(statement.value, ast.Call)
    name, home = statement.targets[0].id, scopes.around(statement)
    if [binding.statement for binding in scopes.everywhere(name)] != [statement]:
        return False
    along = {part for each in following for part in walk(each)}
    if any(len(scopes.block_of(each)) < 2 + len(following) for each in following):
        return False  # nothing would be left
    for use in (use for use in scopes.uses if use.name == name and use.node not in along):
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
    return imported in top_imports(scopes.tree) and imported.lineno < scopes.top_statement(statement).lineno
