"""Which test executes which line, and how long each takes: what `mutation.py record` writes.

The functions of the package note what they execute, run by run: what follows one another without a branch is noted
once, at its begin. That adds a fifth to the time of the tests; a tracer takes two to five times as long.
What runs on import is not noted.
"""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import json
import os
from array import array
from collections.abc import Callable, Generator, Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

import coverage
import pytest

NOTED = "__noted_run__"  # the builtin: a byte for each run; no module may have a function of that name
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Notes:
    """Which runs there are, and which were executed since `clear`."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, frozenset[int]]] = []  # the file and the lines of each
        self.noted = bytearray()

    def instrumented(self, source: str, file: str) -> ast.Module:
        """The code of a file, with a note at the begin of each run."""
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTIONS):
                self._blocks(node, file)
            elif isinstance(node, ast.Lambda):
                noting = self._note(file, range(node.body.lineno, (node.body.end_lineno or 0) + 1), node.body)
                both = ast.Tuple([noting.value, node.body], ast.Load())
                node.body = ast.copy_location(ast.Subscript(both, ast.Constant(1), ast.Load()), node.body)
        return ast.fix_missing_locations(tree)

    def _blocks(self, node: ast.AST, file: str) -> None:
        """Notes in all that the function itself executes."""
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            block: list[ast.AST] = getattr(node, name, [])
            if block and isinstance(block[0], ast.stmt):
                setattr(node, name, self._with_notes(node, block, file))
            for inner in block:
                if not isinstance(inner, _FUNCTIONS):
                    self._blocks(inner, file)

    def _with_notes(self, node: ast.AST, block: list[ast.AST], file: str) -> list[ast.AST]:
        found: list[ast.AST] = []
        first = isinstance(node, _FUNCTIONS) and isinstance(block[0], ast.Expr)
        if first and isinstance(block[0].value, ast.Constant):  # type: ignore[attr-defined]
            found.append(block.pop(0))
        run: list[ast.AST] = []
        for statement in block:
            run.append(statement)
            if _has_blocks(statement) and not isinstance(statement, _FUNCTIONS):
                found += [self._note(file, _lines(node, run), run[0]), *run]
                run = []
        return [*found, self._note(file, _lines(node, run), run[0]), *run] if run else found

    def _note(self, file: str, lines: Iterable[int], at: ast.AST) -> ast.Expr:
        self.runs.append((file, frozenset(lines)))
        self.noted.append(0)
        noting = ast.parse(f"{NOTED}({len(self.runs) - 1}, 1)").body[0]
        assert isinstance(noting, ast.Expr)
        for inner in ast.walk(noting):
            ast.copy_location(inner, at)
        return noting

    def clear(self) -> None:
        self.noted[:] = bytes(len(self.noted))

    def executed(self) -> array[int]:
        """The numbers of the runs that were noted."""
        found, at = array("I"), self.noted.find(1)
        while at >= 0:
            found.append(at)
            at = self.noted.find(1, at + 1)
        return found


def _lines(node: ast.AST, run: list[ast.AST]) -> set[int]:
    """The lines of statements, less those inside of the last; with what stands above them in a handler."""
    found: set[int] = set()
    if isinstance(node, ast.ExceptHandler):
        found.update(range(node.lineno, node.body[0].lineno))
    for statement in run:
        assert isinstance(statement, ast.stmt)
        inside: set[int] = set()
        if _has_blocks(statement):
            inside.update(*(_span(each) for each in _parts(statement)))
            inside.difference_update(range(statement.lineno, _head(statement) + 1))
        found |= {*_span(statement)} - inside
    return found


def _has_blocks(statement: ast.AST) -> bool:
    return isinstance(getattr(statement, "body", getattr(statement, "cases", None)), list)


def _span(node: ast.AST) -> range:
    return range(getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) + 1)


def _parts(statement: ast.stmt) -> Iterable[ast.AST]:
    names = ("body", "orelse", "finalbody", "handlers")
    yield from (each for name in names for each in getattr(statement, name, ()))
    yield from (each for case in getattr(statement, "cases", ()) for each in case.body)


def _head(statement: ast.stmt) -> int:
    """Where the test of a statement, or what it goes over, ends: `if a: return` may stand in one line."""
    heads = [getattr(statement, name, None) for name in ("test", "iter", "subject")]
    return max([statement.lineno, *(head.end_lineno or 0 for head in heads if isinstance(head, ast.expr))])


class Recorder:
    """The plugin: a context of coverage for each test."""

    def __init__(self, package: str, notes: Notes) -> None:
        self.package, self.notes, self.seconds = package, notes, dict[str, float]()
        self.executed: list[tuple[str, array[int]]] = []
        self.caches: list[functools._lru_cache_wrapper[object]] = []
        self.path: Path | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if item.path != self.path:  # what is cached counts for the first test of each file that needs it
            self.path = item.path
            for cached in gc.get_objects() if not self.caches else ():
                if isinstance(cached, functools._lru_cache_wrapper) and cached.__module__.startswith(self.package):
                    self.caches.append(cached)
            for function in self.caches:
                function.cache_clear()
        self.notes.clear()
        start = sum(os.times()[:4])  # with those of programs that it runs
        result = yield
        self.seconds[item.nodeid] = round(sum(os.times()[:4]) - start, 3)
        self.executed.append((item.nodeid, self.notes.executed()))
        return result


def note_imports(below: str, notes: Notes) -> Callable[[], None]:
    """What is imported from below a path notes what it executes; call what this returns to end that."""
    usual = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
        if not loader.path.startswith(below):
            return usual(loader, fullname)
        source = loader.get_data(loader.path).decode()
        code = compile(notes.instrumented(source, loader.path), loader.path, "exec", dont_inherit=True)
        setattr(builtins, NOTED, notes.noted.__setitem__)
        return code

    def end() -> None:
        SourceFileLoader.get_code = usual  # type: ignore[method-assign]

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    return end


def record(root: Path, package: str, files: tuple[str, str], pytest_arguments: list[str], more: bool) -> int:
    """Run the tests once; `files`: for lines and seconds, below `root`, `more`: what is in them stays."""
    seconds = root / files[1]
    known = json.loads(seconds.read_text(encoding="utf-8")) if more else {}
    notes = Notes()
    recorder = Recorder(package, notes)
    end = note_imports(f"{root / package}/", notes)
    status = pytest.main(pytest_arguments, plugins=[recorder])
    end()
    data = coverage.CoverageData(str(root / files[0]))
    if more:
        data.read()
    else:
        data.erase()
    for test, runs in recorder.executed:
        lines: dict[str, set[int]] = {}
        for file, each in map(notes.runs.__getitem__, runs):
            lines.setdefault(Path(file).relative_to(root).as_posix(), set()).update(each)
        data.set_context(test)
        data.add_lines(lines)
    data.write()
    seconds.write_text(json.dumps(known | recorder.seconds), encoding="utf-8")
    return int(status)
