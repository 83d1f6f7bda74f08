"""What a function sets for its whole process before it starts another: a forked child has it, a spawned one has not.

A function that can't be pickled stops the program there. Once it can, the child would go on without the setting.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ....nodes import end_line
from ....syntax.binding_rules import FUNCTIONS, BindingKind
from ....syntax.names import last_name
from ....syntax.scope_data import Binding, Scope, end_of, start_of
from ....syntax.scopes import Scopes
from ..candidate import Unit
from ..libraries import libraries
from .logged_names import LOG_METHODS
from .settled import origin_in

_CHANGES = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear"})


def lost_setting(scopes: Scopes, unit: Unit, boundary: str, sent: int) -> str | None:
    """A setting that the process which gets the function reads, and would not have; in words.

    `sent`: the line of the file that starts the process, where that may be in another function.
    """
    if not boundary.endswith("Process") or isinstance(unit.node, ast.ClassDef):
        return None
    tables = libraries().process_settings
    for start, home in _starts(scopes, unit, sent):
        worker = _worker(scopes, start)
        used = [*_called(scopes, unit.node), *(_called(scopes, worker) if worker is not None else ())]
        for setting in ast.walk(home.node):
            if not isinstance(setting, ast.Call) or end_of(setting) > start_of(start):
                continue
            if scopes.around(setting) is not home or (not home.is_local and not scopes.under_guard(setting)):
                continue
            called = origin_in(scopes, setting.func)
            read = _read(used, tables.get(called, ())) if all(name != called for name, _ in used) else None
            if read is not None:
                name = ast.unparse(setting.func)
                return (
                    f"`{name}` (line {setting.lineno}) is called in this process only, and a spawned one, where line "
                    f"{read[1]} calls `{read[0]}`, would go on without it: call it there, too"
                )
        lost = _lost_state(scopes, unit, start, home, worker)
        if lost is not None:
            return lost
    return None


def _starts(scopes: Scopes, unit: Unit, sent: int) -> Iterator[tuple[ast.Call, Scope]]:
    """The processes that the function around starts, and the one in the line that sends it, each with its scope."""
    for start in ast.walk(scopes.tree):
        if isinstance(start, ast.Call) and last_name(start.func) == "Process":
            inside = unit.home.node in (start, *scopes.ancestors(start))
            if inside:
                yield start, unit.home
            elif start.lineno <= sent <= end_line(start):
                yield start, scopes.around(start)


class _State(NamedTuple):
    """What a function sets for its process: an attribute of a class or module, what a list or dict of the file has."""

    text: str
    line: int
    name: str  # of the attribute, or of the list or dict
    owner: ast.ClassDef | None  # the class, whose methods read it too


def _lost_state(scopes: Scopes, unit: Unit, start: ast.Call, home: Scope, worker: ast.AST | None) -> str | None:
    """`Reader.root = path` before the process starts: a spawned one imports the class anew."""
    reading = _with_called(scopes, [place for place in (unit.node, worker) if place is not None])
    own = {id(node) for place in reading for node in ast.walk(place)}  # what the process does itself
    for node in _run_before(scopes, home, start):
        state = _set_by(scopes, node) if id(node) not in own else None
        if state is None:
            continue
        places = [state.owner, *reading] if state.owner is not None else reading
        line = next((line for place in places for line in _reads(scopes, place, state)), None)
        if line is not None:
            return (
                f"`{state.text}` (line {state.line}) is set in this process only, and a spawned one, where line {line} "
                "reads it, would go on without it: set it there, too"
            )
    return None


def _run_before(scopes: Scopes, home: Scope, start: ast.Call) -> Iterator[ast.AST]:
    """What the function around runs above the start, with the functions of the file that it calls or decorates by."""
    mine: list[ast.AST] = []
    last = start_of(_moment(scopes, home, start))
    for node in ast.walk(home.node):
        above = start_of(node) <= last if hasattr(node, "lineno") else False
        guarded = home.is_local or (above and scopes.under_guard(node))
        if above and guarded and scopes.around(node) is home:
            mine.append(node)
    yield from mine
    for function in _with_called(scopes, mine, deep=False):
        if isinstance(function, FUNCTIONS):
            yield from ast.walk(function)


def _moment(scopes: Scopes, home: Scope, made: ast.Call) -> ast.Call:
    """The last `.start()` below that may be of the process made there, else the call that makes it."""
    kept = scopes.parents[made]
    names = {target.id for target in getattr(kept, "targets", ()) if isinstance(target, ast.Name)}
    started = [
        node
        for node in ast.walk(home.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "start"
        if scopes.around(node) is home and start_of(node) > start_of(made)
        if not names or (isinstance(node.func.value, ast.Name) and node.func.value.id in names)
    ]
    return max(started, key=start_of, default=made)


def _with_called(scopes: Scopes, nodes: list[ast.AST], deep: bool = True) -> list[ast.AST]:
    """The nodes, and the functions of the module that they name, and so on."""
    found = list(nodes)
    seen = {id(node) for node in found}
    for place in found:  # grows as it goes
        inner = ast.walk(place) if deep or isinstance(place, FUNCTIONS) else [place]
        for node in inner:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                bound = _bound(scopes, node)
                if bound is not None and isinstance(bound.node, FUNCTIONS) and id(bound.node) not in seen:
                    seen.add(id(bound.node))
                    found.append(bound.node)
    return found


def _reads(scopes: Scopes, place: ast.AST, state: _State) -> Iterator[int]:
    is_variable = state.text == state.name
    for node in ast.walk(place):
        if (
            is_variable
            and isinstance(node, ast.Name)
            and scopes.owner(scopes.around(node), node.id) is not scopes.module
        ):
            continue  # a parameter of that name
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
        if name == state.name and isinstance(getattr(node, "ctx", None), ast.Load):
            yield getattr(node, "lineno", 0)


def _set_by(scopes: Scopes, node: ast.AST) -> _State | None:
    """`Class.name = value`, `setattr(module, "name", value)`, `TABLE[key] = value`, `TABLE.append(value)`.

    Also a variable that the function declares as `global`, and `TABLE.method(...)` where that sets attributes.
    """
    if isinstance(node, ast.Name):
        around = scopes.around(node)
        is_global = around is not scopes.module and scopes.owner(around, node.id) is scopes.module
        if not isinstance(node.ctx, ast.Store):
            return None
        return _State(node.id, node.lineno, node.id, None) if is_global else None
    if not isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        return None
    if isinstance(node, ast.Call):
        if last_name(node.func) == "setattr" and len(node.args) == 3 and isinstance(node.args[1], ast.Constant):
            owner = _bound(scopes, node.args[0])
            name = str(node.args[1].value)
            return _attribute(node.args[0], name, owner) if owner is not None else None
        if not isinstance(node.func, ast.Attribute):
            return None
        is_change = node.func.attr in _CHANGES or _sets_attributes(scopes, node.func)
        return _variable(scopes, node.func.value) if is_change else None
    if isinstance(node.ctx, ast.Load):
        return None
    if isinstance(node, ast.Subscript):
        return _variable(scopes, node.value)
    owner = _bound(scopes, node.value)
    return _attribute(node.value, node.attr, owner) if owner is not None else None


def _sets_attributes(scopes: Scopes, func: ast.Attribute) -> bool:
    """The method of an object of the file's own class, which a variable of the module holds, sets attributes of it."""
    held = _bound(scopes, func.value)
    made = getattr(held.statement, "value", None) if held is not None else None
    cls = _bound(scopes, made.func) if isinstance(made, ast.Call) else None
    body = cls.node.body if cls is not None and isinstance(cls.node, ast.ClassDef) else []
    methods = (each for each in body if isinstance(each, FUNCTIONS) and each.name == func.attr and each.args.args)
    return any(
        isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == each.args.args[0].arg
        for each in methods
        for node in ast.walk(each)
    )


