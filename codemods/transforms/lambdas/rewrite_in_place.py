"""Lambdas that need not move: a name of the standard library instead, or `f = lambda` written as `def f`."""

from __future__ import annotations

import ast
import re

from ...finding import Edit, Fix, Refused
from ...flow.answers.introspection import UNKNOWN
from ...nodes import end_line
from ...syntax.binding_rules import ScopeKind
from ...syntax.placement import blank_lines_below, end_of_line, first_attached_line, indentation_at
from ...syntax.scope_data import Scope, end_of, start_of
from ...syntax.scopes import Scopes
from .candidate import Movable
from .checks.identity import told_apart
from .checks.inspection_checks import shown_name
from .file_state import FileRewrite
from .known import Known
from .libraries import libraries
from .stdlib_forms import filled_text, is_factory, known_shape
from .writing.def_text import lambda_as_def

_NOQA = re.compile(r"#\s*(?:noqa|ruff:|flake8:|pylint:|pragma:)", re.IGNORECASE)
_FIRST = re.compile(r"^\s*def .*:$", re.MULTILINE)
_OF_CLASS = "classmethod"
_MARKS = (_OF_CLASS, "staticmethod")
_NO_LAMBDA = re.compile(r"#\s*noqa\s*:\s*E731\s*\Z", re.IGNORECASE)  # "do not assign a lambda"


def in_place(rewrite: FileRewrite, node: Movable, known: Known) -> Fix | None:
    """A standard-library name instead of a lambda, or `f = lambda` written as `def f` where it is."""
    if not isinstance(node, ast.Lambda) or any(isinstance(a, ast.JoinedStr) for a in rewrite.scopes.ancestors(node)):
        return None
    told = told_apart(rewrite.project, known, rewrite.path, rewrite.scopes, node) is not None
    if not told:  # else a name of the standard library would be one object for all calls
        shape = known_shape(rewrite.scopes, rewrite.source, node, rewrite.is_ours(node))
        if shape is not None and is_factory(rewrite.scopes, node) and rewrite.reads_factories:
            return None  # two dicts with `int` have the same factory
        if shape is not None:
            return Fix(f"Say `{shape[0]}` instead of the lambda", (rewrite.replace_lambda(node, shape[0]),), shape[1])
        calls = {item.what for item in known.given(rewrite.path, *start_of(node))} - {UNKNOWN}
        text = filled_text(rewrite.source, node) if calls == {"1"} else None  # which takes nothing by keyword
        if text is not None and not known.asked(rewrite.path, *start_of(node)):
            return Fix(f"Say `{text}` instead of the lambda", (rewrite.replace_lambda(node, text),))
    fix = _def_in_place(rewrite, node, shown_name(rewrite.project, known, rewrite.path, node, True))
    if fix is None and _mark(rewrite, node) == _OF_CLASS:
        raise Refused("a method of a class is looked up there by its name: write it with `def` below `@classmethod`")
    return fix


def _def_in_place(rewrite: FileRewrite, node: ast.Lambda, unsafe: str | None) -> Fix | None:
    scopes = rewrite.scopes
    mark = _mark(rewrite, node)
    statement = scopes.parents[scopes.parents[node]] if mark else scopes.parents[node]
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    target, scope = statement.targets[0], scopes.around(node)
    if not isinstance(target, ast.Name) or scope.kind not in (ScopeKind.MODULE, ScopeKind.CLASS):
        return None
    at: Scope | None = scope
    while at is not None:
        if at.is_local:
            return None
        at = at.parent
    if scope.kind is ScopeKind.CLASS:
        try:
            _check_class(rewrite, node, target.id)
        except Refused:
            if not mark or mark == _OF_CLASS:
                raise
            return None  # a function of the module does as well
    if (
        len(scope.bindings[target.id]) != 1
        or not _alone(rewrite, statement)
        or "# type:" in _line_end(rewrite, statement)
    ):
        return None
    unit = rewrite.units.of(node)
    if (
        unit.refused is not None
        or unit.captures
        or not all(_is_told_by_import(scopes, default, scope) for default in unit.default_nodes.values())
        or (scopes.under_guard(node) and scope.kind is ScopeKind.MODULE)
    ):
        return None
    indent = indentation_at(rewrite.source, statement.lineno)
    try:
        text = lambda_as_def(rewrite.source, node, target.id, [], [], indent, rewrite.indent_unit)
    except Refused:
        return None
    text = f"{indent}@{mark}\n{text}" if mark else text
    top = isinstance(scopes.parents[statement], ast.Module)
    gap = rewrite.gap if top else 1
    block = scopes.block_of(statement)
    line, last = first_attached_line(rewrite.source, statement), end_line(statement)
    edits: list[Edit] = []
    missing = rewrite.missing_above(line, gap)
    if missing and (top or block[0] is not statement):
        start = rewrite.source.line_starts[line - 1]
        edits.append(Edit(rewrite.path, start, start, "\n" * missing))
    start = rewrite.source.line_starts[statement.lineno - 1]
    tail = _line_end(rewrite, statement).strip()
    if _NOQA.match(tail):
        text = text if _NO_LAMBDA.match(tail) else _FIRST.sub(lambda found: f"{found[0]}  {tail}", text, count=1)
    elif tail:
        text = f"{indent}{tail}\n{text}"
    end = end_of_line(rewrite.source, last)
    below = blank_lines_below(rewrite.source, last)
    room = max(0, gap - below) if block[-1] is not statement else 0
    rewrite.room_below[last] = room
    edits.append(Edit(rewrite.path, start, end, text + "\n" * room))
    return Fix(f"Write `{target.id}` as a function", tuple(edits), unsafe=unsafe)


