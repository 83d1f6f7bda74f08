"""Which names each statement of a module mentions, collected while the tree is walked."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator

from ...syntax.names import root_of_chain, root_of_place
from .records import TopLevel

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Mentions:
    """`bound` and `read`: names of the module that the statement at hand binds and reads, at any depth."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.read: set[str] = set()
        self.used: set[str] = set()  # names of any scope that are read for more than a call, a base or an attribute
        self._renamed: set[str] = set()
        self._attributes: set[tuple[str, str]] = set()  # by the variable at the root of `x.y.z`
        self._others: set[str] = set()
        self._imported: set[str] = set()  # variables, at any depth
        self._done: list[tuple[TopLevel, set[tuple[str, str]]]] = []

    def note_attribute(self, node: ast.Attribute) -> None:
        """`node` is read."""
        value = node.value
        root = value if type(value) is ast.Name else root_of_chain(value)
        if root is not None and root.id != "self":
            self._attributes.add((root.id, node.attr))

    def note_import(self, name: str, variable: str) -> None:
        """`name` is imported, as `variable` where that is not "". Names of modules end with a dot."""
        self._others.add(name)
        self._imported.add(variable)
        if variable not in ("", name) and not name.endswith("."):
            self._renamed.add(name)

    def used_of(self, names: Container[str]) -> tuple[str, ...]:
        """Those of `used` that are among `names`, or are imported somewhere; and what is imported by another name."""
        return _in_order(self._renamed | {name for name in self.used if name in names or name in self._imported})

    def end(self, statement: ast.stmt) -> None:
        """The walk has left a statement of the module."""
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self._done += ((row, set()) for row in _imports(statement))
        else:
            acts = not isinstance(statement, _DEFINITIONS)
            bound = self.bound.union(_stored_in(statement))
            row = TopLevel(_in_order(bound), _in_order(self.read), _in_order(self._others), acts)
            self._done.append((row, self._attributes))
        self.bound, self.read, self._others, self._attributes = set(), set(), set(), set()

    def found(self) -> list[TopLevel]:
        """All statements, in order."""
        for row, attributes in self._done:
            more = {name for root, name in attributes if root in self._imported}
            if more:
                row.others = _in_order(more.union(row.others))
        return [row for row, _ in self._done]


def _stored_in(statement: ast.stmt) -> Iterator[str]:
    """The variables in whose values a statement stores: `table["a"] = value`."""
    for target in statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]:
        root = root_of_place(target) if isinstance(target, (ast.Subscript, ast.Attribute)) else None
        if root is not None:
            yield root.id


def _imports(statement: ast.Import | ast.ImportFrom) -> Iterator[TopLevel]:
    """Each name of an import on its own."""
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            yield TopLevel((alias.asname or alias.name.partition(".")[0],), (), (f"{alias.name}.",), False)
        else:
            yield TopLevel((alias.asname or alias.name,), (), (f"{statement.module or ''}.", alias.name), False)


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
