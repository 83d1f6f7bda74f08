"""What a method stores on its object only when the processes that it made, which get the object, run already.

self.worker = Process(target=self.work)
self.worker.start()
self.found = defaultdict(lambda: [])  # stays here
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...nodes import children
from ...syntax.binding_rules import FUNCTIONS, LOOPS
from ...syntax.names import last_name
from .records import FileFacts, Late

_PROCESS = "Process"
_HOLDS = (ast.ListComp, ast.List, ast.Tuple)


def late_stores(tree: ast.Module, facts: FileFacts) -> list[Late]:
    """Per `Process(...)`, and `start()`, of a method what stands below the start in it, and in no loop."""
    if not any(call.text.rpartition(".")[2] == _PROCESS for call in facts.calls):
        return []
    functions = {each.position[:2]: index for index, each in enumerate(facts.functions) if each.owner >= 0}
    found: list[Late] = []
    for owner in ast.walk(tree):
        for method in owner.body if isinstance(owner, ast.ClassDef) else ():
            index = functions.get((method.lineno, method.col_offset))
            if isinstance(method, ast.FunctionDef) and index is not None and method.args.args:
                found += _of_method(method, index)
    return found


def _of_method(method: ast.FunctionDef, index: int) -> Iterator[Late]:
    parents = _parents(method)
    calls = [node for node in parents if isinstance(node, ast.Call)]
    starts = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "start"]
    sent = [(start.lineno, _place(start)) for start in starts]
    for process in calls:
        own = [_place(start) for start in starts if _starts(parents, start, process)]
        if last_name(process.func) == _PROCESS and own:
            sent.append((process.lineno, max(own)))
    for target in parents if len(sent) > len(starts) else ():
        if (
            isinstance(target, ast.Attribute)
            and isinstance(target.ctx, ast.Store)
            and isinstance(target.value, ast.Name)
            and target.value.id == method.args.args[0].arg
            and not any(isinstance(above, LOOPS) for above in _above(parents, target))
        ):
            for line, started in sent:
                if started < _place(target):
                    yield Late(index, target.attr, target.lineno, line)


def _parents(method: ast.FunctionDef) -> dict[ast.AST, ast.AST]:
    """Per node of the code of the method, without that of functions in it, the one around it."""
    found: dict[ast.AST, ast.AST] = {}
    todo: list[ast.AST] = [method]
    while todo:
        node = todo.pop()
        inner = [child for child in children(node) if not isinstance(child, (*FUNCTIONS, ast.Lambda, ast.ClassDef))]
        found.update(dict.fromkeys(inner, node))
        todo += inner
    return found


def _starts(parents: dict[ast.AST, ast.AST], start: ast.Call, process: ast.Call) -> bool:
    """`start` is the one of what `process` makes, or of all that is in the list which gets it."""
    assert isinstance(start.func, ast.Attribute)
    receiver = start.func.value
    if receiver is process:
        return True
    walked = next(
        (above for above in _above(parents, start) if isinstance(above, ast.For) and _same(above.target, receiver)),
        None,
    )
    return _place(process) < _place(start) and any(
        _same(held, receiver) or (walked is not None and _same(held, walked.iter)) for held in _held(parents, process)
    )


def _held(parents: dict[ast.AST, ast.AST], process: ast.Call) -> Iterable[ast.expr]:
    """What holds the process, and the lists that it is put into: `workers.append(Process(...))`."""
    place: ast.AST = process
    while isinstance(above := parents[place], _HOLDS):
        place = above
    if isinstance(above, ast.Assign) and len(above.targets) == 1:
        yield above.targets[0]
        name = above.targets[0]
    else:
        name = process
    for call in parents:
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and any(each is process or _same(name, each) for each in call.args)
        ):
            yield call.func.value


def _same(one: ast.expr, other: ast.expr) -> bool:
    """Both are the same name, with or without dots."""
    return isinstance(other, (ast.Name, ast.Attribute)) and ast.unparse(one) == ast.unparse(other)


def _above(parents: dict[ast.AST, ast.AST], node: ast.AST) -> Iterator[ast.AST]:
    while node in parents:
        node = parents[node]
        yield node


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset
