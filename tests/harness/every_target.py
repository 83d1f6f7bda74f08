"""All code of a module that pickle can't name, as if all of it crossed: for tests that rewrite every lambda."""

from __future__ import annotations

import ast

from codemods.hazard_kind import HazardKind
from codemods.syntax.binding_rules import FUNCTIONS, FunctionNode
from codemods.transforms.lambdas.plan import Target


def every_target(module: ast.Module) -> dict[Target, ast.Lambda | FunctionNode | ast.ClassDef]:
    """All code of a module that pickle can't name: lambdas, functions and classes inside functions, but no methods."""
    found: dict[Target, ast.Lambda | FunctionNode | ast.ClassDef] = {}
    todo: list[tuple[ast.AST, bool]] = [(module, False)]
    while todo:
        node, is_local = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Lambda):
                found[Target(HazardKind.LAMBDA, child.lineno, child.col_offset)] = child
            elif isinstance(child, (*FUNCTIONS, ast.ClassDef)) and is_local and not isinstance(node, ast.ClassDef):
                kind = HazardKind.CLASS if isinstance(child, ast.ClassDef) else HazardKind.FUNCTION
                found[Target(kind, child.lineno, child.col_offset)] = child
            todo.append((child, is_local or isinstance(child, (ast.Lambda, *FUNCTIONS))))
    return dict(sorted(found.items(), key=lambda item: item[0][1:]))
