"""Objects that stand for "nothing" or the like: what is sent holds a copy of them, and a worker makes its own.

`MISSING = object()` of a module, kept on what is sent (`self.value = MISSING`), which a worker asks for by `is`, `==`
or `in`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ....finding import Hop
from ....nodes import walk
from ....syntax.binding_rules import default_values, parameters, positional
from ....syntax.callees import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.resolver import Class, method
from ..data import names
from .changed_settings import Changed, Search
from .process_state import ChangedState, inherits
from .worker_functions import Worker

_SIGNS, _EQUAL, _AMONG = (ast.Is, ast.IsNot), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)
_MAKES = "object"
_ONE_EACH = ("__reduce__", "__reduce_ex__", "__new__", "__copy__")  # with which a class may find its one object again
_DISPLAYS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Starred)
_HEADS = (ast.For, ast.AsyncFor, ast.comprehension)
_MAX_NAMES = 3  # by which such an object goes on


class _Sign(NamedTuple):
    """One such object."""

    search: Search
    home: Outline
    name: str
    value: ast.expr

    def is_it(self, outline: Outline, node: ast.expr | None) -> bool:
        """The expression names it, and not something else of that name."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        found = _made(self.search, outline, node)
        return found is not None and found.value is self.value

    def among(self, outline: Outline, node: ast.expr | None) -> bool:
        """The expression is it, or a list or the like that holds it."""
        if isinstance(node, ast.Dict):
            return any(self.among(outline, each) for each in (*node.keys, *node.values))
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return any(self.among(outline, each) for each in node.elts)
        if isinstance(node, ast.IfExp):
            return self.among(outline, node.body) or self.among(outline, node.orelse)
        if isinstance(node, ast.BoolOp):
            return any(self.among(outline, each) for each in node.values)
        if isinstance(node, ast.BinOp):
            return self.among(outline, node.left) or self.among(outline, node.right)
        if isinstance(node, ast.Starred):
            return self.among(outline, node.value)
        return self.is_it(outline, node)


def sentinels(search: Search) -> Iterator[ChangedState]:
    """One per object, at the first place where a worker asks whether it is what was sent."""
    seen: set[ast.expr] = set()
    for worker in search.workers.values():
        sent = inherits(search, worker)
        nodes = worker.nodes if sent is not None else ()
        for node in nodes:
            for named, other, operator in _sides(node):
                sign = _made(search, worker.outline, named)
                if sign is None or sent is None or sign.value in seen or not _tells_apart(search, sign, operator):
                    continue
                if _is_sent(worker, other, sign):
                    seen.add(sign.value)
                    assert isinstance(node, ast.Compare)
                    yield _state(sign, node, sent)


