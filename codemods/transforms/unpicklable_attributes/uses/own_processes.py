"""Processes that an object starts with a method of its own: the second start pickles what the first left on the object.

That is the process, where the object keeps it, or a connection that is closed once it has been started.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....finding import Trace
from ....nodes import end_line, walk
from ....syntax.binding_rules import COMPREHENSIONS, LOOPS
from ....syntax.file_tree import position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from .replaced_at_once import LEAVES, is_hidden

_MAKES = re.compile(r"Process(?<!\wProcess)\s*\(")  # begins with the word: found many times faster
_PUTS = frozenset(("append", "add", "insert", "extend"))
_UNBOUND = frozenset(("staticmethod", "classmethod"))  # what it gives does not take the object along
_DECIDES = frozenset(("__getstate__", "__reduce__", "__reduce_ex__"))


@dataclass(frozen=True)
class Kept:
    """`call` makes processes that get the object, and that its attribute keeps, which `place` is.

    `closed`: the attribute has connections, and `place` closes one.
    """

    outline: Outline
    call: ast.Call
    place: ast.Attribute
    owner: ast.ClassDef
    closed: bool = False


def own_processes(repo: Repo, path: str) -> Iterator[Kept]:
    """Those of one file."""
    outline = repo.outline(path) if repo.project.holds(path, _MAKES) else None
    for call in outline.calls.get("Process", ()) if outline is not None else ():
        assert outline is not None
        owner, method = outline.owner(call), outline.method(call)
        if owner is None or method is None or not _gets_self(outline, call) or _forks(outline):
            continue
        again = any(isinstance(above, (*LOOPS, *COMPREHENSIONS)) for above in _inside(outline, call, method))
        has_method = {each.name for each in owner.body if isinstance(each, ast.FunctionDef)}
        starts = any(isinstance(node, ast.Attribute) and node.attr == "start" for node in ast.walk(owner))
        place = _kept(outline, call, method) if again and starts and not has_method & _DECIDES else None
        if place is not None:
            yield Kept(outline, call, place, owner)
        ends = _closed(outline, call, owner, method) if again and starts and not has_method & _DECIDES else None
        if ends is not None:
            yield Kept(outline, call, ends, owner, closed=True)


def kept_beside(repo: Repo, owner: Class, early: frozenset[str], trace: Trace) -> tuple[str, ast.Attribute] | None:
    """The file and an attribute in which the objects of a class keep a process that was started, when they are sent.

    Not where that process is the one that gets the object, by the boundary at the end of `trace`, and is kept alone.
    `early`: the methods that run before that, beside those of a class that sends its own objects.
    """
    outline, last = owner.outline, trace[-1] if trace else None
    sends = last is not None and last.path == outline.path and last.line in range(*_lines(owner.node))
    for call in outline.calls.get("Process", ()) if repo.project.holds(outline.path, _MAKES) else ():
        method = outline.method(call)
        if outline.owner(call) is not owner.node or method is None or not (sends or method.name in early):
            continue
        statement = outline.statement(call)
        alone = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
        gets_it = sends and last is not None and call.lineno == last.line
        if isinstance(alone, ast.Attribute) and outline.is_self(alone.value):
            starts = (use for use in outline.attributes.get("start", ()) if outline.owner(use) is owner.node)
            started = any(ast.unparse(use.value) == ast.unparse(alone) for use in starts)
            if not gets_it and started and not _is_let_go(outline, statement, alone.attr, method):
                return outline.path, alone
        elif (place := _kept(outline, call, method)) is not None and (
            not gets_it or any(isinstance(above, (*LOOPS, *COMPREHENSIONS)) for above in _inside(outline, call, method))
        ):
            return outline.path, place
    return None


def _is_let_go(outline: Outline, statement: ast.AST, name: str, method: ast.AST) -> bool:
    """Below the statement its method always sets the attribute to None, and nothing sees the object before that."""
    body: list[ast.stmt] = getattr(method, "body", [])
    behind = body[body.index(statement) + 1 :] if isinstance(statement, ast.stmt) and statement in body else []
    for each in behind:
        used = list(walk(each))
        match each:
            case ast.Assign(targets=[ast.Attribute() as target], value=ast.Constant(None)) if target.attr == name:
                return outline.is_self(target.value)
        if any(isinstance(node, LEAVES) for node in used) or not is_hidden(outline, used):
            return False
    return False


def _lines(node: ast.ClassDef) -> tuple[int, int]:
    return node.lineno, end_line(node) + 1


def _closed(outline: Outline, call: ast.Call, owner: ast.ClassDef, method: ast.AST) -> ast.Attribute | None:
    """`self.pipes` of `self.pipes[n].close()` below `call` in its loop, where these come from `Pipe()`."""
    loop = next((above for above in _inside(outline, call, method) if isinstance(above, LOOPS)), None)
    for end in ast.walk(loop) if loop is not None else ():
        if not (isinstance(end, ast.Call) and last_name(end.func) == "close" and position(end) > position(call)):
            continue
        held = end.func.value if isinstance(end.func, ast.Attribute) else None
        part = held.value if isinstance(held, ast.Subscript) else None  # one for each process
        if isinstance(part, ast.Attribute) and outline.is_self(part.value) and part.attr in _pipes(outline, owner):
            return part
    return None


def _pipes(outline: Outline, owner: ast.ClassDef) -> set[str]:
    """The attributes that hold what `Pipe` gives."""
    found: set[str] = set()
    for node in ast.walk(owner):
        made = ast.walk(node.value) if isinstance(node, ast.Assign) else ()
        if any(isinstance(each, ast.Call) and last_name(each.func) == "Pipe" for each in made):
            inside = (each for target in node.targets for each in ast.walk(target))  # type: ignore[attr-defined]
            found |= {each.attr for each in inside if isinstance(each, ast.Attribute) and outline.is_self(each.value)}
    return found


def _gets_self(outline: Outline, call: ast.Call) -> bool:
    """Its target is a method of the object, or the object is one of its arguments."""
    given = {word.arg: word.value for word in call.keywords}
    target, args = given.get("target"), given.get("args")
    if isinstance(target, ast.Attribute) and outline.is_self(target.value):
        owner = outline.owner(call)
        named = [each for each in owner.body if getattr(each, "name", "") == target.attr] if owner is not None else []
        if not any(last_name(mark) in _UNBOUND for each in named for mark in getattr(each, "decorator_list", ())):
            return True
    return isinstance(args, (ast.Tuple, ast.List)) and any(outline.is_self(each) for each in args.elts)


def _forks(outline: Outline) -> bool:
    """The file asks for processes that are forked."""
    calls = (call for name in ("get_context", "set_start_method") for call in outline.calls.get(name, ()))
    return any(isinstance(each, ast.Constant) and each.value == "fork" for call in calls for each in call.args)


def _inside(outline: Outline, node: ast.AST, method: ast.AST) -> Iterator[ast.AST]:
    for above in outline.ancestors(node):
        if above is method:
            return
        yield above


def _kept(outline: Outline, call: ast.Call, method: ast.AST) -> ast.Attribute | None:
    """The attribute of the object whose list or dict gets what the call makes."""
    statement = outline.statement(call)
    found = _taker(outline, call)
    bound = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
    if found is None and isinstance(bound, ast.Name):
        uses = (node for node in ast.walk(method) if isinstance(node, ast.Name) and node.id == bound.id)
        takers = (_taker(outline, use) for use in uses if isinstance(use.ctx, ast.Load))
        found = next((taker for taker in takers if taker is not None), None)
    return found


def _taker(outline: Outline, node: ast.expr) -> ast.Attribute | None:
    """`self.processes` in `self.processes.append(x)`, `self.processes += [x]`, `self.processes = [x for ...]`."""
    above: ast.AST = outline.parents[node]
    while isinstance(above, (ast.List, ast.Tuple, *COMPREHENSIONS)):
        above = outline.parents[above]
    target: ast.AST | None = None
    if isinstance(above, ast.Call) and last_name(above.func) in _PUTS and isinstance(above.func, ast.Attribute):
        target = above.func.value
    elif isinstance(above, ast.AugAssign):
        target = above.target
    elif isinstance(above, ast.Assign) and above.value is not node:
        target = above.targets[0]
    elif isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Subscript):
        target = above.targets[0].value
    return target if isinstance(target, ast.Attribute) and outline.is_self(target.value) else None
