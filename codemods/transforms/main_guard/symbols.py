"""What functions and classes of a module read as globals, by Python's own symbol tables."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

from ...tree.source import Source


@dataclass(frozen=True)
class Symbols:
    """What functions and classes at module level read as globals, from Python's own symbol tables."""

    reads: dict[tuple[str, int], frozenset[str]]

    @classmethod
    def of(cls, source: Source) -> Symbols:
        """Raises SyntaxError and ValueError as `compile` does."""
        reads: dict[tuple[str, int], frozenset[str]] = {}
        top = symtable.symtable(source.text, source.path, "exec")
        for child in top.get_children():
            reads[child.get_name(), child.get_lineno()] = frozenset(_loads(child))
        return cls(reads)

    def of_definition(self, node: ast.stmt) -> frozenset[str]:
        """Globals that the body of a `def` or `class` at module level reads."""
        name, lines = node.name, {node.lineno, *(mark.lineno for mark in node.decorator_list)}  # type: ignore[attr-defined]
        return frozenset().union(*(names for (own, line), names in self.reads.items() if own == name and line in lines))


def _loads(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_referenced() and symbol.is_global():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _loads(child)
