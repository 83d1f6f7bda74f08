"""Functions, classes and objects of a module that the code loads by its path, on the way to a process boundary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Refused
from ...flow.answers.crossing import Crossing
from ...flow.answers.crossings import flow_of
from ...flow.facts.loaded_by_path import names_class
from ...hazard_kind import HazardKind
from ...nodes import at_place
from ...project import Project
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from .screen import ID

_REGISTERS = re.compile(r"\bmodules\s*(?:\[|\.\s*(?:setdefault|update|__setitem__)\b)")
_DEPTH = 2  # functions that return it
_BY_PATH = "spec_from_file_location"  # a spec may also come from `find_spec`, by name
_LOOKS_AT = frozenset({"exec_module", "getattr", "hasattr", "vars", "dir", "print", "getmembers", "isinstance", "type"})


def loaded_by_path(project: Project) -> Iterator[Finding]:
    """A finding for each function, class or object of such a module that crosses."""
    crossings = flow_of(project).crossings(frozenset({HazardKind.LOADED}), project.lowest_bar)
    repo = Repo(project) if crossings else None
    for crossing in crossings:
        outline = repo.outline(crossing.path) if repo is not None else None
        source = project.source(crossing.path)
        if outline is None or source is None or not crossing.confidence.reaches(project.bar_of(crossing.path)):
            continue
        taken = _taken(outline, crossing)
        if taken is None or _BY_PATH not in source.text or _REGISTERS.search(source.text):
            continue
        if _may_be_registered(outline, taken):
            continue
        is_object = isinstance(taken, ast.Call) and isinstance(taken.func, ast.Attribute)
        called = is_object or names_class(taken)
        if called or flow_of(project).called_by_path(crossing.path, crossing.line, crossing.column):
            yield _finding(project, crossing, taken)


def _taken(outline: Outline, crossing: Crossing) -> ast.Attribute | ast.Call | None:
    """The expression at the place of the crossing."""
    return at_place((node for node in outline.nodes if isinstance(node, (ast.Attribute, ast.Call))), crossing.place)


def _module(taken: ast.Attribute | ast.Call) -> ast.expr:
    """`module` of `module.name`, `module.Name()` and `getattr(module, name)`."""
    if isinstance(taken, ast.Attribute):
        return taken.value
    return taken.func.value if isinstance(taken.func, ast.Attribute) else taken.args[0]


def _may_be_registered(outline: Outline, taken: ast.Attribute | ast.Call) -> bool:
    """It may be an imported module too, or goes to a function that may register it in `sys.modules`."""
    return _is_shared(outline, _module(taken), 0)


def _is_shared(outline: Outline, module: ast.expr, depth: int) -> bool:
    if not isinstance(module, ast.Name) or depth > _DEPTH:
        return True
    scope, bindings = outline.lookup(module, module.id)
    for binding in bindings:
        func = getattr(binding.value, "func", module)
        returned = _returned(outline, func)
        if last_name(func) != "module_from_spec" and not returned:
            return True
        if any(_is_shared(outline, each, depth + 1) for each in returned):
            return True
    for node in outline.nodes:
        if isinstance(node, ast.Call) and last_name(node.func) not in _LOOKS_AT:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            names = [value for value in given if isinstance(value, ast.Name) and value.id == module.id]
            if any(outline.lookup(value, value.id)[0] is scope for value in names):
                return True
    return False


def _returned(outline: Outline, func: ast.expr) -> list[ast.expr]:
    """What the function of the file that `func` names returns."""
    bound = outline.lookup(func, func.id)[1] if isinstance(func, ast.Name) else []
    functions = [item.statement for item in bound if isinstance(item.statement, ast.FunctionDef) and not item.parameter]
    nodes = (node for function in functions for node in outline.own(function))
    return [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]


def _finding(project: Project, crossing: Crossing, taken: ast.Attribute | ast.Call) -> Finding:
    source = project.source(crossing.path)
    assert source is not None
    module, what = ast.unparse(_module(taken)), ast.unparse(taken)
    if isinstance(taken, ast.Call) and isinstance(taken.func, ast.Attribute):
        what = f"an object of `{ast.unparse(taken.func)}`"
    else:
        what = f"`{what}`"
    message = f"{what} {crossing.in_words}; pickle can't import it by name, as `{module}` is loaded by its path"
    reason = (
        f"no import finds the module `{module}`: send its path, and load it in each process (in `__setstate__`, or "
        "where it is first used), or make it a module that processes can import"
    )
    start = source.offset(crossing.line, crossing.column)
    span = source.span(start, source.offset(crossing.end_line, crossing.end_column))
    return Finding.answered(ID, crossing.path, span, message, crossing.confidence, crossing.trace, Refused(reason))
