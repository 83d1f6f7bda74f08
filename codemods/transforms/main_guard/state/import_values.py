"""Values that a module computes when it is imported, and that a spawned worker computes anew with another result.

A time, a random number, a variable of the environment that the main process changes afterwards: a forked worker has the
value of its parent.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ....nodes import walk
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.unpicklable import Recogniser
from ..data import names
from ..run_again import GENERATORS
from .calls_of_scripts import has_guard
from .changed_settings import Changed, Place, Search, nearest
from .process_state import ChangedState, inherits, made_before, place_of, told
from .worker_functions import Worker

_BY_PROCESS = "os.getpid"  # who asks for it wants another one in each process
_ENVIRONMENT = ("os.environ", "os.getenv", "os.environ.get", "os.environb")
_FOLDER = ("os.getcwd", "pathlib.Path.cwd", "os.path.abspath", "os.path.realpath")
_CHANGES_FOLDER = ("os.chdir", "os.fchdir")
_ARGUMENTS, _PUTS = "sys.argv", ("os.putenv", "os.unsetenv", "os.environ.setdefault", "os.environ.pop")
_ADVICE = "pass it to the worker: as an argument, or stored on the object that is sent"
_CHANGING = frozenset(("pop", "remove", "insert", "append", "extend", "clear", "sort", "reverse"))


class _Value(NamedTuple):
    """A global that its module gives one value, by an expression."""

    outline: Outline
    name: str
    statement: ast.Assign | ast.AnnAssign


def import_values(search: Search) -> Iterator[ChangedState]:
    """One per value and script, at the first place where a worker reads it."""
    readers: dict[_Value, list[tuple[Place, Worker]]] = {}
    recogniser = Recogniser(search.repo, lambda outline, node: [])
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for value, node in _reads(search, worker) if sent is not None else ():
            assert sent is not None
            readers.setdefault(value, []).append((Place(worker.outline, node, ""), sent))
    for value, places in readers.items():
        places.sort(key=nearest)
        what = f"what line {value.statement.lineno} of {value.outline.path} computes at import"
        if (call := _another_each_time(value)) is not None:
            made_of = value.statement.value
            if made_of is not None and recogniser.made(value.outline, made_of):
                continue  # a log for each process, whose name says which: it can't be passed on, and is not meant to be
            place, worker = places[0]
            assert isinstance(place.node, ast.expr)
            confidence, sent_by = next(iter(worker.sent.values()))
            found = Changed(value.outline, place.node, worker, confidence, sent_by, sent_by)
            made = told(found, Place(value.outline, call, ""))
            yield ChangedState(f"{what}: a spawned worker computes it anew, and gets another value", _ADVICE, made)
            continue
        for change, changed in made_before(search, list(_changes(search, value)), places):
            depends = f"{what}, before {place_of(change)} changes its input: a spawned worker computes it anew"
            yield ChangedState(f"{depends}, after that", _ADVICE, changed)


def _reads(search: Search, worker: Worker) -> Iterator[tuple[_Value, ast.expr]]:
    """The globals with a computed value that the function reads."""
    outline = worker.outline
    for node in worker.nodes:
        found: _Value | None = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            scope, bindings = outline.lookup(node, node.id)
            if isinstance(scope, ast.Module) and len(bindings) == 1:
                found = _value(search, outline, node.id, bindings[0].statement)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            home = search.callees.resolver.module(outline, node.value) if node.value.id in outline.imported else None
            bindings = home.bindings(home.module, node.attr) if home is not None else []
            if home is not None and len(bindings) == 1:
                found = _value(search, home, node.attr, bindings[0].statement)
        if found is not None and isinstance(node, ast.expr):
            yield found, node


def _value(search: Search, outline: Outline, name: str, statement: ast.AST, depth: int = 0) -> _Value | None:
    if isinstance(statement, ast.ImportFrom) and depth == 0:
        home = search.callees.resolver.star_source(outline, statement)
        original = next((each.name for each in statement.names if (each.asname or each.name) == name), "")
        bindings = home.bindings(home.module, original) if home is not None and original else []
        return _value(search, home, original, bindings[0].statement, 1) if home and len(bindings) == 1 else None
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or outline.parents[statement] is not outline.module:
        return None
    if not has_guard(outline) and outline.path in {path for worker in search.workers.values() for path in worker.sent}:
        return None  # a script that gets a guard, which is told of there
    parts = walk(statement) if statement.value is not None else ()
    computed = any(isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)) for node in parts)
    return _Value(outline, name, statement) if computed else None


def _another_each_time(value: _Value) -> ast.expr | None:
    """The call that gives another result in each process: a time, a draw from a generator that is not seeded."""
    for node in walk(value.statement):
        if isinstance(node, ast.Lambda):
            return None
        name = qualified_name(value.outline, node.func) if isinstance(node, ast.Call) else ""
        drawn = name in names("draws") or any(pattern.match(name) for pattern in GENERATORS.values())
        if isinstance(node, ast.Call) and (
            (name in names("each_time_another") and name != _BY_PROCESS)
            or (drawn and not _is_seeded(value.outline, node))
        ):
            return node
    return None


def _is_seeded(outline: Outline, draw: ast.Call) -> bool:
    """Something of the file seeds a generator above."""
    calls = (node for node in outline.nodes if isinstance(node, ast.Call) and node.lineno <= draw.lineno)
    return any("seed" in ast.unparse(call.func) for call in calls)


# what the main process changes


def _changes(search: Search, value: _Value) -> Iterator[Place]:
    """Where code in a function, or under a main guard, changes what the value was computed from."""
    outline, nodes = value.outline, list(walk(value.statement))
    if any(isinstance(node, ast.Lambda) or (isinstance(node, ast.Name) and node.id == "__file__") for node in nodes):
        return
    for node in nodes:
        if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(outline.parents[node], ast.Attribute):
            continue
        name = qualified_name(outline, node)
        if name in _ENVIRONMENT and (key := _key(outline, node)):
            yield from (place for place in _set_variables(search, key) if _is_imported_before(search, value, place))
        elif name in _FOLDER:
            yield from (place for place in _moves(search) if _is_imported_before(search, value, place))
        elif name.startswith(_ARGUMENTS):
            yield from (place for place in _arguments(search) if _is_imported_before(search, value, place))


def _is_imported_before(search: Search, value: _Value, place: Place) -> bool:
    """The file of the change has the value by then: it computes it, or imports what does at its top."""
    if place.outline is value.outline:
        return True
    top = (node for node in place.outline.imports if place.outline.parents[node] is place.outline.module)
    modules = search.starts.callees.modules
    return any(value.outline.path in modules.imported(place.outline.path, node) for node in top)


def _key(outline: Outline, node: ast.expr) -> str:
    """`A` of `os.environ["A"]`, `os.environ.get("A")`."""
    above = outline.parents[node]
    given: ast.expr | None = None
    if isinstance(above, ast.Subscript):
        given = above.slice
    elif isinstance(above, ast.Call) and above.func is node:
        given = above.args[0] if above.args else None
    name = given.value if isinstance(given, ast.Constant) else None
    if isinstance(name, bytes):  # of `os.environb`
        return name.decode("ascii", "replace")
    return name if isinstance(name, str) else ""


def _set_variables(search: Search, key: str) -> Iterator[Place]:
    pattern = re.compile(rf"environ\b[^\n]*{re.escape(key)}|putenv")
    for source in search.starts.project.matching(pattern):
        outline = search.repo.outline(source.path)
        for node in outline.nodes if outline is not None else ():
            assert outline is not None
            if _sets_variable(outline, node, repr(key)):
                yield Place(outline, node, "")


def _sets_variable(outline: Outline, node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return qualified_name(outline, node.value) == "os.environ" and ast.unparse(node.slice) == key
    puts = isinstance(node, ast.Call) and bool(node.args) and qualified_name(outline, node.func) in _PUTS
    return isinstance(node, ast.Call) and puts and ast.unparse(node.args[0]) == key


def _moves(search: Search) -> Iterator[Place]:
    for function in _CHANGES_FOLDER:
        word = function.rpartition(".")[2]
        for outline in search.repo.mentioning(word):
            for call in outline.calls_of(word):
                if qualified_name(outline, call.func) == function:
                    yield Place(outline, call, "")


def _arguments(search: Search) -> Iterator[Place]:
    for outline in search.repo.mentioning("argv"):
        for node in (*outline.attributes.get("argv", ()), *outline.named.get("argv", ())):
            if qualified_name(outline, node) != _ARGUMENTS:
                continue
            above = outline.parents[node]
            holder = above if isinstance(above, ast.Subscript) and above.value is node else node
            if not isinstance(holder.ctx, ast.Load) or (isinstance(above, ast.Attribute) and above.attr in _CHANGING):
                yield Place(outline, node, "")
