"""Shared memory, locks and queues at module level: a spawned worker that imports the script gets others."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ...finding import Refused
from ...syntax.outline import Outline, outline_of
from .data import names
from .needed_by_workers import needed
from .own_nodes import own_nodes
from .starts.process_starts import Starts
from .statements import names_bound, stays
from .worker_reads import WorkerReads


def made_anew(starts: Starts, outline: Outline, reads: WorkerReads, moved: Collection[ast.stmt]) -> Refused | None:
    """What of the kind a worker reads as a global when `moved` goes under a guard and the rest runs again, in words."""
    found: dict[str, tuple[int, str]] = {}
    for statement in outline.module.body:
        bound = set() if statement in moved or stays(statement) else set(names_bound(statement))
        made = _makes(starts, outline, statement) if bound else None
        if made is not None:
            found.update(dict.fromkeys(bound, (statement.lineno, made)))
        elif bound and (read := {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} & {*found}):
            found.update(dict.fromkeys(bound, found[min(read)]))
    for name, (line, made) in found.items():
        reader = reads.reader((outline.path, name))
        if reader is not None and not _is_passed_to_workers(outline, reads, name):
            return needed(_in_words(f"line {line}", made, reader, name), name, outline.path, outline.path)
    for (path, name), reader in reads.reads.items():
        other = outline if path == outline.path else outline_of(starts.project, path)
        if other is None or (other is outline and "." not in name):
            continue
        for value in _values(other, name):
            made = _makes(starts, other, value)
            if made is not None and not _is_passed_to_workers(other, reads, name):
                return Refused(_in_words(f"line {value.lineno} of {path}", made, reader, name))
    return None


def _values(outline: Outline, name: str) -> Iterator[ast.expr]:
    """What a variable of the module, or an attribute of one of its classes (`Counts.total`), is set to there."""
    owner, _, attribute = name.rpartition(".")
    if not owner:
        yield from (found.value for found in outline.bindings(outline.module, name) if found.value is not None)
    for item in outline.definitions.get(owner, ()):
        for statement in item.body if isinstance(item, ast.ClassDef) else ():
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and attribute in names_bound(statement):
                yield from [statement.value] if statement.value is not None else []


def _in_words(where: str, made: str, reader: str, name: str) -> str:
    return (
        f"{where} calls `{made}`, and a spawned worker would run it again and get an object of its own, not the one "
        f"that the processes share: {reader} reads `{name}` in a worker. Pass it as an argument of the process, or by "
        "the `initializer` of a pool"
    )


def _makes(starts: Starts, outline: Outline, node: ast.AST) -> str | None:
    """The call in `node` that makes an object that processes share."""
    for inner in own_nodes([node]):
        if isinstance(inner, ast.Call) and starts.name(outline, inner.func) in names("shared_objects"):
            return ast.unparse(inner.func)[:60]
    return None


def _is_passed_to_workers(outline: Outline, reads: WorkerReads, name: str) -> bool:
    """A function that is passed on sets the global, like the initializer of a pool: the worker has what that gets."""
    setters = {
        scope.name
        for node in outline.made_global.get(name, ())
        if isinstance(scope := outline.scope(node), (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    return any(
        isinstance(use, ast.Name) and reads.is_passed(use)
        for setter in setters
        for use in reads.outline.named.get(setter, ())
    )