def _is_told_by_import(scopes: Scopes, default: ast.expr, scope: Scope) -> bool:
    """Each import of the module gives the default the same value: it reads names of literals in the same block."""
    for use in scopes.uses_within([default]):
        owner = scopes.owner(use.scope, use.name)
        for binding in owner.bindings[use.name] if owner is not None else [None]:
            statement = binding.statement if binding is not None else None
            if owner is not scope or not isinstance(statement, ast.Assign):
                return False
            if not isinstance(statement.value, ast.Constant) or scopes.parents[statement] is not scope.node:
                return False
    return not any(isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)) for node in ast.walk(default))


def _mark(rewrite: FileRewrite, node: ast.Lambda) -> str:
    """The decorator of a `def` in place of what a class body makes of the lambda: `fold = staticmethod(lambda ...)`."""
    call = rewrite.scopes.parents[node]
    name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    is_mark = name in _MARKS and isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
    inside = rewrite.scopes.around(node).kind is ScopeKind.CLASS
    return name if is_mark and inside and not rewrite.names.is_defined(name) else ""


def _check_class(rewrite: FileRewrite, node: ast.Lambda, name: str) -> None:
    """Raises Refused where pickle does not find what the class body binds to `name` by its qualified name.

    A function of the module would not do instead: as a method of an object, it is looked up there by its own name.
    """
    scopes = rewrite.scopes
    if name.startswith("__") and not name.endswith("__"):
        raise Refused(f"`{name}` has another name outside of the class: name it without two underscores, with `def`")
    if len(scopes.around(node).bindings[name]) != 1:
        raise Refused(f"the class body binds `{name}` several times: keep one, and write it with `def`")
    known = libraries().class_decorators
    for cls in scopes.ancestors(node):
        if not isinstance(cls, ast.ClassDef):
            continue
        if len(scopes.around(cls).bindings[cls.name]) != 1:
            raise Refused(f"`{cls.name}` is bound several times: write it with `def` in a class of its own name")
        if scopes.under_guard(cls):
            raise Refused(f"`{cls.name}` exists only under the main guard: move it above the guard")
        for decorator in cls.decorator_list:
            if not rewrite.units.settled.pure_decorator(decorator, known):
                what = f"`@{ast.unparse(decorator)}` may put something else in the place of `{cls.name}`"
                raise Refused(f"{what}: where it does not, write `{name}` with `def`")


def _alone(rewrite: FileRewrite, statement: ast.stmt) -> bool:
    start, end = rewrite.source.offset(*start_of(statement)), rewrite.source.offset(*end_of(statement))
    before = rewrite.source.text[rewrite.source.line_starts[statement.lineno - 1] : start]
    after = rewrite.source.text[end : end_of_line(rewrite.source, end_line(statement))].strip()
    return not before.strip() and (not after or after.startswith("#"))


def _line_end(rewrite: FileRewrite, statement: ast.stmt) -> str:
    """What follows the statement on its last line: a comment, as a rule."""
    end = rewrite.source.offset(*end_of(statement))
    return rewrite.source.text[end : end_of_line(rewrite.source, end_line(statement))]
