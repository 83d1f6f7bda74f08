"""What a method stores on the object once it has started the processes that get the object: they never see it.

self.worker = Process(target=self.work)
self.worker.start()
self.reader = Thread(target=self.read)  # stays here
"""

from __future__ import annotations

import ast

from ....finding import Trace
from ....nodes import end_line
from ....syntax.binding_rules import LOOPS
from ....syntax.file_tree import position
from ....syntax.outline import Outline
from ..classes import Shape, Store

_HOLDS = (ast.ListComp, ast.List, ast.Tuple)


def set_after_start(shape: Shape, store: Store, trace: Trace) -> bool:
    """The object crosses by a process that its own class makes, and all of these are started above the store."""
    outline = shape.outline
    if not trace or trace[-1].path != outline.path or shape.in_loop(store.statement, store.method):
        return False
    made = [call for call in outline.calls.get("Process", ()) if outline.owner(call) is shape.node]
    return any(call.lineno <= trace[-1].line <= end_line(call) for call in made) and all(
        _is_started(outline, store, call) for call in made
    )


def _is_started(outline: Outline, store: Store, call: ast.Call) -> bool:
    """In the method of `store`, above it."""
    if outline.scope(call) is not store.method or position(call) > position(store.statement):
        return False
    place: ast.AST = call
    while isinstance(above := outline.parents[place], _HOLDS):
        place = above
    if isinstance(above, ast.Attribute):
        return above.attr == "start"  # `Process(...).start()`
    target = ast.dump(above.targets[0]) if isinstance(above, ast.Assign) else ""
    if "Store()" not in target:
        return False
    held = target.replace("Store()", "Load()", 1)
    starts = (start for start in outline.calls.get("start", ()) if outline.scope(start) is store.method)
    return any(
        isinstance(start.func, ast.Attribute)
        and position(call) < position(start) < position(store.statement)
        and held in (ast.dump(start.func.value), _walked(outline, start.func.value))
        for start in starts
    )


def _walked(outline: Outline, receiver: ast.expr) -> str:
    """What the loop goes over whose variable the receiver is."""
    for above in outline.ancestors(receiver):
        if isinstance(above, LOOPS):
            one = ast.dump(above.target).replace("Store()", "Load()") if isinstance(above, ast.For) else ""
            return ast.dump(above.iter) if isinstance(above, ast.For) and one == ast.dump(receiver) else ""
    return ""
