"""What a function sets for its whole process before it starts another: a forked child has it, a spawned one has not.

A function that can't be pickled stops the program there. Once it can, the child would go on without the setting.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.binding_rules import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.scope_data import end_of, start_of
from ...syntax.scopes import Scopes
from .candidate import Unit
from .libraries import libraries
from .settled import origin_in

_LOGS = frozenset(["debug", "info", "warn", "warning", "error", "critical", "exception", "log"])


def lost_setting(scopes: Scopes, unit: Unit, boundary: str) -> str | None:
    """A setting that the process which gets the function reads, and would not have; in words."""
    if not boundary.endswith("Process") or isinstance(unit.node, ast.ClassDef):
        return None
    tables = libraries().process_settings
    for start in ast.walk(unit.home.node):
        if not isinstance(start, ast.Call) or last_name(start.func) != "Process":
            continue
        worker = _worker(scopes, start)
        used = [*_called(scopes, unit.node), *(_called(scopes, worker) if worker is not None else ())]
        for setting in ast.walk(unit.home.node):
            if not isinstance(setting, ast.Call) or end_of(setting) > start_of(start):
                continue
            if scopes.around(setting) is not unit.home or (not unit.home.is_local and not scopes.under_guard(setting)):
                continue
            called = origin_in(scopes, setting.func)
            read = _read(used, tables.get(called, ())) if all(name != called for name, _ in used) else None
            if read is not None:
                name = ast.unparse(setting.func)
                return (
                    f"`{name}` (line {setting.lineno}) is called in this process only, and a spawned one, where line "
                    f"{read[1]} calls `{read[0]}`, would go on without it: call it there, too"
                )
        lost = _lost_attribute(scopes, unit, start, worker)
        if lost is not None:
            return lost
    return None


def _lost_attribute(scopes: Scopes, unit: Unit, start: ast.Call, worker: ast.AST | None) -> str | None:
    """`Reader.root = path` before the process starts: a spawned one imports the class anew."""
    for node in ast.walk(unit.home.node):
        owner, name = _set_on_class(scopes, node)
        if owner is None or start_of(node) > start_of(start) or scopes.around(node) is not unit.home:
            continue
        places = [place for place in (owner, unit.node, worker) if place is not None]
        reads = (read for place in places for read in ast.walk(place) if isinstance(read, ast.Attribute))
        line = next((read.lineno for read in reads if read.attr == name and isinstance(read.ctx, ast.Load)), None)
        if line is not None:
            return (
                f"`{owner.name}.{name}` (line {getattr(node, 'lineno', 0)}) is set in this process only, and a spawned "
                f"one, where line {line} reads it, would go on without it: set it there, too"
            )
    return None


def _set_on_class(scopes: Scopes, node: ast.AST) -> tuple[ast.ClassDef | None, str]:
    """The class of the file on which `Class.name = value` or `setattr(Class, "name", value)` sets an attribute."""
    target: ast.expr | None = None
    name = ""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        target, name = node.value, node.attr
    elif isinstance(node, ast.Call) and last_name(node.func) == "setattr" and len(node.args) == 3:
        target, key = node.args[0], node.args[1]
        name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
    found = scopes.module.bindings.get(target.id, []) if isinstance(target, ast.Name) and name else []
    owner = found[0].node if len(found) == 1 else None
    return (owner, name) if isinstance(owner, ast.ClassDef) else (None, "")


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
            is_log = last_name(call.func) in _LOGS and "log" in name.lower()
            yield (f"logging.{last_name(call.func)}" if is_log else name), call.lineno


def _read(used: list[tuple[str, int]], prefixes: tuple[str, ...]) -> tuple[str, int] | None:
    return next((item for item in used if prefixes and item[0].startswith(prefixes)), None)
