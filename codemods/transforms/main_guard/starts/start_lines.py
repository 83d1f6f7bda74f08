"""Where workers begin: not where a process or a loader is made, but where it is started, or iterated."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import NamedTuple

from ....finding import Hop
from ....syntax.binding_rules import LOOPS
from ....syntax.callees import FUNCTIONS
from ....syntax.file_tree import Scope
from ....syntax.names import dotted, last_name
from ....syntax.outline import Outline
from ..data import names
from .process_starts import EXECUTOR, PROCESS, Starts

_MADE = (ast.ClassDef, ast.Import, ast.ImportFrom)
_ASKS = frozenset({"len", "print", "type", "isinstance", "hasattr", "getattr", "id", "repr", "str", "bool"})


def may_precede(starts: Starts, outline: Outline, node: ast.AST, line: int) -> bool:
    """`node` may run before workers begin that get what a call of its scope, on `line`, sends."""
    scope = outline.scope(node)
    at = getattr(node, "lineno", 0)
    loops = [above for above in outline.ancestors(node) if isinstance(above, LOOPS) and outline.scope(above) is scope]
    return any(
        at <= begin.line or any(loop.lineno <= begin.since <= begin.line <= (loop.end_lineno or 0) for loop in loops)
        for begin in _begins(starts, outline, scope, line)
    )


def sent_again(starts: Starts, outline: Outline | None, sent: Hop) -> list[Hop]:
    """The boundary, and others of the file that send by the same function of a library the same code."""
    calls = [each for each in outline.by_line.get(sent.line, ()) if isinstance(each, ast.Call)] if outline else []
    found = [sent]
    for call in calls:
        assert outline is not None
        name, passed = starts.name(outline, call.func), _code(outline, call)
        for other in outline.calls.get(last_name(call.func), ()) if "." in name and passed else ():
            if (
                other.lineno != call.lineno
                and passed & _code(outline, other)
                and starts.name(outline, other.func) == name
            ):
                found.append(replace(sent, line=other.lineno))
    return found


def _code(outline: Outline, call: ast.Call) -> set[str]:
    """The functions and classes that the arguments name; of a function that is called there, the result is sent."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    found = set[str]()
    for node in (node for value in values for node in ast.walk(value) if isinstance(node, ast.Name)):
        kinds = _MADE if getattr(outline.parents[node], "func", None) is node else (*_MADE, *FUNCTIONS)
        if any(isinstance(each.statement, kinds) for each in outline.lookup(node, node.id)[1]):
            found.add(node.id)
    return found


class _Begin(NamedTuple):
    line: int
    since: int  # a loop that begins below this line comes to `line` more than once, and starts no other workers there


def _begins(starts: Starts, outline: Outline, scope: Scope, line: int) -> list[_Begin]:
    """Where in the scope such workers begin; on the line itself, where nothing else is seen."""
    calls = [each for each in outline.by_line.get(line, ()) if isinstance(each, ast.Call)]
    found = [at for call in calls if outline.scope(call) is scope for at in _of_call(starts, outline, scope, call)]
    return found or [_Begin(line, line)]


def _of_call(starts: Starts, outline: Outline, scope: Scope, call: ast.Call) -> list[_Begin]:
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    made = outline.only_value(held) if isinstance(held, ast.Name) else None
    if isinstance(held, ast.Name) and isinstance(made, ast.Call) and outline.scope(made) is scope:
        kind = starts.name(outline, made.func)
        if kind == EXECUTOR:  # with its first task
            tasks = (each.lineno for each in _uses(outline, scope, held.id, made) if _is_task(outline, each))
            return [_Begin(min(tasks, default=call.lineno), made.lineno)]
        return [_Begin(made.lineno, made.lineno)] if kind in names("starters") else []
    if starts.name(outline, call.func) == PROCESS:
        return [_Begin(line, line) for line in _started(starts, outline, scope, call)]
    if not starts.loaders.is_loader(outline, call.func):
        return []
    uses = [use for name in _bound(outline, call) for use in _uses(outline, scope, name, call)]
    lines = sorted(use.lineno for use in [use for use in uses if not _only_asks(outline, use)] or uses)
    persists = any(key.arg == "persistent_workers" and _is_true(key.value) for key in call.keywords)
    return [_Begin(line, call.lineno) for line in lines[:1]] if persists else [_Begin(line, line) for line in lines]


def _started(starts: Starts, outline: Outline, scope: Scope, made: ast.Call) -> list[int]:
    """Where the process, or what may be that, is told to start."""
    own, other = list[int](), list[int]()
    for each in outline.attributes.get("start", ()):
        if outline.scope(each) is scope and each.lineno >= made.lineno:
            value = outline.only_value(each.value) if isinstance(each.value, ast.Name) else None
            if value is made:
                own.append(each.lineno)
            elif not isinstance(value, ast.Call) or starts.name(outline, value.func) == "":
                other.append(each.lineno)
    return own or other


def _bound(outline: Outline, made: ast.Call) -> list[str]:
    """The names and attributes that get what the call makes, also as a part of a list or a dict."""
    statement = outline.statement(made)
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.With)):
        return []
    targets = (node for node in ast.walk(statement) if isinstance(node, (ast.Name, ast.Attribute)))
    kept = (node for node in targets if isinstance(node.ctx, ast.Store) and outline.statement(node) is statement)
    return [name for name in map(dotted, kept) if name]


def _uses(outline: Outline, scope: Scope, name: str, made: ast.Call) -> list[ast.Name | ast.Attribute]:
    whole, _, last = name.rpartition(".")
    named = outline.attributes.get(last, ()) if whole else outline.named.get(name, ())
    uses = (use for use in named if isinstance(use, (ast.Name, ast.Attribute)) and isinstance(use.ctx, ast.Load))
    below = (use for use in uses if use.lineno > made.lineno and outline.scope(use) is scope)
    return [use for use in below if not whole or dotted(use) == name]


def _only_asks(outline: Outline, use: ast.expr) -> bool:
    """`len(loader)`, `loader.dataset`, `if loader is None`: it starts no workers."""
    above = outline.parents[use]
    if isinstance(above, ast.Call) and use in above.args and isinstance(above.func, ast.Name):
        return above.func.id in _ASKS and not outline.lookup(above.func, above.func.id)[1]
    if isinstance(above, ast.Attribute):
        return above.attr != "__iter__"
    return isinstance(above, ast.Compare) or getattr(above, "test", None) is use


def _is_task(outline: Outline, use: ast.expr) -> bool:
    above = outline.parents[use]
    return isinstance(above, ast.Attribute) and above.attr in ("submit", "map")


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
