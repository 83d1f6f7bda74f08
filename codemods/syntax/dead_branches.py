"""Branches of a function that a call never takes, by the constants that it passes: `if len(envs) > 1` for one."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from .binding_rules import default_values, given_to, parameters, positional
from .callees import Function
from .outline import Outline
from .truth import truth


@dataclass(frozen=True)
class Literal:
    """The constant that a parameter has; not `sure`: unless the way to here binds it anew."""

    value: object
    sure: bool = True


Literals = Mapping[str, Literal]
OBJECT = object()  # in the place of a constant: something that is true, and no constant; what it equals is not known


@dataclass(frozen=True)
class Branches:
    """Statements and expressions of a function that a call does not run, and those of which that is not certain."""

    dead: frozenset[ast.AST] = frozenset()
    doubtful: frozenset[ast.AST] = frozenset()


_NONE: Literals = MappingProxyType({})
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)

_COMPARES: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
_CHANGES = frozenset({"append", "extend", "insert", "pop", "remove", "clear"})  # how long a list is


def literals_of(
    outline: Outline,
    function: Function,
    call: ast.Call,
    skip: int,
    caller: Outline | None = None,
    known: Literals = _NONE,
    is_object: Callable[[Outline, ast.expr], bool] | None = None,
) -> dict[str, Literal]:
    """The parameters of `function` that `call` gives constants, without the first `skip`.

    `known`: the same of the function around the call, which stands in the file `caller`. `is_object` knows what else
    is surely true, and no constant.
    """
    names = positional(function)
    if any(isinstance(item, ast.Starred) for item in call.args) or any(item.arg is None for item in call.keywords):
        return {}
    defaults = default_values(function).items()
    found = {name: Literal(value.value) for name, value in defaults if isinstance(value, ast.Constant)}
    for name, value in given_to(names[skip:], call).items():
        found.pop(name, None)
        literal = Literal(value.value) if isinstance(value, ast.Constant) else _named(caller or outline, value, known)
        if literal is None and is_object is not None and is_object(caller or outline, value):
            literal = Literal(OBJECT)
        if literal is not None:
            found[name] = literal
    return found | _attributes_set(caller or outline, call, known)


def _attributes_set(outline: Outline, call: ast.Call, known: Literals) -> dict[str, Literal]:
    """The constants of `self.plot` where a method calls another of its object: `self.plot = plot`, `self.start()`."""
    around = outline.scope(call)
    if not (isinstance(call.func, ast.Attribute) and outline.is_self(call.func.value)):
        return {}
    found: dict[str, Literal] = {}
    owner = outline.owner(call)
    properties = {each.name for each in owner.body if isinstance(each, ast.FunctionDef)} if owner is not None else set()
    for statement in getattr(around, "body", ()):
        if statement.lineno >= call.lineno:
            break
        if any(isinstance(node, ast.Call) and _may_set(outline, node) for node in ast.walk(statement)):
            found = {}
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and outline.is_self(node.value):
                found.pop(f"self.{node.attr}", None)
        match statement:
            case ast.Assign(targets=[ast.Attribute() as target], value=value) if outline.is_self(target.value):
                literal = Literal(value.value) if isinstance(value, ast.Constant) else _named(outline, value, known)
                if literal is not None and target.attr not in properties:
                    found[f"self.{target.attr}"] = literal
    return found


def asked(outline: Outline, function: Function) -> frozenset[str]:
    """The parameters of the function that its tests ask, or that it may pass on, and the attributes of its object."""
    found, own = set[str](), set[str]()
    for node in outline.own(function):
        if isinstance(node, (ast.If, ast.IfExp)):
            found.update(part.id for part in ast.walk(node.test) if isinstance(part, ast.Name))
            attributes = (part for part in ast.walk(node.test) if isinstance(part, ast.Attribute))
            own.update(f"self.{part.attr}" for part in attributes if outline.is_self(part.value))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found.update(
                node.value.id for to in node.targets if isinstance(to, ast.Attribute) and outline.is_self(to.value)
            )
        elif isinstance(node, ast.Call):
            passed = [*node.args, *(keyword.value for keyword in node.keywords)]
            found.update(part.id for each in passed for part in ast.walk(each) if isinstance(part, ast.Name))
    return frozenset(found.intersection(parameters(function)) | own)


def branches(outline: Outline, function: Function, literals: Literals) -> Branches:
    """What of the function does not run with these arguments, or may not."""
    if not literals:
        return Branches()
    sure = {name: each for name, each in literals.items() if each.sure}
    dead: set[ast.AST] = set()
    doubtful: set[ast.AST] = set()
    for node in outline.own(function):
        if isinstance(node, ast.BoolOp):
            dead.update(_not_reached(_Side(outline, sure), node))
        if not isinstance(node, (ast.If, ast.IfExp)):
            continue
        taken = _truth(_Side(outline, sure), node.test)
        if taken is not None:
            dead.update(_not_taken(outline, node, taken))
        elif (perhaps := _truth(_Side(outline, literals, loosely=True), node.test)) is not None:
            doubtful.update(_not_taken(outline, node, perhaps))
        elif _is_computed(outline, node.test, literals):
            doubtful.update((*_not_taken(outline, node, True), *_not_taken(outline, node, False)))
    return Branches(frozenset(dead), frozenset(doubtful))


def _not_reached(side: _Side, node: ast.BoolOp) -> Iterator[ast.AST]:
    """The values of `transform or Identity()` that are not asked for, as one before decides."""
    decides = isinstance(node.op, ast.Or)
    for at, value in enumerate(node.values):
        if _truth(side, value) is decides:
            yield from node.values[at + 1 :]
            return


def _not_taken(outline: Outline, node: ast.If | ast.IfExp, taken: bool) -> Iterator[ast.AST]:
    """The statements that do not run where the test is `taken`: also those below a body that leaves the block."""
    if isinstance(node, ast.IfExp):
        yield node.orelse if taken else node.body
        return
    yield from node.orelse if taken else node.body
    runs = node.body if taken else node.orelse
    if runs and isinstance(runs[-1], _LEAVING):
        above = outline.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if isinstance(block, list) and node in block:
                yield from block[block.index(node) + 1 :]


@dataclass(frozen=True)
class _Side:
    """What is known where a test stands; `loosely`: also of parameters that a branch may bind anew before."""

    outline: Outline
    literals: Literals
    loosely: bool = False

    def constant(self, node: ast.expr) -> tuple[object] | None:
        """The value of a constant, or of a parameter that has one."""
        if isinstance(node, ast.Constant):
            return (node.value,)
        literal = _named(self.outline, node, self.literals)
        return None if literal is None or not (literal.sure or self.loosely) else (literal.value,)


def _named(outline: Outline, node: ast.expr, literals: Literals) -> Literal | None:
    """What is known of the parameter `node`; not for sure where it may be bound anew before."""
    if isinstance(node, ast.Attribute) and outline.is_self(node.value):
        kept = _kept(outline, node)
        return _named(outline, kept, literals) if kept is not None else _set_by_caller(outline, node, literals)
    if not isinstance(node, ast.Name) or node.id not in literals:
        return None
    literal, bound = literals[node.id], outline.lookup(node, node.id)[1]
    if not any(binding.parameter for binding in bound):
        return None
    return literal if len(bound) == 1 else replace(literal, sure=False)


def _set_by_caller(outline: Outline, node: ast.Attribute, literals: Literals) -> Literal | None:
    """What the method that calls this one has set `self.name` to, where nothing that runs before may set it again."""
    literal = literals.get(f"self.{node.attr}")
    nodes = outline.own(outline.scope(node)) if literal is not None else ()
    again = any(isinstance(above, (ast.For, ast.AsyncFor, ast.While)) for above in outline.ancestors(node))
    for each in nodes:
        if isinstance(each, ast.Attribute) and each.attr == node.attr and not isinstance(each.ctx, ast.Load):
            return None
        if isinstance(each, ast.Call) and (again or each.lineno < node.lineno) and _may_set(outline, each):
            return None
    return literal


def _kept(outline: Outline, node: ast.Attribute) -> ast.Name | None:
    """The parameter that `self.name` is, which the same function sets once, in its own block and above; only that."""
    around = outline.scope(node)
    stores = [
        each
        for each in outline.attributes.get(node.attr, ())
        if not isinstance(each.ctx, ast.Load) and outline.owner(each) is outline.owner(node)
    ]
    statement = outline.parents[stores[0]] if len(stores) == 1 else None
    if not isinstance(statement, ast.Assign) or outline.parents[statement] is not around:
        return None
    above = statement.lineno < node.lineno and outline.is_self(stores[0].value) and len(statement.targets) == 1
    between = (call for call in outline.own(around) if isinstance(call, ast.Call))
    if any(statement.lineno < call.lineno < node.lineno and _may_set(outline, call) for call in between):
        return None
    return statement.value if above and isinstance(statement.value, ast.Name) else None


def _may_set(outline: Outline, call: ast.Call) -> bool:
    """A method of the object, or of its base, or what the object is given to: it may set any attribute."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(receiver, ast.Call):
        receiver = receiver.func
    given = [receiver, *call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(part, ast.Name) and (part.id == "super" or outline.is_self(part)) for part in given)


