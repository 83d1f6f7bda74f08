"""What the script sets again below its main guard: a spawned worker has run that line, a forked one has not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Finding, Hop, Refused
from ....syntax.main_guard import is_main_process_block
from ....syntax.names import root_of_place
from ....syntax.outline import Outline
from ....tree.source import Source
from ..data import names
from ..screen import ID
from ..state.changed_settings import Search
from ..statements import line_of_change, names_bound, stays
from .hoist import reads_global
from .set_late import in_script


def set_below_findings(search: Search, outline: Outline, source: Source) -> Iterator[Finding]:
    """One per global, at the first place where a worker reads it."""
    body = outline.module.body
    first = next((at for at, each in enumerate(body) if is_main_process_block(each)), len(body))
    below = [each for each in body[first + 1 :] if not stays(each)]
    before = {name for each in body[:first] if below and not stays(each) for name in names_bound(each)}
    lines = {name: line_of_change(each, name) for each in below for name in _sets(each) if name in before}
    for worker in search.workers.values() if lines else ():
        way = worker.sent.get(outline.path) if worker.outline is outline else None
        begins = _begins(outline, way[1].line) if way is not None else []
        for read in worker.nodes if begins else ():
            if not isinstance(read, ast.Name) or read.id not in lines or not reads_global(outline, read):
                continue
            line = lines[read.id]
            if way is not None and any(each < line for each in begins):
                del lines[read.id]
                message = (
                    f"`{worker.function.name}` runs in a worker and reads `{read.id}`, which line {line} sets below "
                    "the main guard: a spawned worker has run that line when it begins, a forked one has not"
                )
                trace = (Hop(outline.path, line, f"`{read.id}` is set again here"), way[1])
                advice = Refused(f"put line {line} under the main guard, below what starts the workers, or above it")
                yield Finding.answered(ID, outline.path, source.span_of(read), message, way[0], trace, advice)


def _sets(statement: ast.stmt) -> Iterator[str]:
    """The names that it binds, and those of tables and lists that it changes."""
    yield from names_bound(statement)
    for node in ast.walk(statement):
        changes = isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
        called = node.func if isinstance(node, ast.Call) else None
        if changes or (isinstance(called, ast.Attribute) and called.attr in names("filling")):
            root = root_of_place(node if changes else called)
            yield from [root.id] if root is not None else ()


def _begins(outline: Outline, line: int) -> list[int]:
    """The lines under main guards that come to what is sent on `line`."""
    calls = [each for each in outline.by_line.get(line, ()) if isinstance(each, ast.Call)][:1]
    found = [each for call in calls for each in in_script(outline, call)]
    return [each.lineno for each in found if any(map(is_main_process_block, outline.ancestors(each)))]
