"""Objects that stand for "nothing" or the like: what is sent holds a copy of them, and a worker makes its own.

`MISSING = object()` of a module, kept on what is sent (`self.value = MISSING`), which a worker asks for by `is`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ....finding import Hop
from ....nodes import walk
from ....syntax.binding_rules import parameters
from ....syntax.outline import Outline
from .changed_settings import Changed, Search
from .process_state import ChangedState, inherits
from .worker_functions import Worker

_SIGNS = (ast.Is, ast.IsNot)
_MAKES = "object"
_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)
_MAX_NAMES = 3  # by which such an object goes on


def sentinels(search: Search) -> Iterator[ChangedState]:
    """One per object, at the first place where a worker asks whether it is what was sent."""
    seen: set[tuple[str, str]] = set()
    for worker in search.workers.values():
        sent = inherits(search, worker)
        nodes = worker.nodes if sent is not None else ()
        for node in nodes:
            for name, other in _sides(node):
                made = _made(search, worker.outline, name)
                if made is None or sent is None or (made[0].path, name.id) in seen:
                    continue
                if _is_sent(search, worker, other, _Sign(search, name.id, made)):
                    seen.add((made[0].path, name.id))
                    assert isinstance(node, ast.Compare)
                    yield _state(made, node, name.id, sent)


def _sides(node: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """`value is NAME`, either way round: the name, and the value."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _SIGNS):
        left, right = node.left, node.comparators[0]
        for name, other in ((right, left), (left, right)):
            if isinstance(name, ast.Name):
                yield name, other


def _made(search: Search, outline: Outline, name: ast.Name) -> tuple[Outline, ast.expr] | None:
    """Where the module of the name makes it: `object()`."""
    home = outline
    scope, bindings = outline.lookup(name, name.id)
    if name.id in outline.imported and isinstance(scope, ast.Module):
        statement = bindings[0].statement if len(bindings) == 1 else None
        other = search.callees.star_source(outline, statement) if isinstance(statement, ast.ImportFrom) else None
        home, bindings = (other, other.bindings(other.module, name.id)) if other is not None else (outline, [])
    value = bindings[0].value if len(bindings) == 1 and isinstance(scope, ast.Module) else None
    plain = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == _MAKES
    return (home, value) if value is not None and plain else None


class _Sign(NamedTuple):
    """One such object: its name, and where it is made."""

    search: Search
    name: str
    made: tuple[Outline, ast.expr]

    def is_it(self, outline: Outline, node: ast.expr | None) -> bool:
        """The expression names it, and not something else of that name."""
        return isinstance(node, ast.Name) and node.id == self.name and _made(self.search, outline, node) == self.made


def _is_sent(search: Search, worker: Worker, other: ast.expr, sign: _Sign) -> bool:
    """What is compared may have come with what was sent: an attribute, or an argument, also one handed on."""
    if isinstance(other, ast.Attribute):
        return any(_keeps(outline, other.attr, sign) for outline in search.repo.mentioning(other.attr))
    if not isinstance(other, ast.Name) or other.id not in parameters(worker.function):
        return False
    arguments = worker.function.args
    defaults = [*arguments.defaults, *arguments.kw_defaults] if worker.depth else []
    if any(sign.is_it(worker.outline, each) for each in defaults):
        return False  # where it is called without
    return any(_passes(outline, sign) for outline in search.repo.mentioning(sign.name))


def _keeps(outline: Outline, attribute: str, sign: _Sign) -> bool:
    """`x.attribute = name`, or a parameter whose default that is."""
    for node in outline.attributes.get(attribute, ()):
        statement = outline.parents[node]
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        if isinstance(node.ctx, ast.Load) or not isinstance(value, ast.Name):
            continue
        around = outline.scope(node)
        defaults = [*around.args.defaults, *around.args.kw_defaults] if isinstance(around, ast.FunctionDef) else []
        if any(sign.is_it(outline, each) for each in (value, *defaults)):
            return True
    return False


def _passes(outline: Outline, sign: _Sign) -> bool:
    """It is among the arguments of a new process: `args=(NAME,)`, `for job in [{"a": NAME}]: ... args=(job,)`."""
    for node in outline.named.get(sign.name, ()):
        whole: ast.AST = node
        while isinstance(outline.parents.get(whole), _DISPLAYS):
            whole = outline.parents[whole]
        if whole is not node and sign.is_it(outline, node) and _is_argument(outline, whole):
            return True
    return False


def _is_argument(outline: Outline, value: ast.AST, hops: int = 0) -> bool:
    """The value, or a part of it, is among the arguments of a new process, by a name of the function too."""
    inner, above = value, outline.parents[value]
    while isinstance(above, _DISPLAYS):
        inner, above = above, outline.parents[above]
    if isinstance(above, ast.keyword):
        return above.arg == "args"
    if isinstance(above, (ast.For, ast.AsyncFor)) and above.iter is inner:
        targets = [above.target]
    elif isinstance(above, ast.Assign):
        targets = above.targets
    else:
        return False
    named = {part.id for target in targets for part in walk(target) if isinstance(part, ast.Name)}
    uses = (use for name in named for use in outline.named.get(name, ()) if isinstance(use, ast.Name))
    scope = outline.scope(value)
    return hops < _MAX_NAMES and any(
        isinstance(use.ctx, ast.Load) and outline.scope(use) is scope and _is_argument(outline, use, hops + 1)
        for use in uses
    )


def _state(made: tuple[Outline, ast.expr], node: ast.Compare, name: str, worker: Worker) -> ChangedState:
    home, value = made
    path = min(worker.sent)
    confidence, sent = worker.sent[path]
    hop = Hop(home.path, value.lineno, f"`{name}` is made here, and once more in each spawned worker")
    depends = f"which object `{name}` is (line {value.lineno} of {home.path}): a spawned worker gets a copy of it"
    advice = f"let it be a member of an `enum.Enum`, or a class, which pickle finds by its name: `class {name}: ...`"
    return ChangedState(depends, advice, Changed(home, node, worker, confidence, sent, hop))
