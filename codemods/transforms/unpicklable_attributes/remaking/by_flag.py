"""What is opened in one branch of the constructor only, where an attribute of the object tells the branches apart.

`if readonly: self.env = lmdb.open(path, readonly=True)`, `else: self.env = lmdb.open(path, map_size=size)`, and
`self.readonly = readonly`: the copy of a reader opens it again, and a writer can be pickled as little as before. What
was opened before the branch, or in its `else`, is opened again too where that can be done.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ....finding import Refused
from ....nodes import end_line
from ....syntax.binding_rules import BUILTINS, default_values, given_to, positional
from ....syntax.outline import Outline
from ....syntax.unpicklable_table import Remedy
from ..classes import Method, Shape, Store
from ..uses.attribute_uses import AttributeUses, Hazard
from ..uses.use_checks import goes_on, has_moved
from .recreate import Recreation

_PLAIN = frozenset({"bool", "int", "float", "str"})
_MAKE_PLAIN = _PLAIN | {"any", "all", "len", "isinstance", "hasattr", "callable"}
_CONTAINERS = frozenset({"list", "dict", "set", "sorted", "defaultdict", "OrderedDict", "Counter", "deque"})
_TAKE_CONTAINERS = _CONTAINERS | {"len", "enumerate", "zip", "tuple", "min", "max", "sum", "iter", "reversed", "map"}
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


@dataclass(frozen=True)
class Branch:
    """The last thing that sets the attribute where `test`, in words of the object, is true; else it is another."""

    hazard: Hazard
    test: str
    holder: ast.If


@dataclass(frozen=True)
class Whole:
    """What the branch opens, and what else makes the attribute: before the test, or where it is false."""

    again: Recreation
    first: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()


def whole(uses: AttributeUses, branch: Branch, made: Callable[[Hazard], Recreation]) -> Whole:
    """All that the constructor opens, by `made`. Raises Refused where the copy can't have that."""
    again = made(branch.hazard)
    init, holder, own = uses.shape.methods["__init__"], branch.holder, branch.hazard.store.statement
    more = [hazard for hazard in uses.hazards if hazard is not branch.hazard and hazard.store.method is init]
    reads = [node for _, method, node in uses.reads if method is init]
    if len(more) == 1 and more[0].store.always and more[0].store.statement.lineno < holder.lineno:
        begin = end_line(more[0].store.statement)
        between = [node.lineno for node in reads if begin < node.lineno < own.lineno]
        if between:
            raise Refused(f"line {between[0]} uses what is replaced by line {own.lineno}; use two attributes")
        before = made(more[0])
        return Whole(_joined(again, before), first=before.lines)
    if any(own.lineno <= node.lineno <= end_line(own) for node in reads):
        raise Refused("it is made from what the attribute was before; use two attributes")
    if len(more) == 1 and more[0].store.statement in holder.orelse:
        try:
            other = made(more[0])
        except Refused:  # objects of that kind can be pickled as little as before
            return Whole(again)
        both = {stash.name for stash in again.stashes} & {stash.name for stash in other.stashes}
        given = {item.arg for item in (*init.args.posonlyargs, *init.args.args, *init.args.kwonlyargs)}
        if all(stash.text in given for stash in again.stashes if stash.name in both):
            joined = _joined(again, other)
            stashes = (replace(item, statement=holder) if item.name in both else item for item in joined.stashes)
            return Whole(replace(joined, stashes=tuple(stashes)), otherwise=other.lines)
    return Whole(again)


def _joined(one: Recreation, other: Recreation) -> Recreation:
    """What `one` makes, with all that both need."""
    imports = dict.fromkeys((*one.imports, *other.imports))
    return replace(one, stashes=(*one.stashes, *other.stashes), imports=tuple(imports))