def _sides(node: ast.AST) -> Iterator[tuple[ast.Name | ast.Attribute, ast.expr, ast.cmpop]]:
    """`value is NAME`, either way round, `NAME in values`: the name, and the value."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, operator, right = node.left, node.ops[0], node.comparators[0]
        if isinstance(operator, (*_SIGNS, *_EQUAL)) and isinstance(right, (ast.Name, ast.Attribute)):
            yield right, left, operator
        if isinstance(operator, (*_SIGNS, *_EQUAL, *_AMONG)) and isinstance(left, (ast.Name, ast.Attribute)):
            yield left, right, operator


def _made(search: Search, outline: Outline, node: ast.Name | ast.Attribute) -> _Sign | None:
    """The object that the name means, where a module makes it, or the body of a class: `object()`."""
    found = search.callees.resolver.bound_by(outline, node)
    home, name, value = outline, "", None
    if found is not None:
        home, name, binding = found
        is_global = isinstance(binding.statement, (ast.Assign, ast.AnnAssign))
        value = binding.value if is_global else None
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = search.callees.resolver.definition(outline, node.value)
        cls = Class(owner.outline, owner.node) if owner and isinstance(owner.node, ast.ClassDef) else None
        if cls is None and outline.is_self(node.value) and (around := outline.owner(node)) is not None:
            cls = Class(outline, around)
        for at in search.callees.resolver.lineage(cls) if cls is not None else ():
            for statement in at.node.body:
                targets = statement.targets if isinstance(statement, ast.Assign) else []
                if any(isinstance(target, ast.Name) and target.id == node.attr for target in targets):
                    assert isinstance(statement, ast.Assign)
                    home, name, value = at.outline, node.attr, statement.value
    is_filled = isinstance(value, (ast.List, ast.Set, ast.Dict)) or (isinstance(value, ast.Tuple) and bool(value.elts))
    made = isinstance(value, ast.Call) and (_is_plain(value) or _is_own(search, home, value))
    if value is None or not (is_filled or made):
        return None
    return _Sign(search, home, name, value)


def _is_plain(value: ast.Call) -> bool:
    return isinstance(value.func, ast.Name) and value.func.id == _MAKES


def _is_own(search: Search, home: Outline, value: ast.Call) -> bool:
    """An object of a class of the repository that pickle makes anew."""
    made = search.callees.made_class(home, value) if isinstance(value.func, ast.Name) else None
    if made is None:
        return False
    lineage = search.callees.resolver.lineage(Class(*made))
    for at in lineage:
        bases = [base for base in at.node.bases if not (isinstance(base, ast.Name) and base.id == _MAKES)]
        if at.node.keywords or len(bases) > len(search.callees.resolver.bases(at)):
            return False  # a metaclass, or a base of a library, may do anything
    return not any(method(at.node, name) for at in lineage for name in _ONE_EACH)


def _tells_apart(search: Search, sign: _Sign, operator: ast.cmpop) -> bool:
    """The operator asks for the very object: `is` always, `==` and `in` where its class has no `__eq__`."""
    if isinstance(operator, _SIGNS):
        return True
    if not isinstance(sign.value, ast.Call):
        return False
    if _is_plain(sign.value):
        return True
    made = search.callees.made_class(sign.home, sign.value)
    return made is not None and search.callees.method_of(Class(*made), "__eq__") is None


# whether what is compared came with what was sent


def _is_sent(worker: Worker, other: ast.expr, sign: _Sign) -> bool:
    """What is compared may have come with what was sent: an attribute, or an argument, also one handed on."""
    return any(_came_along(worker, source, sign) for source in _sources(worker, other, 0))


def _sources(worker: Worker, value: ast.expr | None, depth: int) -> Iterator[ast.Name | ast.Attribute]:
    """The attributes and parameters that a value is, or is a part of: `step` of `for step in self.steps`."""
    while isinstance(value, (ast.Subscript, ast.Starred)) or (
        isinstance(value, ast.Call) and isinstance(value.func, (ast.Name, ast.Attribute))
    ):
        if isinstance(value, (ast.Subscript, ast.Starred)):
            value = value.value
        elif isinstance(value.func, ast.Attribute):  # `table.get(name)`, `steps.pop()`
            value = value.func.value
        else:  # `reversed(steps)`
            value = value.args[0] if value.args else None
    if isinstance(value, ast.Attribute):
        yield value
    if not isinstance(value, ast.Name) or depth > _MAX_NAMES:
        return
    if value.id in parameters(worker.function):
        yield value
        return
    outline = worker.outline
    for node in outline.named.get(value.id, ()):
        stores = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        if stores and outline.scope(node) is outline.scope(value):
            yield from _sources(worker, _value_of(outline, node), depth + 1)


def _value_of(outline: Outline, target: ast.expr) -> ast.expr | None:
    """What the target gets its value, or its values one after the other, from."""
    at: ast.AST = target
    while isinstance(above := outline.parents[at], (ast.Tuple, ast.List)):
        at = above
    if isinstance(above, _HEADS):
        return above.iter if above.target is at else None
    return above.value if isinstance(above, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) else None


def _came_along(worker: Worker, source: ast.Name | ast.Attribute, sign: _Sign) -> bool:
    if isinstance(source, ast.Attribute):
        return any(_keeps(outline, source.attr, sign) for outline in sign.search.repo.mentioning(source.attr))
    arguments = worker.function.args
    defaults = [*arguments.defaults, *arguments.kw_defaults] if worker.depth else []
    if any(sign.is_it(worker.outline, each) for each in defaults):
        return False  # where it is called without
    return any(_passes(outline, sign) for outline in sign.search.repo.mentioning(sign.name))


def _keeps(outline: Outline, attribute: str, sign: _Sign) -> bool:
    """`x.attribute = name`, a list with it, a parameter that it is given as; `x.attribute.append(name)`."""
    for node in outline.attributes.get(attribute, ()):
        if outline.scope(node) in sign.search.workers:
            continue
        above = outline.parents[node]
        if not isinstance(node.ctx, ast.Load):
            value = above.value if isinstance(above, (ast.Assign, ast.AnnAssign, ast.AugAssign)) else None
            if sign.among(outline, value) or (isinstance(value, ast.Name) and _is_given(outline, value, sign)):
                return True
        elif isinstance(above, ast.Attribute) and above.attr in names("filling"):
            call = outline.parents[above]
            if isinstance(call, ast.Call) and any(sign.among(outline, each) for each in call.args):
                return True
        elif isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load):
            statement = outline.parents[above]
            if isinstance(statement, ast.Assign) and sign.among(outline, statement.value):
                return True
    fields = (
        statement
        for name in outline.named.get(attribute, ())
        if isinstance(statement := outline.parents[name], (ast.Assign, ast.AnnAssign))
        and isinstance(outline.parents[statement], ast.ClassDef)
    )
    return any(sign.among(outline, field.value) and field.value is not sign.value for field in fields)


def _is_given(outline: Outline, value: ast.Name, sign: _Sign) -> bool:
    """A parameter that has it by default or from a caller, or a variable with it in its list."""
    around = outline.scope(value)
    if not isinstance(around, FUNCTIONS):
        return False
    if value.id not in parameters(around):
        bound = outline.bindings(around, value.id)
        return any(sign.among(outline, each.value) for each in bound)
    if sign.among(outline, default_values(around).get(value.id)):
        return True
    owner = outline.owner(around.body[0])
    called = owner.name if owner is not None and method(owner, around.name) is around else around.name
    named = positional(around)
    at = named.index(value.id) if value.id in named else -1
    at -= int(owner is not None)
    for other in sign.search.repo.mentioning(sign.name):
        for call in other.calls_of(called):
            given: Iterable[ast.expr] = call.args[at : at + 1] if at >= 0 else ()
            given = [*given, *(word.value for word in call.keywords if word.arg == value.id)]
            if any(sign.among(other, each) for each in given):
                return True
    return False


def _passes(outline: Outline, sign: _Sign) -> bool:
    """It is among the arguments of a new process: `args=(NAME,)`, `for job in [{"a": NAME}]: ... args=(job,)`."""
    for node in (*outline.named.get(sign.name, ()), *outline.attributes.get(sign.name, ())):
        whole: ast.AST = node
        while isinstance(outline.parents.get(whole), _DISPLAYS):
            whole = outline.parents[whole]
        if not isinstance(node, (ast.Name, ast.Attribute)) or not sign.is_it(outline, node):
            continue
        above = outline.parents.get(whole)
        if whole is node and not (isinstance(above, ast.Call) and last_name(above.func) in names("filling")):
            continue
        if is_argument(outline, whole):
            return True
    return False


def is_argument(outline: Outline, value: ast.AST, hops: int = 0) -> bool:
    """The value, or a part of it, is among the arguments of a new process, by a name of the function too."""
    inner, above = value, outline.parents[value]
    while isinstance(above, _DISPLAYS):
        inner, above = above, outline.parents[above]
    targets: list[ast.expr]
    if isinstance(above, ast.keyword):
        return above.arg in ("args", "initargs")
    if isinstance(above, _HEADS) and above.iter is inner:
        targets = [above.target]
    elif isinstance(above, ast.Assign):
        targets = above.targets
    elif isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute) and inner in above.args:
        targets = [above.func.value] if above.func.attr in names("filling") else []  # `steps.append(NAME)`
    else:
        return False
    named = {part.id for target in targets for part in walk(target) if isinstance(part, ast.Name)}
    uses = (use for name in named for use in outline.named.get(name, ()) if isinstance(use, ast.Name))
    scope = outline.scope(value)
    return hops < _MAX_NAMES and any(
        isinstance(use.ctx, ast.Load) and outline.scope(use) is scope and is_argument(outline, use, hops + 1)
        for use in uses
    )


def _state(sign: _Sign, node: ast.Compare, worker: Worker) -> ChangedState:
    home, name, value = sign.home, sign.name, sign.value
    path = min(worker.sent)
    confidence, sent = worker.sent[path]
    hop = Hop(home.path, value.lineno, f"`{name}` is made here, and once more in each spawned worker")
    depends = f"which object `{name}` is (line {value.lineno} of {home.path}): a spawned worker gets a copy of it"
    advice = f"let it be a member of an `enum.Enum`, or a class, which pickle finds by its name: `class {name}: ...`"
    return ChangedState(depends, advice, Changed(home, node, worker, confidence, sent, hop))
