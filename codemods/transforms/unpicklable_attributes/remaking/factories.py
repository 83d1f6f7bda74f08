"""Functions of the repository that make something, and what else they do each time that they are called."""

from __future__ import annotations

import ast

from ....flow.answers.crossings import flow_of
from ....project import Project
from ....syntax.names import root_of_chain, root_of_place
from ....syntax.outline import Outline
from ..classes import Method
from ..data import names


def leaves_trace(outline: Outline, function: Method) -> str | None:
    """What a call of `function` leaves behind beside its result, in words; None where nothing is seen."""
    for node in outline.own(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return f"sets `{node.names[0]}` (line {node.lineno})"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            return f"prints (line {node.lineno})"
        called = node.func if isinstance(node, ast.Call) else None
        changes = isinstance(called, ast.Attribute) and called.attr in names("changing_methods")
        if isinstance(called, ast.Attribute) and changes and _is_shared(outline, called.value):
            return f"changes `{ast.unparse(called.value)}` (line {called.lineno})"
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            above = outline.parents[node]
            if _is_shared(outline, node.value) or (isinstance(above, ast.AugAssign) and above.target is node):
                return f"changes `{ast.unparse(node.value)}` (line {node.lineno})"
    return None


def noted_for_workers(project: Project, outline: Outline, function: Method) -> tuple[str, int] | None:
    """A name of the module that `function` changes, and the line of a worker's code that reads what the file says."""
    noted: set[str] = set()
    for node in outline.own(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            noted |= set(node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            value = node.func.value
            if node.func.attr in names("changing_methods") and _is_shared(outline, value):
                noted |= {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
    run_there = {line for path, line, _ in flow_of(project).sent() if path == outline.path} if noted else set()
    for name in sorted(noted):
        for read in outline.named.get(name, ()):
            scope = outline.scope(read)
            is_load = isinstance(read, ast.Name) and isinstance(read.ctx, ast.Load)
            if is_load and scope is not function and getattr(scope, "lineno", 0) in run_there:
                return name, read.lineno
    return None


def _is_shared(outline: Outline, node: ast.expr) -> bool:
    """A name of the module (or something of it), not a local one and not the object itself."""
    root = root_of_place(node)
    scope, bindings = outline.lookup(root, root.id) if root is not None else (None, ())
    return isinstance(scope, ast.Module) and bool(bindings)


def returned_constructor(outline: Outline, function: Method) -> ast.expr | None:
    """`threading.Lock()`, where that is all that the function returns: it needs nothing that the function has."""
    returned = [node.value for node in outline.own(function) if isinstance(node, ast.Return)]
    if len(returned) != 1 or not isinstance(call := returned[0], ast.Call) or call.args or call.keywords:
        return None
    root = root_of_chain(call.func)
    if root is None or root.id not in outline.imported:
        return None
    return call if isinstance(outline.lookup(root, root.id)[0], ast.Module) else None
