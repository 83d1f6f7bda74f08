"""Statements that set something for the whole process, which workers may need as well: `cv2.setNumThreads(0)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .data import names
from .own_nodes import own_nodes

_DEPTH = 2  # functions of the file that are looked into


def movable_setting(outline: Outline, statement: ast.stmt) -> bool:
    """A setting with constant values, of a library, that does not depend on where it stands."""
    name, values = _set(outline, statement)
    return name in names("settings") and all(_is_constant(outline, value) for value in values)


def only_here(outline: Outline, statement: ast.stmt) -> bool:
    """A seed, or a flag of a backend, with constant values: nothing that a worker notices, or that costs it time."""
    name, values = _set(outline, statement)
    known = name in names("seeds") or (isinstance(statement, ast.Assign) and name.startswith("torch.backends."))
    return known and all(_is_constant(outline, value) for value in values)


def _set(outline: Outline, statement: ast.stmt) -> tuple[str, list[ast.expr]]:
    """What a statement assigns to or calls, dotted, and the values; "" where it does something else."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return qualified_name(outline, statement.targets[0]), [statement.value]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        return qualified_name(outline, call.func), [*call.args, *(keyword.value for keyword in call.keywords)]
    return "", []


def setting_of(statement: ast.stmt) -> str:
    """What a setting sets, as written: the function that is called, or the target; of a module, the module."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return ast.unparse(statement.value.func).rpartition(".")[0] or ast.unparse(statement.value.func)
    return ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""


def _is_constant(outline: Outline, value: ast.expr) -> bool:
    """A literal, or a name of a library (a class of warnings)."""
    return all(
        isinstance(node, (ast.Constant, ast.Tuple, ast.List, ast.Attribute, ast.UnaryOp, ast.unaryop, ast.expr_context))
        or (isinstance(node, ast.Name) and not outline.lookup(node, node.id)[1])
        or (isinstance(node, ast.Name) and bool(qualified_name(outline, node)))
        for node in ast.walk(value)
    )


def settings_for_workers(outline: Outline, statement: ast.stmt, depth: int = 0) -> Iterator[ast.expr]:
    """What in `statement` may set something that a worker reads: calls for their effect, attributes of modules."""
    for node in own_nodes([statement]):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _called(outline, node.value, depth)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            root = root_of(node)
            plain = node.value if isinstance(node, ast.Subscript) else node
            if root is not None and _is_of_a_module(outline, root) and not _only_here(qualified_name(outline, plain)):
                yield node


def attributes_of_libraries(outline: Outline, statement: ast.stmt) -> Iterator[ast.expr]:
    """Attributes of what is imported that `statement` sets: `decimal.getcontext().prec = 4`."""
    for node in own_nodes([statement]):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            root = root_of(node)
            found = outline.lookup(root, root.id)[1] if root is not None else []
            plain = node.value if isinstance(node, ast.Subscript) else node
            imported = any(isinstance(item.statement, (ast.Import, ast.ImportFrom)) for item in found)
            if imported and not _only_here(qualified_name(outline, plain)):
                yield node


def _called(outline: Outline, call: ast.Call, depth: int) -> Iterator[ast.expr]:
    root, name = root_of(call.func), qualified_name(outline, call.func)
    if root is None or root.id in ("print", "exit", "quit", "input") or _only_here(name):
        return
    if name in names("acts") or name in names("little") or name in names("loads"):
        return
    if isinstance(call.func, ast.Attribute) and last_name(call.func) in names("writing_methods"):
        return
    if not _is_of_a_module(outline, root):
        return
    own = [item.statement for item in outline.lookup(root, root.id)[1] if isinstance(item.statement, FUNCTIONS)]
    if not own or depth >= _DEPTH:
        yield call.func
    for function in own if depth < _DEPTH else ():
        for inner in function.body if isinstance(function, FUNCTIONS) else ():
            yield from settings_for_workers(outline, inner, depth + 1)


def root_of(node: ast.expr) -> ast.Name | None:
    """`a` of `a.b[0].c().d`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node if isinstance(node, ast.Name) else None


def _is_of_a_module(outline: Outline, root: ast.Name) -> bool:
    """An import, a function or a class: what a worker has as well, as an object of its own."""
    found = outline.lookup(root, root.id)[1]
    return any(
        isinstance(item.statement, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)) and not item.parameter
        for item in found
    )


def _only_here(name: str) -> bool:
    """It concerns the main process alone, or a worker has it from its parent (the environment, `sys.path`)."""
    return any(name == own or name.startswith((f"{own}.", f"{own}(")) for own in names("main_only"))
