"""Settings of another module that no worker can read: `cfg.RANK = 0`, where no dataset has to do with that module."""

from __future__ import annotations

import ast

from ...flow.answers.crossings import flow_of
from ...flow.facts.records import project_facts
from ...project import Project
from ...syntax.outline import Outline
from .importers import Importers
from .settings import root_of, settings_for_workers
from .starts.loader_values import value_of
from .starts.process_starts import Starts

_IN_WORKERS = frozenset({"__getitem__", "__getitems__", "__iter__", "__call__", "run"})
_DEPTH = 3


def may_be_read(starts: Starts, importers: Importers, outline: Outline, node: ast.expr) -> bool:
    """A worker may read what `node` changes, an attribute or the like: False where it is an object that another module
    makes, and no code that workers may run imports that module; and for a function of another file that sets nothing.
    """
    if _sets_nothing(starts, outline, node):
        return False
    root = root_of(node)
    home = _home(starts, outline, root.id) if root is not None else None
    if home is None or home == outline.path:
        return True
    todo = sorted(starts.project.derive(_run_by_workers))
    seen = set(todo)
    for path in todo:  # grows as it goes
        if path in (home, outline.path):
            return True
        new = importers.imported(path) - seen
        seen |= new
        todo += sorted(new)
    return not seen


def _sets_nothing(starts: Starts, outline: Outline, node: ast.expr) -> bool:
    """`utils.load(args, net)`: a function that works on what it is passed alone, which this file has made."""
    call = outline.parents[node]
    found = starts.callees.resolver.functions(outline, node) if isinstance(call, ast.Call) and call.func is node else []
    if len(found) != 1 or not isinstance(call, ast.Call) or found[0][1].decorator_list or found[0][0].made_global:
        return False
    given = (part for value in (*call.args, *call.keywords) for part in ast.walk(value) if isinstance(part, ast.Name))
    if not all(_is_made_here(starts, outline, part) for part in given):
        return False
    other, function = found[0]
    return not any(True for statement in function.body for _ in settings_for_workers(other, statement))


def _is_made_here(starts: Starts, outline: Outline, name: ast.Name, depth: int = 0) -> bool:
    """Each of its values is an object that is new, and none that a module keeps and others read."""
    scope, found = outline.lookup(name, name.id)
    if not found or depth > _DEPTH or (depth and isinstance(scope, ast.Module)):
        return False
    values = [value_of(each.statement, each.value) for each in found]
    return all(value is not None and _is_new(starts, outline, value, depth) for value in values)


def _is_new(starts: Starts, outline: Outline, value: ast.expr, depth: int) -> bool:
    if isinstance(value, ast.Tuple):
        return all(_is_new(starts, outline, each, depth) for each in value.elts)
    if isinstance(value, ast.Name):
        return depth > 0 and _is_made_here(starts, outline, value, depth)
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.Constant)
    for other, function in starts.callees.resolver.functions(outline, value.func):
        returned = [each.value for each in other.own(function) if isinstance(each, ast.Return) and each.value]
        if not all(_is_new(starts, other, each, depth + 1) for each in returned):
            return False
    return True


def _home(starts: Starts, outline: Outline, name: str) -> str | None:
    """The file that makes the object which `name` stands for at the top of a file; None where that can't be told."""
    found = starts.callees.resolver.first_binding(outline, name)
    return found[0].path if found is not None and isinstance(found[2].value, (ast.Call, ast.Dict)) else None


def _run_by_workers(project: Project) -> frozenset[str]:
    """Files with code that a worker may run: methods that loaders call, and what is seen to be sent."""
    flow = flow_of(project)
    found = {path for path, _ in flow.crossing_classes()} | {path for path, _, _ in flow.sent()}
    for path, facts in project_facts(project).items():
        if any(not _IN_WORKERS.isdisjoint(made.members) for made in facts.classes):
            found.add(path)
    return frozenset(found)
