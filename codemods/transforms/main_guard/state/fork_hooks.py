"""Functions that are registered to run in forked children, or where these are terminated: a spawned one never does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Confidence, Hop
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from .before_start import is_set_before
from .changed_settings import Place, Search
from .process_state import inherits

_STOP, _SIGNALS = "signal.SIGTERM", "signal.signal"
_DEFAULTS = ("signal.SIG_DFL", "signal.SIG_IGN")
_AT_FORK = "os.register_at_fork"
_HOOKS = (_AT_FORK, "multiprocessing.util.register_after_fork")
_CONTAINERS = frozenset({"dict", "list", "set", "deque", "OrderedDict", "WeakKeyDictionary", "WeakValueDictionary"})


def fork_hooks(search: Search) -> Iterator[tuple[Outline, ast.Call, Confidence, Hop]]:
    """The calls that register one, in what a script runs that starts workers, and one of these."""
    for name in _HOOKS:
        for outline in search.repo.mentioning(name.rpartition(".")[2]):
            last = name.rpartition(".")[2]
            calls = [
                call
                for call in outline.calls_of(last)
                if qualified_name(outline, call.func) == name
                and (name != _AT_FORK or not _is_as_imported(outline, call))
            ]
            sent = next(_workers(search, outline), None) if calls else None
            if sent is not None:
                yield from ((outline, call, *sent) for call in calls)


def _is_as_imported(outline: Outline, call: ast.Call) -> bool:
    """All that children do for the call is to give variables of the module what they have after an import.

    `os.register_at_fork(after_in_child=lambda: HANDLES.clear())`: a spawned child has no handle anyway.
    """
    hooks = [keyword.value for keyword in call.keywords if keyword.arg in ("after_in_child", None)]
    steps = [step for hook in hooks for step in _steps(outline, hook)]
    return not call.args and all(_empties_or_sets_back(outline, step) for step in steps)


def _steps(outline: Outline, hook: ast.expr) -> list[ast.AST]:
    """The expressions and assignments of a lambda or of a function of the file; others are their own step."""
    if isinstance(hook, ast.Lambda):
        return [hook.body]
    found = outline.definitions.get(hook.id, []) if isinstance(hook, ast.Name) else []
    if len(found) != 1 or isinstance(found[0], ast.ClassDef):
        return [hook]
    body = found[0].body[ast.get_docstring(found[0]) is not None :]
    return [each.value if isinstance(each, ast.Expr) else each for each in body if not isinstance(each, ast.Global)]


def _empties_or_sets_back(outline: Outline, step: ast.AST) -> bool:
    if isinstance(step, ast.Assign) and len(step.targets) == 1 and isinstance(target := step.targets[0], ast.Name):
        value = _on_import(outline, target)
        plain = isinstance(step.value, ast.Constant) or _is_empty(step.value)
        plain = plain or (isinstance(step.value, ast.Call) and not step.value.args and not step.value.keywords)
        return plain and value is not None and ast.dump(value) == ast.dump(step.value)
    method = step.func if isinstance(step, ast.Call) and not step.args else step
    if not isinstance(method, ast.Attribute) or method.attr != "clear" or not isinstance(method.value, ast.Name):
        return False
    value = _on_import(outline, method.value)
    return value is not None and _is_empty(value)


def _on_import(outline: Outline, name: ast.Name) -> ast.expr | None:
    """What the module's variable has after an import; None where more than one statement has to do with that."""
    bound = outline.bindings(outline.module, name.id)
    hooks = {node for call in outline.calls_of(_AT_FORK.partition(".")[2]) for node in ast.walk(call)}
    others = (node for node in outline.own(outline.module) if isinstance(node, ast.Name) and node not in hooks)
    return bound[0].value if len(bound) == 1 and [each.id for each in others].count(name.id) == 1 else None


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return not value.args and not value.keywords and last_name(value.func) in _CONTAINERS
    return (isinstance(value, ast.Dict) and not value.keys) or (isinstance(value, ast.List) and not value.elts)


def handlers_of_stops(search: Search) -> Iterator[tuple[Outline, ast.Call, Confidence, Hop]]:
    """`signal.signal(signal.SIGTERM, handler)` before processes are started that `process.terminate()` stops."""
    for outline in search.repo.mentioning("SIGTERM"):
        stops = [call for call in outline.calls.get("terminate", ()) if not call.args and not call.keywords]
        for call in outline.calls_of("signal") if stops else ():
            if qualified_name(outline, call.func) != _SIGNALS or len(call.args) != 2:
                continue
            signal, handler = (qualified_name(outline, each) for each in call.args)
            way = next(_workers(search, outline), None) if signal == _STOP and handler not in _DEFAULTS else None
            if way is not None and is_set_before(search, Place(outline, call, ""), way[1]):
                yield outline, call, *way


def _workers(search: Search, outline: Outline) -> Iterator[tuple[Confidence, Hop]]:
    for worker in search.workers.values():
        kept = inherits(search, worker)
        for path, way in kept.sent.items() if kept is not None else ():
            if path == outline.path or path in search.importers.reaching(outline.path):
                yield way