def _attribute(value: ast.expr, name: str, owner: Binding) -> _State | None:
    if not isinstance(owner.node, ast.ClassDef) and owner.kind is not BindingKind.IMPORT:
        return None
    text = f"{ast.unparse(value)}.{name}"
    return _State(text, value.lineno, name, owner.node if isinstance(owner.node, ast.ClassDef) else None)


def _variable(scopes: Scopes, value: ast.expr) -> _State | None:
    """A list, dict or set that the file has from its start."""
    bound = _bound(scopes, value)
    if bound is None or not isinstance(value, ast.Name) or not isinstance(bound.statement, (ast.Assign, ast.AnnAssign)):
        return None
    return _State(value.id, value.lineno, value.id, None)


def _bound(scopes: Scopes, value: ast.expr) -> Binding | None:
    """What binds a name of the module, once."""
    if not isinstance(value, ast.Name) or scopes.owner(scopes.around(value), value.id) is not scopes.module:
        return None
    found = scopes.module.bindings.get(value.id, [])
    return found[0] if len(found) == 1 else None


def _worker(scopes: Scopes, start: ast.Call) -> ast.AST | None:
    """The function of the file that the process runs."""
    target = next((word.value for word in start.keywords if word.arg == "target"), None)
    found = scopes.module.bindings.get(target.id, []) if isinstance(target, ast.Name) else []
    return found[0].node if len(found) == 1 and isinstance(found[0].node, FUNCTIONS) else None


def _called(scopes: Scopes, node: ast.AST) -> Iterator[tuple[str, int]]:
    """What the function calls, dotted, and where; a method of a logger as one of `logging`."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            name = origin_in(scopes, call.func)
            is_log = last_name(call.func) in LOG_METHODS and "log" in name.lower()
            yield (f"logging.{last_name(call.func)}" if is_log else name), call.lineno


def _read(used: list[tuple[str, int]], prefixes: tuple[str, ...]) -> tuple[str, int] | None:
    return next((item for item in used if prefixes and item[0].startswith(prefixes)), None)