def _is_computed(outline: Outline, test: ast.expr, literals: Literals) -> bool:
    """A text or number that is computed from constants alone is compared: it has one answer, which is not known."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name)):
        return False
    other = test.comparators[0]
    bound = outline.lookup(test.left, test.left.id)[1]
    if not (isinstance(other, ast.Constant) and isinstance(other.value, (str, int)) and len(bound) == 1):
        return False
    statement = bound[0].statement
    made = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(made, ast.Call):
        return False
    called = {call.func for call in ast.walk(made) if isinstance(call, ast.Call)}
    read = [node for node in ast.walk(made) if isinstance(node, ast.Name) and node not in called]
    return bool(read) and all(_named(outline, node, literals) is not None for node in read)


def _truth(side: _Side, test: ast.expr) -> bool | None:
    """Whether the test is true; None where the constants do not say it."""
    return truth(test, lambda part: _truth_of_part(side, part))


def _truth_of_part(side: _Side, test: ast.expr) -> bool | None:
    if isinstance(test, ast.Compare):
        return _compared(side, test) if len(test.ops) == 1 else None
    found = side.constant(test) if isinstance(test, (ast.Name, ast.Attribute)) else None
    return None if found is None else bool(found[0])


def _compared(side: _Side, test: ast.Compare) -> bool | None:
    how, first, second = test.ops[0], test.left, test.comparators[0]
    if isinstance(how, (ast.Is, ast.IsNot)):
        return _is_singleton(side, test)
    if isinstance(how, (ast.In, ast.NotIn)):
        left = side.constant(first)
        items = second.elts if isinstance(second, (ast.Tuple, ast.List, ast.Set)) else []
        values = [side.constant(item) for item in items]
        if left is None or not values or None in values or (OBJECT,) in (left, *values):
            return None
        return (left in values) == isinstance(how, ast.In)
    if type(how) not in _COMPARES:
        return None
    left_number, right_number = _number(side, first), _number(side, second)
    if left_number is not None and right_number is not None:
        return _COMPARES[type(how)](left_number, right_number)
    left, right = side.constant(first), side.constant(second)
    if left is None or right is None or (OBJECT,) in (left, right) or not isinstance(how, (ast.Eq, ast.NotEq)):
        return None
    return (left == right) == isinstance(how, ast.Eq)


def _is_singleton(side: _Side, test: ast.Compare) -> bool | None:
    """`workers is None`, `shuffle is not True`."""
    left, right = test.left, test.comparators[0]
    found = side.constant(left) if isinstance(left, (ast.Name, ast.Attribute)) else None
    if found is None or not isinstance(right, ast.Constant):
        return None
    if right.value is not None and not isinstance(right.value, bool):
        return None
    same = found[0] is right.value
    return same if isinstance(test.ops[0], ast.Is) else not same


def _number(side: _Side, value: ast.expr) -> float | None:
    constant = side.constant(value)
    found = constant[0] if constant is not None else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and len(value.args) == 1 and not value.keywords:
        inner = value.args[0]
        if value.func.id == "len":
            return _length(side, inner)
    return found if isinstance(found, (int, float)) else None


def _length(side: _Side, value: ast.expr) -> float | None:
    """Of `[... for i in range(n)]`, also by its name."""
    if isinstance(value, ast.Name):
        scope, bound = side.outline.lookup(value, value.id)
        changes = (
            node for node in side.outline.own(scope) if isinstance(node, ast.Attribute) and node.attr in _CHANGES
        )
        if any(isinstance(node.value, ast.Name) and node.value.id == value.id for node in changes):
            return None
        if len(bound) != 1 or bound[0].value is None or isinstance(bound[0].value, ast.Name):
            return None
        return _length(side, bound[0].value)
    if isinstance(value, (ast.List, ast.Tuple)) and not any(isinstance(item, ast.Starred) for item in value.elts):
        return len(value.elts)
    if not (isinstance(value, ast.ListComp) and len(value.generators) == 1 and not value.generators[0].ifs):
        return None
    times = value.generators[0].iter
    if (
        isinstance(times, ast.Call)
        and isinstance(times.func, ast.Name)
        and times.func.id == "range"
        and len(times.args) == 1
    ):
        return _number(side, times.args[0])
    return None