def only_by_flag(uses: AttributeUses, stores: list[Store]) -> Branch | None:
    """The branch that opens the attribute; None where other code sets it, or nothing tells what an object has."""
    shape = uses.shape
    init = shape.methods.get("__init__")
    if init is None or uses.kind.remedy is not Remedy.REOPEN or uses.skips_init() or uses.outside.without_init:
        return None
    if len(stores) < 2 or any(store.owner is not shape or store.fills for store in stores):
        return None
    later = [store for store in stores if store.method is not init]
    for hazard in uses.hazards:
        holder = shape.outline.parents[hazard.store.statement]
        if not isinstance(holder, ast.If) or holder not in init.body:
            continue
        is_true = hazard.store.statement in holder.body
        test = _of_the_object(uses, shape, init, holder, holder.test)
        test = test if is_true or test is None else _negated(test)
        if any(not _is_opened(uses, shape, init, hazard, holder, text) for text in _searched(holder.test)):
            continue
        if test is not None and not _stays_true_or_false(uses, shape, init, test):
            continue
        others = [store for store in stores if store.target is not hazard.store.target and store not in later]
        below = [store for store in others if store.statement.lineno >= holder.lineno]
        if test is None or any(not _is_in(shape, store, holder.orelse if is_true else holder.body) for store in below):
            continue
        if any(not _not_reached(shape, store, test) for store in later):
            continue
        made = hazard.made
        if (
            (made.nested and len(uses.hazards) == 1)
            or made.choice
            or made.given
            or uses.closed_early() is not None
            or has_moved(uses)
            or goes_on(uses)
        ):
            return None
        return Branch(hazard, test, holder)
    return None


def _is_in(shape: Shape, store: Store, other: list[ast.stmt]) -> bool:
    """It stands in the `other` branch."""
    return any(above in other for above in (store.statement, *shape.outline.ancestors(store.statement)))


def _negated(test: str) -> str:
    """`not self.readonly`, `".h5" not in self.path`."""
    parsed = ast.parse(test, mode="eval").body
    if isinstance(parsed, ast.Compare) and isinstance(parsed.ops[0], ast.In):
        text, right = test.encode(), parsed.comparators[0]
        return f"{text[: parsed.left.end_col_offset].decode()} not in {text[right.col_offset :].decode()}"
    if isinstance(parsed, ast.UnaryOp):
        return test.removeprefix("not ")
    return f"not {test}" if isinstance(parsed, (ast.Attribute, ast.Call)) else f"not ({test})"


def _not_reached(shape: Shape, store: Store, test: str) -> bool:
    """Its method has stopped by then, where the test is true: `if self.readonly: raise ValueError`."""
    around = [store.statement, *shape.outline.ancestors(store.statement)]
    for statement in store.method.body:
        if statement in around:
            return False
        stops = isinstance(statement, ast.If) and isinstance(statement.body[-1], (ast.Raise, ast.Return))
        if isinstance(statement, ast.If) and stops and ast.unparse(statement.test) == test:
            return True
    return False


def _of_the_object(uses: AttributeUses, shape: Shape, init: ast.AST, holder: ast.If, test: ast.expr) -> str | None:
    """The test in words of attributes that are set once, before it, and by nobody else; None where there are none."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _of_the_object(uses, shape, init, holder, test.operand)
        return None if inner is None else f"not {inner}"
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(right, ast.Constant):
            return _compare(_of_the_object(uses, shape, init, holder, left), test, _written(uses, right))
        if isinstance(left, ast.Constant) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
            return _compare(_written(uses, left), test, _of_the_object(uses, shape, init, holder, right))
        return None
    if isinstance(test, ast.Call) and _called(test) == "isinstance" and len(test.args) == 2:
        inner = _of_the_object(uses, shape, init, holder, test.args[0])
        names = [node for node in (test.func, *ast.walk(test.args[1])) if isinstance(node, ast.Name)]
        own = [node for node in names if node.id not in BUILTINS or shape.outline.lookup(node, node.id)[1]]
        kinds = _written(uses, test.args[1])
        return None if inner is None or own or kinds is None else f"isinstance({inner}, {kinds})"
    if isinstance(test, ast.Attribute) and shape.outline.is_self(test.value):
        return f"self.{test.attr}" if _is_kept(uses, shape, init, holder, test.attr) else None
    if not isinstance(test, ast.Name) or len(shape.outline.bindings(shape.outline.scope(test), test.id)) != 1:
        return None
    for name in shape.selves:
        values = [store.value for store in shape.stores(name)]
        same = len(values) == 1 and isinstance(values[0], ast.Name) and values[0].id == test.id
        if same and _is_kept(uses, shape, init, holder, name):
            return f"self.{name}"
    return None


def _compare(left: str | None, test: ast.Compare, right: str | None) -> str | None:
    """`left in right`, by the operator of the test."""
    if left is None or right is None:
        return None
    return ast.unparse(ast.Compare(ast.Name(left), test.ops, [ast.Name(right)]))


def _written(uses: AttributeUses, node: ast.expr) -> str | None:
    """The expression as it is written, on one line."""
    source = uses.family.repo.project.source(uses.shape.outline.path)
    text = source.text_of(node) if source is not None else "\n"
    return None if "\n" in text else text


def _searched(test: ast.expr) -> Iterator[ast.expr]:
    """What the test looks into: `path` in `".h5" in path`."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            yield from (each for each in node.comparators[:1] if not isinstance(each, ast.Constant))


