"""Parents of nodes, looked for where somebody asks: of most files one or two names are of interest."""

from __future__ import annotations

import ast
from bisect import bisect_right
from typing import Any

from ..nodes import FIELDS, parents_of

_NAMES = ("body", "handlers", "orelse", "finalbody", "cases")  # of blocks, in the order in which they stand in the text
_HOLDERS = (ast.mod, ast.stmt, ast.ExceptHandler, ast.match_case)  # what has blocks


class _Blocks(dict[type, tuple[str, ...]]):
    """By class of a node: the fields that are its blocks."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        holds = issubclass(kind, _HOLDERS)
        self[kind] = tuple(name for name in FIELDS[kind] if name in _NAMES) if holds else ()
        return self[kind]


_BLOCKS = _Blocks()


class Parents(dict[ast.AST, ast.AST]):
    """The parent of every node of a module, itself aside. Nodes are compared by identity.

    What stands in a statement is entered with the first question about one of its nodes, apart from the statements in
    its blocks. An entry takes a third of the memory of the node.
    """

    def __init__(self, module: ast.Module) -> None:
        super().__init__()
        self._module = module
        self._whole = False
        todo: list[ast.AST] = [module]
        for holder in todo:  # grows as it goes
            for name in _BLOCKS[holder.__class__]:
                block = getattr(holder, name)
                todo += block
                for item in block:
                    self[item] = holder

    def __missing__(self, node: ast.AST) -> ast.AST:
        placeless = isinstance(node, (ast.expr, ast.stmt)) and not hasattr(node, "lineno")  # of none of our texts
        if node is not self._module and not self._whole and not placeless:
            self._enter(self._statement_at(node))
            found = dict.get(self, node)
            if found is not None:
                return found
            self._whole = True  # of no place, or one that Python has wrong: in texts with code in them
            self.update(parents_of(self._module))
            found = dict.get(self, node)
            if found is not None:
                return found
        raise KeyError(node)

    def __contains__(self, node: object) -> bool:
        return dict.__contains__(self, node) or (isinstance(node, ast.AST) and self.get(node) is not None)

    def get(self, node: ast.AST, default: Any = None) -> Any:
        """The parent of `node`; `default` where it has none here."""
        try:
            return self[node]
        except KeyError:
            return default

    def _enter(self, holder: ast.AST) -> None:
        """Enter the nodes of a statement that stand in none of its blocks."""
        todo = [holder]
        for node in todo:  # grows as it goes
            blocks = _BLOCKS[node.__class__]
            for name in FIELDS[node.__class__]:
                if name in blocks:
                    continue
                value = getattr(node, name, None)
                if value.__class__ is list:
                    for item in value:
                        if item is not None:
                            self[item] = node
                            todo.append(item)
                elif isinstance(value, ast.AST):
                    self[value] = node
                    todo.append(value)

    def _statement_at(self, node: ast.AST) -> ast.AST:
        """The innermost statement, or the like, at the place of a node."""
        place = _start(node)
        found: ast.AST = self._module
        while True:
            blocks = (getattr(found, name) for name in reversed(_BLOCKS[found.__class__]))
            block = next((block for block in blocks if block and _start(block[0]) <= place), None)
            if block is None:
                return found
            found = block[bisect_right(block, place, key=_start) - 1]


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
