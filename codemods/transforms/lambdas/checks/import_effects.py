"""Whether the first import of a module of the repository only defines: else it stays where and when it runs."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ....nodes import walk
from ....project import Project
from ....syntax.binding_rules import FUNCTIONS
from ....syntax.main_guard import is_main_process_test
from ....syntax.modules import Modules
from ....syntax.names import root_of_chain

_MOST = 40  # modules that are looked at for one import
_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINES = (*FUNCTIONS, ast.ClassDef, *_IMPORTS, ast.Pass)


def only_defines(
    project: Project, modules: Modules, path: str, cannot_fail: Callable[[ast.Import | ast.ImportFrom], bool]
) -> bool:
    """Importing the file, and what it imports of the repository, is the same at any moment, as far as it is seen.

    It can't fail, calls nothing for its effect, and computes no value from what another module of the repository has.
    """
    todo, seen = [path], {path}
    for each in todo:  # grows as it goes
        module = project.module(each)
        if module is None or len(todo) > _MOST:
            return False
        imported = [(node, [*modules.imported(each, node)]) for node in module.body if isinstance(node, _IMPORTS)]
        own = {
            (alias.asname or alias.name).partition(".")[0] for node, files in imported if files for alias in node.names
        }
        if any(_acts(statement, own) for statement in module.body) or not all(
            files or cannot_fail(node) for node, files in imported
        ):
            return False
        new = {file for _, files in imported for file in files} - seen
        seen |= new
        todo += sorted(new)
    return True


def _acts(statement: ast.stmt, own: set[str]) -> bool:
    if isinstance(statement, _DEFINES):
        return False
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, (ast.Call, ast.Await))
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        nodes = walk(statement.value) if statement.value is not None else ()
        return any(isinstance(node, ast.Attribute) and _root(node) in own for node in nodes)
    if isinstance(statement, ast.If):
        taken = [] if is_main_process_test(statement.test) else statement.body
        return any(_acts(each, own) for each in (*taken, *statement.orelse))
    if isinstance(statement, ast.Try):
        return any(_acts(each, own) for each in (*statement.body, *statement.orelse, *statement.finalbody))
    return True


def _root(node: ast.expr) -> str:
    root = root_of_chain(node)
    return root.id if root is not None else ""
