"""What must hold of every rewritten file before it is accepted.

Names are looked up in the stdlib's own symbol tables, not by the code that makes the fixes: its mistakes show here.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import warnings
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..finding import Edit
from ..syntax.bindings import bindings
from ..tree.source import Source, UnreadableSource
from ..tree.suffixes import is_shell
from .apply import written

_BUILTINS = frozenset(dir(builtins))
_ALWAYS = _BUILTINS | {
    "__file__",
    "__path__",
    "__annotations__",
    "__builtins__",
    "__module__",
    "__qualname__",
    "__dict__",
}
MAX_CST = 100_000  # characters: a list of small numbers as long takes LibCST seconds and 300 MB
_NEWLINES = re.compile(r"\r\n?")
_RESET = re.compile(r"^[ \t\f]*\f", re.MULTILINE)


def verify(before: Source, after: str, edits: Sequence[Edit], thorough: bool = True) -> str | None:
    """None when `after`, the text of `before` with `edits` applied, may replace it; else what is wrong, in words.

    Not `thorough`: without LibCST, which takes most of the time.
    """
    why = _bytes(before, after) or _elsewhere(before, after, edits)
    if why is None and before.path.endswith(".py"):
        return _python(before, after, edits, thorough)
    if why is None and is_shell(before.path, before.text):
        return _shell(before.text, after)
    return why


# Any file


def _bytes(before: Source, after: str) -> str | None:
    """The new text must come back from its bytes unchanged."""
    try:
        data = before.encode(after)
        again = Source.from_bytes(before.path, data)
    except UnicodeEncodeError as error:
        return f"the new text has a character that {before.encoding} can't write: {error.object[error.start]!r}"
    except UnreadableSource as error:
        return f"the result can't be read back: {error}"
    return None if again.text == after and again.bom == before.bom else "the result reads back differently"


def _regions(before: Source, edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Where the new texts of `edits` stand in the result: (start, end) offsets, in order."""
    regions, shift = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        size = len(written(before, edit))
        regions.append((edit.start + shift, edit.start + shift + size))
        shift += size - (edit.end - edit.start)
    return regions


def _elsewhere(before: Source, after: str, edits: Sequence[Edit]) -> str | None:
    """Outside the edited spans every character must be where it was."""
    at = new_at = 0
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for edit, (start, end) in zip(ordered, _regions(before, edits), strict=True):
        if not at <= edit.start <= edit.end <= len(before.text):
            return "two edits overlap, or one lies outside the file"
        if before.text[at : edit.start] != after[new_at:start] or after[start:end] != written(before, edit):
            return "text outside the edited places changed"
        at, new_at = edit.end, end
    return None if before.text[at:] == after[new_at:] else "text outside the edited places changed"


# Shell


def _shell(before: str, after: str) -> str | None:
    return "the result is not valid shell any more" if _shell_errors(after) > _shell_errors(before) else None


def _shell_errors(text: str) -> int:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_bash.language())).parse(text.encode("utf-8", "surrogatepass")).root_node
    errors, nodes = 0, [root] if root.has_error else []
    while nodes:
        node = nodes.pop()
        errors += node.is_error or node.is_missing
        nodes += [child for child in node.children if child.has_error or child.is_missing]
    return errors


# Python


@dataclass(frozen=True)
class _Names:
    """What the symbol tables of one text say."""

    bound: frozenset[str]  # at module level
    loaded: frozenset[str]  # looked up at module level or in the builtins, from any scope
    of_function: dict[str, frozenset[str]]  # the same by qualified name, less what `global` says


@lru_cache(maxsize=16)
def _parsed(text: str) -> tuple[ast.Module, _Names]:
    """Raises SyntaxError (also for what only the compiler refuses), ValueError, RecursionError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
        compile(text, "<result>", "exec", dont_inherit=True)
        return tree, _names(symtable.symtable(text, "<result>", "exec"))


def _names(module: symtable.SymbolTable) -> _Names:
    bound: set[str] = set()
    functions: dict[str, frozenset[str]] = {}

    def loads(table: symtable.SymbolTable, prefix: str) -> tuple[set[str], set[str]]:
        """What is looked up, and of that what no `global` there says to be the module's."""
        found: set[str] = set()
        unsaid: set[str] = set()
        for symbol in table.get_symbols():
            at_module = table is module or symbol.is_declared_global()
            if at_module and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()):
                bound.add(symbol.get_name())
            # symtable takes a function called `top` for the module: its own variables are "global" and local
            if symbol.is_referenced() and (table is module or (symbol.is_global() and not symbol.is_local())):
                found.add(symbol.get_name())
                if not symbol.is_declared_global():
                    unsaid.add(symbol.get_name())
        for child in table.get_children():
            name = f"{prefix}{child.get_name()}"
            inner, unsaid_inside = loads(child, f"{name}.")
            found |= inner
            unsaid |= unsaid_inside
            if child.get_type() == "function" and child.get_name().isidentifier() and child.get_name() != "lambda":
                functions[name] = functions.get(name, frozenset()) | unsaid_inside
        return found, unsaid

    loaded, _ = loads(module, "")
    return _Names(frozenset(bound), frozenset(loaded), functions)


