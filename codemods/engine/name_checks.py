"""Checks what a rewrite does to the names of a Python file: none unresolved, left behind, taken, hidden or too late.

Names are looked up in the stdlib's own symbol tables, not by the code that makes the fixes: its mistakes show here.
"""

from __future__ import annotations

import ast
import builtins
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from ..finding import Edit
from ..nodes import children, statements, walk
from ..tree.source import Source
from .apply import regions
from .bound_names import BoundName, bound_names
from .compiled import compiled

_BUILTINS = frozenset(dir(builtins))
_ALWAYS = _BUILTINS | {"__file__"}


@lru_cache(maxsize=16)  # fixes are tried before they are applied
def wrong_names(before: Source, after: str, edits: tuple[Edit, ...]) -> str | None:
    """What is wrong with the names of `after`, the text of `before` with `edits` applied; None where nothing is."""
    change = _Change(before, Source(before.path, after, before.encoding, before.bom), edits)
    return (
        change.unresolved()
        or change.left_behind()
        or change.taken()
        or change.shadowed()
        or change.too_late()
        or change.redefined()
    )


class _Change:
    """One rewritten Python file; each method names one thing that is wrong with it, or gives None."""

    def __init__(self, before: Source, after: Source, edits: Sequence[Edit]) -> None:
        self.before, self.after, self.edits = before, after, edits
        self.old_tree, self.old = compiled(before.text)
        self.new_tree, self.new = compiled(after.text)
        self.regions = regions(before, edits)
        self.starts = [start for start, _ in self.regions]
        self.removed = {word for edit in edits for word in re.findall(r"\w+", before.text[edit.start : edit.end])}
        self.added = self.new.bound - self.old.bound
        self.star = any(
            isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
            for node in statements(self.new_tree)
        )

    @cached_property
    def bindings(self) -> tuple[BoundName, ...]:
        """Every binding of the new text."""
        return tuple(bound_names(self.new_tree))

    def is_new(self, node: ast.AST) -> bool:
        """True when `node` starts in text that an edit wrote."""
        offset = self.after.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        index = bisect_right(self.starts, offset) - 1
        return index >= 0 and offset < self.regions[index][1]

    def unresolved(self) -> str | None:
        """A name that nothing binds."""
        if self.star:
            return None
        new = (self.new.loaded - self.new.bound - _ALWAYS) - (self.old.loaded - self.old.bound)
        return f"the name {min(new)!r} would not be found" if new else None

    def left_behind(self) -> str | None:
        """A function at a new place that now looks up at module level what was a local variable where it came from."""
        moved = {
            name
            for function, loads in self.new.of_function.items()
            if function not in self.old.of_function
            for name in loads & self.removed - self.added
        }
        if not moved:
            return None
        meanings = {item.name: item.meaning for item in self.bindings if item.scope is None}
        spans = sorted((edit.start, edit.end) for edit in self.edits)
        seen: set[tuple[int, str, bool]] = set()
        for item in bound_names(self.old_tree):
            same = item.meaning is not None and item.meaning == meanings.get(item.name)
            if item.name not in moved or item.scope is None or (id(item.scope), item.name, same) in seen:
                continue
            seen.add((id(item.scope), item.name, same))
            if not same and not _global_in(item.scope, item.name):
                low, high = _extent(self.before, item.scope)
                at = bisect_left(spans, (low,))
                if at < len(spans) and spans[at][1] <= high:
                    return f"the local variable {item.name!r} would be left behind"
        return None

    def taken(self) -> str | None:
        """A new module-level name that meant something before."""
        if not self.added:
            return None
        defined = Counter(name for statement in self.new_tree.body for name in _defines(statement))
        imports = {item.name: item.meaning for item in self.bindings if item.scope is None}
        for name in sorted(self.added):
            if name in _BUILTINS:
                return f"the new name {name!r} would hide a builtin"
            plain_import = imports.get(name) == (name, None) and not self.star
            if name in self.old.loaded and not plain_import:
                return f"the new name {name!r} is used in the file already"
            if defined[name] > 1:
                return f"the new name {name!r} would be defined twice"
        return None

    def shadowed(self) -> str | None:
        """A name in new text that a local variable, or a module-level one called like a builtin, takes over."""
        uses: dict[str, list[int]] = {}
        for node in walk(self.new_tree):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id in self.removed:
                continue
            if (node.id in self.new.bound or node.id in _BUILTINS) and self.is_new(node):
                uses.setdefault(node.id, []).append(self.after.offset(node.lineno, node.col_offset))
        if not uses:
            return None
        for places in uses.values():
            places.sort()
        seen: set[tuple[int, str]] = set()
        for item in self.bindings:
            if item.name not in uses or self.is_new(item.node):
                continue
            if item.scope is None:
                if item.name in _BUILTINS and not isinstance(item.node, (ast.Global, ast.Nonlocal)):
                    return f"{item.name!r} is not the builtin in this file"
                continue
            if (id(item.scope), item.name) in seen:
                continue
            seen.add((id(item.scope), item.name))
            if _global_in(item.scope, item.name):
                continue  # it is the module's
            low, high = _extent(self.after, item.scope)
            places = uses[item.name]
            if bisect_left(places, low) == bisect_left(places, high):
                continue
            if item.name in self.added or item.name in _BUILTINS or not self._read_there(item.scope, item.name):
                return f"the local variable {item.name!r} hides the name that the new code needs"
        return None

    def _read_there(self, scope: ast.AST, name: str) -> bool:
        """Old code of `scope` reads the local variable as well: the new code beside it means the same."""
        return any(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and not self.is_new(node)
            for node in ast.walk(scope)
        )

    def too_late(self) -> str | None:
        """A new module-level name that code running on import uses before it is there."""
        if not self.added:
            return None
        first: dict[str, int] = {}
        for item in self.bindings:
            if item.scope is None and item.name in self.added:
                line = item.node.lineno  # type: ignore[attr-defined]
                first[item.name] = min(line, first.get(item.name, line))
        for use in _run_on_import(self.new_tree):
            if use.id in first and use.lineno < first[use.id]:
                return f"the new name {use.id!r} would be used before it is defined"
        return None

    def redefined(self) -> str | None:
        """A second method of one name in a class (properties and overloads carry decorators)."""
        old, new = _methods(self.old_tree), _methods(self.new_tree)
        for key, count in new.items():
            if count > max(1, old[key]):
                return f"the class {key[0]} has {key[1]!r} already"
        return None