def _is_opened(
    uses: AttributeUses, shape: Shape, init: ast.AST, hazard: Hazard, holder: ast.If, searched: ast.expr
) -> bool:
    """The file of that name is opened: it is a text, and no list which may hold something else by then."""
    made = hazard.made.node
    name = made.args[0] if isinstance(made, ast.Call) and made.args else None
    of_it = _of_the_object(uses, shape, init, holder, name) if name is not None else None
    return of_it is not None and of_it == _of_the_object(uses, shape, init, holder, searched)


def _stays_true_or_false(uses: AttributeUses, shape: Shape, init: Method, test: str) -> bool:
    """The test asks for a flag, a number or a text, or compares; a list may have its first item by then."""
    name = test.removeprefix("not ").removeprefix("self.")
    if not name.isidentifier():
        return True
    outline, value = shape.outline, next(store.value for store in shape.stores(name))
    used: list[tuple[Outline, ast.AST]] = []
    if isinstance(value, ast.Name):
        default = default_values(init).get(value.id)
        if isinstance(default, ast.Constant) and default.value is not None:
            return True
        given = next((each for each in (*init.args.args, *init.args.kwonlyargs) if each.arg == value.id), None)
        if given is None or (given.annotation is not None and _is_plain(given.annotation)):
            return given is not None
        used += [(outline, node) for node in ast.walk(init) if isinstance(node, ast.Name) and node.id == value.id]
        if any(_holds_container(*argument) for argument in _given(uses, shape, init, value.id)):
            return False
    elif isinstance(value, ast.Compare) or _called(value) in _MAKE_PLAIN or _negates(value):
        return True
    elif value is None or any(_makes_container(part) for part in ast.walk(value)):
        return False
    for other in uses.family.repo.mentioning(name):
        used += [(other, node) for node in other.attributes.get(name, ())]
    return not any(_as_container(*use) for use in used)


def _given(uses: AttributeUses, shape: Shape, init: Method, parameter: str) -> Iterator[tuple[Outline, ast.expr]]:
    """What calls of the class give as the parameter."""
    names = positional(init)[1:]
    for outline in uses.family.repo.mentioning(shape.node.name):
        for call in outline.calls_of(shape.node.name):
            if (argument := given_to(names, call).get(parameter)) is not None:
                yield outline, argument


def _called(value: ast.AST | None) -> str:
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""


def _negates(value: ast.expr | None) -> bool:
    return isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)


def _is_plain(annotation: ast.expr) -> bool:
    """`bool`, `str | None`, `Optional[int]`."""
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
    return bool(names) and names <= _PLAIN | {"Optional", "Union"}


def _as_container(outline: Outline, node: ast.AST) -> bool:
    """It is used as a list, a dict or a set is: `x.append(...)`, `x[0]`, `len(x)`, `for ... in x`."""
    above = outline.parents.get(node)
    if isinstance(above, ast.Attribute):
        return not hasattr(str, above.attr)
    if isinstance(above, ast.Compare):
        return node in above.comparators and isinstance(above.ops[above.comparators.index(node)], (ast.In, ast.NotIn))
    if isinstance(above, ast.Call) and node in above.args:
        return _called(above) in _TAKE_CONTAINERS
    return isinstance(above, (ast.Subscript, ast.Starred, ast.For, ast.comprehension))


def _holds_container(outline: Outline, value: ast.expr) -> bool:
    """A list, a dict or a set is made there, or the name stands for one."""
    if isinstance(value, ast.Name):
        scope, _ = outline.lookup(value, value.id)
        bound = outline.bindings(scope, value.id) if scope is not None else []
        return any(each.value is not None and _makes_container(each.value) for each in bound)
    return _makes_container(value)


def _makes_container(value: ast.AST) -> bool:
    return isinstance(value, _DISPLAYS) or _called(value) in _CONTAINERS


def _is_kept(uses: AttributeUses, shape: Shape, init: ast.AST, holder: ast.If, name: str) -> bool:
    stores = [store for other in uses.hierarchy for store in other.stores(name)]
    if len(stores) != 1 or stores[0].method is not init or not stores[0].always or stores[0].value is None:
        return False
    return stores[0].statement.lineno < holder.lineno and name not in uses.outside.sets