def compiles(text: str) -> bool:
    """False also for what parses and only the compiler refuses, such as a `global` after the name's use."""
    try:
        _parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def libcst_reads(text: str) -> bool:
    """False for the rare text that Python reads and LibCST does not, such as tabs among spaces."""
    import libcst as cst

    try:
        cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError, MemoryError):
        return False
    return True


@lru_cache(maxsize=16)
def _survives_libcst(text: str) -> bool:
    """True when LibCST, the second opinion, reads `text` and gives it back; long texts only the compiler sees."""
    if len(text) > MAX_CST:
        return True
    import libcst as cst

    text = _NEWLINES.sub("\n", text)  # LibCST drops a lone CR at the end,
    text = _RESET.sub("", text)  # and a form feed (which sets the indentation back to none) before a statement
    try:
        return cst.parse_module(text).code == text
    except TypeError:  # it trips over its own feet on `return(lambda: 0)`: no opinion
        return True
    except (cst.ParserSyntaxError, RecursionError, MemoryError):
        return False


def _python(before: Source, after: str, edits: Sequence[Edit], thorough: bool) -> str | None:
    try:
        _parsed(before.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        from ..tree.python2 import reads

        if isinstance(error, SyntaxError) and not _parses(before.text) and reads(before.text):
            return None if reads(after) else "the result is not Python 2 any more"
        return f"the file does not compile as it is: {_words(error)}"
    if thorough and not _survives_libcst(before.text):
        return "Python reads the file, but LibCST, the second opinion, does not"
    try:
        _parsed(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"the result does not compile: {_words(error)}"
    if thorough and not _survives_libcst(after):
        return "Python reads the result, but LibCST, the second opinion, does not"
    change = _Change(before, Source(before.path, after, before.encoding, before.bom), tuple(edits))
    return (
        change.unresolved()
        or change.left_behind()
        or change.taken()
        or change.shadowed()
        or change.too_late()
        or change.redefined()
    )


def _parses(text: str) -> bool:
    """True for Python 3, be it that the compiler refuses it (a `nonlocal` at module level)."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _words(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    return f"{type(error).__name__} {error}".rstrip()


class _Change:
    """One rewritten Python file; each method names one thing that is wrong with it, or gives None."""

    def __init__(self, before: Source, after: Source, edits: Sequence[Edit]) -> None:
        self.before, self.after, self.edits = before, after, edits
        self.old_tree, self.old = _parsed(before.text)
        self.new_tree, self.new = _parsed(after.text)
        self.regions = _regions(before, edits)
        self.starts = [start for start, _ in self.regions]
        self.removed = {word for edit in edits for word in re.findall(r"\w+", before.text[edit.start : edit.end])}
        self.added = self.new.bound - self.old.bound
        self.star = any(
            isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
            for node in ast.walk(self.new_tree)
        )

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
        meanings = {item.name: item.meaning for item in bindings(self.new_tree) if item.scope is None}
        spans = sorted((edit.start, edit.end) for edit in self.edits)
        seen: set[tuple[int, str, bool]] = set()
        for item in bindings(self.old_tree):
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
        defined = Counter(name for statement in self.new_tree.body for name in _defines(statement))
        imports = {item.name: item.meaning for item in bindings(self.new_tree) if item.scope is None}
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
        for node in ast.walk(self.new_tree):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id in self.removed:
                continue
            if (node.id in self.new.bound or node.id in _BUILTINS) and self.is_new(node):
                uses.setdefault(node.id, []).append(self.after.offset(node.lineno, node.col_offset))
        if not uses:
            return None
        for places in uses.values():
            places.sort()
        seen: set[tuple[int, str]] = set()
        for item in bindings(self.new_tree):
            if item.name not in uses or self.is_new(item.node):
                continue
            if item.scope is None:
                if item.name in _BUILTINS and not isinstance(item.node, (ast.Global, ast.Nonlocal)):
                    return f"{item.name!r} is not the builtin in this file"
                continue
            if (id(item.scope), item.name) in seen:
                continue
            seen.add((id(item.scope), item.name))
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
        for item in bindings(self.new_tree):
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
            todo += ast.iter_child_nodes(node)


def _methods(tree: ast.Module) -> Counter[tuple[str, str, int]]:
    """How often each class body defines each method, by (class, method, which class of that name)."""
    seen: Counter[str] = Counter()
    found: Counter[tuple[str, str, int]] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            seen[node.name] += 1
            found.update(
                (node.name, statement.name, seen[node.name])
                for statement in node.body
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and not statement.decorator_list
            )
    return found