def _global_in(scope: ast.AST, name: str) -> bool:
    """True when the function itself, not one in it, declares `name` global."""
    todo = list(ast.iter_child_nodes(scope))
    for node in todo:  # grows as it goes
        if isinstance(node, ast.Global) and name in node.names:
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))
    return False


def _extent(source: Source, node: ast.AST) -> tuple[int, int]:
    """Offsets of the first and past the last character of `node`."""
    start = source.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
    return start, source.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _defines(statement: ast.stmt) -> Iterator[str]:
    """Names that a module-level statement binds for good: definitions and plain assignments."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def _run_on_import(tree: ast.Module) -> Iterator[ast.Name]:
    """Names loaded when the module is imported: all but those in the bodies of functions."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node
        if isinstance(node, ast.Lambda):
            todo.append(node.args)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        else:
            todo += children(node)


def _methods(tree: ast.Module) -> Counter[tuple[str, str, int]]:
    """How often each class body defines each method, by (class, method, which class of that name)."""
    seen: Counter[str] = Counter()
    found: Counter[tuple[str, str, int]] = Counter()
    for node in statements(tree):
        if isinstance(node, ast.ClassDef):
            seen[node.name] += 1
            found.update(
                (node.name, statement.name, seen[node.name])
                for statement in node.body
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and not statement.decorator_list
            )
    return found
