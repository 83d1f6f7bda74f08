"""Changed lines of one file as hunks, each under the function or class that it stands in."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ..delivery.diff import CONTEXT, changed_lines
from ..nodes import end_line
from ..tree.old_names import tree_of
from ..tree.source import Source

NO_NEWLINE = "\\ No newline at end of file"
_AROUND = 40  # lines around a difference that a hunk may be put on
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of `path`, each with its sign: " " stays, "-" goes, "+" comes. Line numbers are 1-based.

    `scope` is the function or class around the first changed line, as `Model.forward`; "" at module level.
    """

    path: str
    scope: str
    old_start: int
    new_start: int
    lines: tuple[str, ...]

    @property
    def old_size(self) -> int:
        """Lines of the file before."""
        return sum(line[0] in " -" for line in self.lines)

    @property
    def new_size(self) -> int:
        """Lines of the file after."""
        return sum(line[0] in " +" for line in self.lines)

    @property
    def header(self) -> str:
        """The `@@` line, as in a patch, with the scope."""
        old, new = _range(self.old_start, self.old_size), _range(self.new_start, self.new_size)
        return f"@@ -{old} +{new} @@{' ' if self.scope else ''}{self.scope}"


def _range(start: int, size: int) -> str:
    if size == 0:
        return f"{start - 1},0"  # an empty range names the line before it
    return f"{start}" if size == 1 else f"{start},{size}"


class Headings:
    """The functions and classes of a Python text by line; none in other files."""

    def __init__(self, path: str, text: str) -> None:
        self._starts: list[int] = []
        self._names: list[str] = []
        if path.endswith(".py"):
            try:
                tree = tree_of(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return
            self._collect(tree, "")

    def _collect(self, node: ast.AST, name: str) -> None:
        """Where each scope in `node` begins, and where the one around it goes on, in order of lines."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _DEFINITIONS):
                inner = f"{name}.{child.name}" if name else child.name
                self._add(min([child.lineno, *(item.lineno for item in child.decorator_list)]), inner)
                self._collect(child, inner)
                self._add(end_line(child) + 1, name)
            elif isinstance(child, _BLOCKS):
                self._collect(child, name)

    def _add(self, line: int, name: str) -> None:
        if self._starts and self._starts[-1] == line:
            self._names[-1] = name
        else:
            self._starts.append(line)
            self._names.append(name)

    def at(self, line: int) -> str:
        """The name of the innermost scope that line `line` stands in."""
        index = bisect_right(self._starts, line) - 1
        return self._names[index] if index >= 0 else ""


def hunks_of(path: str, before: str, after: str, scopes: Headings, context: int = CONTEXT) -> tuple[Hunk, ...]:
    """What to change in the text `before` to get `after`, with `context` lines around it."""
    skipped, before, after = _differing(before, after)  # all else takes the time, in long files
    old, new = _lines(before), _lines(after)
    changes = changed_lines(
        [line.encode("utf-8", "surrogatepass") for line in old], [line.encode("utf-8", "surrogatepass") for line in new]
    )
    found: list[Hunk] = []
    while changes:
        group = [changes.pop(0)]
        while changes and changes[0][0] - group[-1][1] <= 2 * context:
            group.append(changes.pop(0))
        start, end = max(0, group[0][0] - context), min(len(old), group[-1][1] + context)
        lines: list[str] = []
        at = start
        for i1, i2, j1, j2 in group:
            lines += _signed(" ", old[at:i1]) + _signed("-", old[i1:i2]) + _signed("+", new[j1:j2])
            at = i2
        lines += _signed(" ", old[at:end])
        new_start = group[0][2] - (group[0][0] - start)
        first, last = (skipped + line for line in group[0][:2])
        scope = scopes.at(first + 1 if last > first else max(1, first))  # what is inserted belongs to the line above
        found.append(Hunk(path, scope, skipped + start + 1, skipped + new_start + 1, tuple(lines)))
    return tuple(found)


def _differing(before: str, after: str) -> tuple[int, str, str]:
    """The lines of the two texts where they differ, with some around, and how many lines are before these."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == after[:middle] else (low, middle - 1)
    start = low
    low, high = 0, min(len(before), len(after)) - start
    while low < high:
        middle = (low + high + 1) // 2
        same = before[len(before) - middle :] == after[len(after) - middle :]
        low, high = (middle, high) if same else (low, middle - 1)
    end = len(before) - low
    for _ in range(_AROUND):
        start = before.rfind("\n", 0, max(0, start - 1)) + 1
        end = before.find("\n", end) + 1 or len(before)
    return before.count("\n", 0, start), before[start:end], after[start : len(after) - (len(before) - end)]


def wider(hunk: Hunk, source: Source, context: int) -> Hunk:
    """`hunk` of the untouched `source` with up to `context` more lines above and below."""
    lines = _lines(source.text)
    above = min(context, hunk.old_start - 1)
    end = hunk.old_start - 1 + hunk.old_size
    head = _signed(" ", lines[hunk.old_start - 1 - above : hunk.old_start - 1])
    tail = _signed(" ", lines[end : end + context])
    return Hunk(hunk.path, hunk.scope, hunk.old_start - above, hunk.new_start - above, (*head, *hunk.lines, *tail))


def _lines(text: str) -> list[str]:
    """`text` cut after each "\\n", as git does it."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _signed(sign: str, lines: Sequence[str]) -> list[str]:
    out: list[str] = []
    for line in lines:
        out.append(sign + line.removesuffix("\n").removesuffix("\r"))
        if not line.endswith("\n"):
            out.append(NO_NEWLINE)
    return out
