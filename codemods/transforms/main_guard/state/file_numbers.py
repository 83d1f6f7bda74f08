"""Numbers of open files that are sent to a worker: a forked one has the files, a spawned one has none of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop
from ....syntax.binding_rules import parameters
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ..data import names
from .changed_settings import Changed, Search
from .process_state import ChangedState, inherits
from .sentinels import is_argument
from .worker_functions import Worker

_FILENO = "fileno"
_Made = tuple[Outline, ast.Call]


def file_numbers(search: Search) -> Iterator[ChangedState]:
    """One per worker function, where it first uses such a number."""
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for node in worker.nodes if sent is not None else ():
            used = _number(worker.outline, node)
            made = next(_made(search, worker, used), None) if used is not None else None
            if made is not None and used is not None and sent is not None:
                home, call = made
                confidence, hop = next(iter(sent.sent.values()))
                change = Hop(home.path, call.lineno, f"`{ast.unparse(call)[:60]}` opens it in the main process")
                depends = (
                    f"a file that line {call.lineno} of {home.path} opens, by its number: a spawned worker gets the "
                    "number, and not the file"
                )
                advice = "send a `multiprocessing.Pipe()`, a path, or the number by `multiprocessing.reduction.DupFd`"
                yield ChangedState(depends, advice, Changed(home, used, sent, confidence, hop, change))
                break


def _number(outline: Outline, node: ast.AST) -> ast.Name | ast.Attribute | None:
    """`fd` of `os.write(fd, data)`."""
    if not isinstance(node, ast.Call) or not node.args or qualified_name(outline, node.func) not in names("by_number"):
        return None
    return node.args[0] if isinstance(node.args[0], (ast.Name, ast.Attribute)) else None


def _made(search: Search, worker: Worker, used: ast.Name | ast.Attribute) -> Iterator[_Made]:
    """Where what is sent gets the number from."""
    if isinstance(used, ast.Attribute):
        for outline in search.repo.mentioning(used.attr):
            for node in outline.attributes.get(used.attr, ()):
                if isinstance(node.ctx, ast.Store) and outline.scope(node) not in search.workers:
                    yield from _opened(outline, node)
    elif used.id in parameters(worker.function):
        for outline in filter(None, map(search.repo.outline, sorted(worker.sent))):
            for name in ("pipe", "pipe2", "open", _FILENO, "dup", "memfd_create"):
                for call in outline.calls_of(name):
                    for target in _targets(outline, call):
                        uses = outline.named.get(target.id, ()) if isinstance(target, ast.Name) else ()
                        if any(isinstance(use.ctx, ast.Load) and is_argument(outline, use) for use in uses):
                            yield from _opened(outline, target)


def _targets(outline: Outline, call: ast.Call) -> list[ast.expr]:
    statement = outline.parents[call]
    found = statement.targets if isinstance(statement, ast.Assign) and statement.value is call else []
    return [part for each in found for part in (each.elts if isinstance(each, ast.Tuple) else [each])]


def _opened(outline: Outline, target: ast.expr) -> Iterator[_Made]:
    """The call that gives the target the number."""
    above = outline.parents[target]
    statement = outline.parents[above] if isinstance(above, ast.Tuple) else above
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.Call):
        own = isinstance(value.func, ast.Attribute) and value.func.attr == _FILENO
        if own or qualified_name(outline, value.func) in names("numbers"):
            yield outline, value
