"""Where the object that a call makes is started: `Player(2).start()`, `for player in players: player.start()`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from ....finding import Confidence, Hop
from ....syntax.binding_rules import given_to, positional
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.resolver import Class
from ..starts.process_starts import Starts
from .hoist import Sent

_BEGINS = "start"
_KEEPS = ("append", "add", "insert", "appendleft")  # methods that put what they get into their container
_PASSES = ("list", "tuple", "reversed", "iter", "enumerate", "zip", "sorted", "values", "items", "pop")
_HOLDS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_HOLDS_TOO = (ast.Starred, ast.IfExp, ast.BoolOp, ast.NamedExpr)


def own_process(starts: Starts, outline: Outline, call: ast.Call) -> Sent | None:
    """As `sent`, for an object of a class of the file that is a process: `Player(env, pipe)`, which the file starts.

    Nothing but its class: what its constructor gets may stay in the main process.
    """
    if not isinstance(call.func, ast.Name) or _BEGINS not in outline.attributes:
        return None
    made = starts.callees.made_class(outline, call)
    lineage = starts.callees.resolver.lineage(Class(*made)) if made is not None else ()
    if not lineage or not starts.is_process(lineage):
        return None
    if (sure := _started(starts, outline, call, lineage)) is None:
        return None
    hop = Hop(outline.path, call.lineno, f"`{call.func.id}` is a process, whose `{_BEGINS}` sends it to itself")
    return sure, hop, [call.func]


def _started(starts: Starts, outline: Outline, call: ast.Call, lineage: Sequence[Class]) -> Confidence | None:
    """How sure it is that the file starts the process which `call` makes, an object of the first of these classes."""
    begun = [node for node in outline.attributes[_BEGINS] if _is_called(outline, node)]
    inner = [(outline.method(node), outline.owner(node)) for node in begun if outline.is_self(node.value)]
    classes = [at.node for at in lineage]
    methods = {method.name for method, owner in inner if method is not None and owner in classes}
    if "__init__" in methods or _is_begun(starts, outline, call, methods | {_BEGINS}):
        return Confidence.PROVEN
    if isinstance(outline.parents[call], ast.Attribute):  # nothing keeps it
        return None
    others = (node.value for node in begun if not outline.is_self(node.value))
    return Confidence.POSSIBLE if any(_is_unknown(starts, outline, node) for node in others) else None


def _is_called(outline: Outline, node: ast.Attribute) -> bool:
    """`x.start()`, which `Process` has without arguments, or `x.start` handed on."""
    above = outline.parents[node]
    return not (isinstance(above, ast.Call) and above.func is node and (above.args or above.keywords))


def _is_begun(starts: Starts, outline: Outline, call: ast.Call, methods: Collection[str]) -> bool:
    """The object is followed by names, attributes of `self`, containers and loops to a call of one of its `methods`."""
    todo: list[ast.expr] = [call]
    seen: set[ast.AST] = set()
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        above = outline.parents[node]
        if isinstance(above, ast.Attribute) and above.attr in methods:
            if isinstance(caller := outline.parents[above], ast.Call) and caller.func is above:
                return True
        elif isinstance(above, (*_HOLDS, *_HOLDS_TOO)) or (isinstance(above, ast.Subscript) and above.value is node):
            todo.append(above)
            if isinstance(above, ast.NamedExpr):
                todo += _uses(outline, above.target, above)
        elif isinstance(above, ast.Call) and node in above.args:
            todo += [*_kept_by(outline, above), *_got_by(starts, outline, above, node)]
        elif isinstance(above, ast.Attribute) and isinstance(outline.parents[above], ast.Call):
            todo += [each for each in [outline.parents[above]] if isinstance(each, ast.Call) and above.attr in _PASSES]
        elif isinstance(above, (ast.Assign, ast.AnnAssign)) and above.value is node:
            targets = above.targets if isinstance(above, ast.Assign) else [above.target]
            todo += [use for target in targets for use in _uses(outline, target, above)]
        elif isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:
            todo += _uses(outline, above.target, above)
        elif isinstance(above, ast.Return) and isinstance(function := outline.scope(above), FUNCTIONS):
            todo += outline.calls.get(function.name, [])
    return False


def _kept_by(outline: Outline, call: ast.Call) -> list[ast.expr]:
    """What has the argument of the call then: the result, or the container whose method is called."""
    if isinstance(call.func, ast.Name):
        return [call] if call.func.id in _PASSES else []
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _KEEPS:
        return []
    return _same(outline, call.func.value)


def _got_by(starts: Starts, outline: Outline, call: ast.Call, argument: ast.expr) -> list[ast.expr]:
    """Where the function of the file that is called reads the parameter which gets the argument."""
    called = starts.callees.called(outline, call)
    if called is None or called[0] is not outline:
        return []
    given = given_to(positional(called[1])[called[2] :], call)
    names = [name for name, value in given.items() if value is argument]
    reads = [use for name in names for use in outline.named.get(name, ()) if isinstance(use, ast.Name)]
    bound = ((use, outline.lookup(use, use.id)) for use in reads if isinstance(use.ctx, ast.Load))
    return [use for use, (at, now) in bound if at is called[1] and len(now) == 1 and now[0].parameter]


def _same(outline: Outline, held: ast.expr) -> list[ast.expr]:
    """Where the container that stands there is read."""
    while isinstance(held, ast.Subscript):
        held = held.value
    if isinstance(held, ast.Attribute):
        return _of_self(outline, held)
    if not isinstance(held, ast.Name):
        return []
    scope, bindings = outline.lookup(held, held.id)
    statements = [each.statement for each in bindings]
    uses = [use for use in outline.named.get(held.id, ()) if isinstance(use, ast.Name)]
    found = ((use, outline.lookup(use, held.id)) for use in uses if isinstance(use.ctx, ast.Load))
    return [use for use, (at, now) in found if at is scope and [each.statement for each in now] == statements]


def _uses(outline: Outline, target: ast.expr, binding: ast.AST) -> list[ast.expr]:
    """Where what `target` is bound to is read, and nothing else."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [use for each in target.elts for use in _uses(outline, each, binding)]
    if isinstance(target, ast.Subscript):
        return _same(outline, target)
    if isinstance(target, ast.Attribute):
        return _of_self(outline, target)
    if not isinstance(target, ast.Name):
        return []
    scope = outline.scope(target)
    statement = outline.statement(binding)
    found: list[ast.expr] = []
    for use in outline.named.get(target.id, ()):
        if isinstance(use, ast.Name) and isinstance(use.ctx, ast.Load):
            at, now = outline.lookup(use, use.id)
            if at is scope and len(now) == 1 and now[0].statement is statement:
                found.append(use)
    return found


def _of_self(outline: Outline, held: ast.Attribute) -> list[ast.expr]:
    """Where methods of the class read the attribute of `self`, which is set to nothing else."""
    if not outline.is_self(held.value):
        return []
    owner = outline.owner(held)
    named = (node for node in outline.attributes[held.attr] if outline.is_self(node.value))
    own = [node for node in named if outline.owner(node) is owner]
    stored = [getattr(outline.parents[node], "value", None) for node in own if not isinstance(node.ctx, ast.Load)]
    values = [each for each in stored if not isinstance(each, (*_HOLDS, ast.Constant))]
    return [node for node in own if isinstance(node.ctx, ast.Load)] if len(values) <= 1 else []


def _is_unknown(starts: Starts, outline: Outline, held: ast.expr) -> bool:
    """What `start` is called of is nothing of a library, nor of another class that is known."""
    return not starts.name(outline, held) and starts.callees.class_of(outline, held) is None
