"""Settings of another module that no worker can read: `cfg.RANK = 0`, where no dataset has to do with that module."""

from __future__ import annotations

import ast

from ...flow.answers.crossings import flow_of
from ...flow.facts.records import project_facts
from ...project import Project
from ...syntax.outline import Outline
from .importers import Importers
from .settings import root_of
from .starts.process_starts import Starts

_IN_WORKERS = frozenset({"__getitem__", "__getitems__", "__iter__", "__call__", "run"})


def may_be_read(starts: Starts, importers: Importers, outline: Outline, node: ast.expr) -> bool:
    """A worker may read what `node` changes, an attribute or the like: False where it is an object that another module
    makes, and no code that workers may run imports that module.
    """
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
