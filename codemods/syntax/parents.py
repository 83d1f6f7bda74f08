"""Parents of nodes, looked for where somebody asks: of many files one class or function is of interest."""

from __future__ import annotations

import ast
from bisect import bisect_right
from typing import Any

from ..nodes import FIELDS, parents_of


class Parents(dict[ast.AST, ast.AST]):
    """The parent of every node of a module, itself aside. Nodes are compared by identity.

    What stands in a statement of the module is entered with the first question about one of its nodes.
    """

    def __init__(self, module: ast.Module) -> None:
        super().__init__(dict.fromkeys(module.body, module))
        self._module = module
        self._whole = False

    def __missing__(self, node: ast.AST) -> ast.AST:
        placeless = isinstance(node, (ast.expr, ast.stmt)) and not hasattr(node, "lineno")  # of none of our texts
        if node is self._module or self._whole or placeless:
            raise KeyError(node)
        at = bisect_right(self._module.body, _start(node), key=_start) - 1
        if at >= 0:
            self.update(parents_of(self._module.body[at]))
        if not dict.__contains__(self, node):
            self._whole = True  # of no place, or one that Python has wrong: in texts with code in them
            self.update(parents_of(self._module))
        return self[node]

    def __contains__(self, node: object) -> bool:
        return isinstance(node, ast.AST) and self.get(node) is not None

    def get(self, node: ast.AST, default: Any = None) -> Any:
        """The parent of `node`; `default` where it has none here."""
        try:
            return self[node]
        except KeyError:
            return default


def _start(node: Any) -> tuple[int, int]:
    """Where it begins; a part of it does for what has no place of its own."""
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        node = decorators[0]
    while not hasattr(node, "lineno"):
        inner = next((part for name in FIELDS[node.__class__] for part in _parts(getattr(node, name, None))), None)
        if inner is None:
            return 0, 0
        node = inner
    return node.lineno, node.col_offset


def _parts(value: object) -> list[ast.AST]:
    """The nodes that a field has."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, ast.AST)]
