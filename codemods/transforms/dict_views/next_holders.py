"""One step of a dict view: who refers to it next, and what is done with it on the spot that a list would not do."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...syntax.names import last_name
from ...syntax.outline import Outline, pairs
from ...syntax.receivers import qualified_name
from .as_argument import Argument, is_direct, is_inside
from .as_text import AS_TEXT, only_shown
from .given_functions import CALLING
from .holders import Difference, Holder, HolderKind, argument_of, local_name, parameter_with_default, stored

_SIGNS: dict[type[ast.AST], str] = {
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Sub: "-",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_SET_METHODS = frozenset(("isdisjoint", "mapping"))
_SET_OPERATORS = frozenset(("__and__", "__or__", "__sub__", "__xor__"))
_ELEMENTS = frozenset(("get", "pop"))  # of a container: they give the view itself
_CONTENTS = _ELEMENTS | {"values", "items", "copy"}
_KEEPERS = frozenset(("dict", "OrderedDict", "SimpleNamespace", "Namespace"))  # f(name=x) holds x under `name`
_COPIES = frozenset(("sorted", "list", "tuple", "dict"))  # of a container, which hold the same view
_DICTS = frozenset(("dict", "OrderedDict", "defaultdict", "Counter"))
_PARTIALS = frozenset(("functools.partial", "functools.partialmethod"))
_OF_PARTIALS = frozenset(("args", "keywords"))
_REGROUPED = frozenset(
    f"itertools.{name}"
    for name in (
        "combinations",
        "permutations",
        "combinations_with_replacement",
        "pairwise",
        "chain",
        "islice",
        "cycle",
    )
)
_ARGUMENTS_FOLLOWED = 2  # of a function that is called with elements
EACH = "each"  # element of a container, as `index` of a holder
_NOT_IN_A_LIST = "which a list does not have"


def holders_of(
    outline: Outline,
    value: ast.AST,
    nested: bool = False,
    hops: int = 0,
    widely: bool = False,
    at: int | str | None = None,
) -> tuple[list[Holder], list[Difference]]:
    """Who refers to `value` next, and what is done with it on the spot.

    `widely`: also what gets it through a generator, an unpacked comprehension, a partial or a function that is given.
    `at`: which element of `value` it is, `EACH` for all.
    """
    step = _Step(outline, value, nested, hops, widely)
    step.alike, step.at = at == EACH, at if isinstance(at, int) else None
    step.climb()
    return step.holders, step.problems


class _Step:
    """The way from a value up through the expressions that it is a part of.

    `node` is where the way has got to; `nested`: a container is in between; `reached`: `node` may be the view itself.
    A handler for a kind of parent gives the node to go on from, None at the end of the way.
    """

    def __init__(self, outline: Outline, value: ast.AST, nested: bool, hops: int, widely: bool) -> None:
        self.outline, self.value, self.node = outline, value, value
        self.nested, self.reached, self.hops = nested, not nested, hops
        self.widely = widely
        self.alike = False  # each element of what `node` is may be the view
        self.at: int | None = None  # or this one is
        self.holders: list[Holder] = []
        self.problems: list[Difference] = []

    def climb(self) -> None:
        """Go up as far as the view is the value of an expression, or may be."""
        while (parent := self.outline.parents.get(self.node)) is not None:
            handler = _HANDLERS.get(type(parent))
            above = handler(self, parent) if handler is not None else None
            if above is None:
                return
            self.node = above

    def _problem(self, text: str, fatal: bool = True) -> None:
        self.problems.append(Difference(self.outline.path, getattr(self.node, "lineno", 0), text, fatal))

    def _becomes_text(self) -> None:
        if not only_shown(self.outline, self.node):
            self._problem(AS_TEXT, fatal=False)

    # what has the value of the view

    def same(self, parent: ast.AST) -> ast.AST:
        """An `or`, an `await`, a keyword argument on its way to the call."""
        return parent

    def choice(self, parent: ast.IfExp) -> ast.AST | None:
        """`view if test else other`"""
        return None if parent.test is self.node else parent

    def walrus(self, parent: ast.NamedExpr) -> ast.AST:
        """`(name := view)`"""
        self.holders.append(local_name(self.outline, parent.target, self.nested, self.hops))
        return parent

    # containers

    def item(self, parent: ast.Subscript) -> ast.AST | None:
        """`container[key]`"""
        if parent.value is not self.node or not self.nested:
            return None
        self.reached, self.alike, self.at = True, False, None
        return parent

    def attribute(self, parent: ast.Attribute) -> ast.AST | None:
        """A method of the view, or of the container with it."""
        if self.widely and self.nested and parent.attr in _OF_PARTIALS:
            return parent
        call = self.outline.parents.get(parent)
        if self.nested and parent.attr in _CONTENTS and isinstance(call, ast.Call):
            self.reached = self.reached or parent.attr in _ELEMENTS
            return call
        if self.reached and (parent.attr in _SET_METHODS or parent.attr in _SET_OPERATORS):
            self._problem(f"uses `.{parent.attr}`, {_NOT_IN_A_LIST}")
        if self.reached and parent.attr == "__class__":
            self._problem("asks for its type")
        return None

    def container(self, parent: ast.AST) -> ast.AST | None:
        """A display or comprehension with the view among its values."""
        above = self.outline.parents.get(parent)
        if isinstance(parent, ast.Tuple) and isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod):
            self._becomes_text()
            return None
        if isinstance(parent, ast.DictComp) and parent.value is not self.node:
            return None
        self.alike = self.widely and not self.nested and isinstance(parent, (ast.ListComp, ast.GeneratorExp))
        self.at = None
        if self.widely and not self.nested and isinstance(parent, ast.Tuple) and not _has_star(parent.elts):
            self.at = next((at for at, item in enumerate(parent.elts) if item is self.node), None)
        self.nested = True
        return parent

    def generator(self, parent: ast.GeneratorExp) -> ast.AST | None:
        """`(x.names for x in objects)`"""
        return self.container(parent) if self.widely else None

    def starred(self, parent: ast.Starred) -> None:
        """`f(*[x.names for x in objects])`"""
        call = self.outline.parents[parent]
        if self.alike and isinstance(call, ast.Call):
            start = call.args.index(parent)
            self.holders.extend(
                argument_of(self.outline, call.func, at, False, self.hops) for at in range(start, start + 3)
            )

    # operators and texts

    def operator(self, parent: ast.BinOp) -> None:
        """`view & other`, `"%s" % view`"""
        if type(parent.op) in _SIGNS and self.reached:
            self._problem(f"uses it with `{_SIGNS[type(parent.op)]}`, {_NOT_IN_A_LIST}")
        elif isinstance(parent.op, ast.Mod) and parent.right is self.node:
            self._becomes_text()

    def augmented(self, parent: ast.AugAssign) -> None:
        """`view |= other`"""
        if type(parent.op) in _SIGNS and self.reached:
            self._problem(f"uses it with `{_SIGNS[type(parent.op)]}=`, {_NOT_IN_A_LIST}")

    def comparison(self, parent: ast.Compare) -> None:
        """`view == other`"""
        operands = [parent.left, *parent.comparators]
        for left, sign, right in zip(operands, parent.ops, parent.comparators, strict=False):
            if self.node in (left, right) and type(sign) in _SIGNS:
                self._problem(f"compares it with `{_SIGNS[type(sign)]}`, to which a list gives another answer")

    def formatted(self, parent: ast.FormattedValue) -> None:
        """`f"{view}"`"""
        self._becomes_text()

    def match(self, parent: ast.Match) -> None:
        """`match view:`"""
        self._problem("matches it against patterns: a list is a sequence, a view is none")

    # what refers to it from now on

    def assignment(self, parent: ast.Assign) -> None:
        """`place = view`, `one, other = view, x`"""
        for target in parent.targets:
            if isinstance(target, (ast.Tuple, ast.List)) and parent.value is self.node:
                places = target.elts if self.alike else []
                if self.at is not None and not _has_star(target.elts):
                    places = target.elts[self.at : self.at + 1]
                for place in places:
                    rest = isinstance(place, ast.Starred)
                    inner = place.value if isinstance(place, ast.Starred) else place
                    self.holders.extend(stored(self.outline, inner, rest, self.hops))
            for place, part in pairs(target, parent.value):
                if part is self.node or (part is parent.value and self.node is parent.value):
                    self.holders.extend(stored(self.outline, place, self.nested, self.hops))
                elif isinstance(target, ast.Tuple) and self.nested and is_inside(self.outline, self.value, part):
                    # `self.a, self.b = x.keys(), y.keys()`: the tuple on the right is only punctuation
                    nested = self.value is not part and not is_direct(self.outline, self.value, part)
                    self.holders.extend(stored(self.outline, place, nested, self.hops))

    def annotated(self, parent: ast.AnnAssign) -> None:
        """`place: Keys = view`"""
        self.holders.extend(stored(self.outline, parent.target, self.nested, self.hops))

    def returned(self, parent: ast.Return) -> None:
        """`return view`"""
        scope = self.outline.scope(self.node)
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            marks = {last_name(mark) for mark in scope.decorator_list}
            kind = HolderKind.ATTRIBUTE if marks & {"property", "cached_property"} else HolderKind.RESULT
            self.holders.append(
                Holder(kind, scope.name, nested=self.nested, hops=self.hops + 1, index=self._position())
            )

    def yielded(self, parent: ast.Yield) -> None:
        """`yield view`"""
        scope = self.outline.scope(self.node)
        if self.widely and not self.nested and isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.holders.append(Holder(HolderKind.RESULT, scope.name, nested=True, hops=self.hops + 1, index=EACH))

    def _position(self) -> int | str | None:
        return EACH if self.alike else self.at

    def computed(self, parent: ast.Lambda) -> ast.AST | None:
        """`map(lambda x: x.names, objects)`"""
        call = self.outline.parents[parent]
        if not self.widely or self.nested or parent.body is not self.node or not _maps(call, parent):
            return None
        self.nested, self.reached, self.alike = True, False, True
        return call

    def loop(self, parent: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        """`for view in container`"""
        if self.nested and parent.iter is self.node and not _is_dict(self.outline, self.node):
            loose = isinstance(parent, ast.comprehension)
            target = parent.target
            by_item = isinstance(parent.iter, ast.Call) and last_name(parent.iter.func) == "items"
            if by_item and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                target = target.elts[1]  # no key is a view
            self.holders.extend(
                local_name(self.outline, name, False, self.hops, loose)
                for name in ast.walk(target)
                if isinstance(name, ast.Name)
            )

    def default(self, parent: ast.arguments) -> None:
        """`def f(keys=view)`"""
        self.holders.extend(parameter_with_default(self.outline, parent, self.node, self.nested, self.hops))

    def call(self, parent: ast.Call) -> ast.AST | None:
        """`f(view)`"""
        if parent.func is self.node:
            return parent if _is_getter(self.node) else None  # attrgetter("names")(x)
        if self.widely and not self.nested and _maps(parent, self.node):  # a view is no function: it is a getter
            self.nested, self.reached, self.alike = True, False, True
            return parent
        if self.widely and self.nested and self._counted(parent):
            return None
        copied = self.nested and isinstance(parent.func, ast.Name) and parent.func.id in _COPIES
        if copied and last_name(parent.func) != "dict" and _is_dict(self.outline, self.node):
            return None  # its keys
        if copied or _gives_back(parent, self.node) or (self.widely and self._regroups(parent)):
            return parent
        if self.widely and self.nested and last_name(parent.func) in CALLING and self.node in parent.args[1:]:
            self.holders.extend(
                argument_of(self.outline, parent.args[0], at, False, self.hops) for at in range(_ARGUMENTS_FOLLOWED)
            )
        argument = Argument(self.outline, parent, self.node, self.value, self.nested, self.reached, self.hops)
        holders, problems = argument.effects()
        self.holders.extend(holders)
        self.problems.extend(problems)
        if not (isinstance(self.node, ast.keyword) and last_name(parent.func) in _KEEPERS):
            return None
        self.nested = True
        return parent

    def _counted(self, call: ast.Call) -> bool:
        """`for number, view in enumerate(views)`, `for view, other in zip(views, others)`: follows the view alone."""
        loop = self.outline.parents[call]
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name not in ("enumerate", "zip") or self.node not in call.args or _is_dict(self.outline, self.node):
            return False
        if not isinstance(loop, (ast.For, ast.comprehension)) or not isinstance(loop.target, ast.Tuple):
            return False
        at = 1 if name == "enumerate" else next(at for at, item in enumerate(call.args) if item is self.node)
        loose = isinstance(loop, ast.comprehension)
        for place in loop.target.elts[at : at + 1]:
            if isinstance(place, ast.Name):
                self.holders.append(local_name(self.outline, place, False, self.hops, loose))
        return True

    def _regroups(self, call: ast.Call) -> bool:
        """What the call gives holds the view, too: `combinations(views, 2)`, `partial(f, view)`; or is it."""
        name = qualified_name(self.outline, call.func)
        if name in _PARTIALS:
            argument = Argument(self.outline, call, self.node, self.value, self.nested, self.reached, self.hops)
            holders, problems = argument.effects()
            self.holders.extend(holders)
            self.problems.extend(problems)
            self.nested, self.reached, self.alike, self.at = True, False, False, None
            return True
        if not self.nested or self.node not in call.args or _is_dict(self.outline, self.node):
            return False
        picked = isinstance(call.func, ast.Name) and (
            name == "next" or (name in ("min", "max") and len(call.args) == 1 and bool(call.keywords))
        )
        if picked or name in _REGROUPED:
            self.reached = self.reached or picked
            self.alike, self.at = False, None
            return True
        return False


_HANDLERS: dict[type[ast.AST], Callable[[_Step, Any], ast.AST | None]] = {
    ast.NamedExpr: _Step.walrus,
    ast.BoolOp: _Step.same,
    ast.Await: _Step.same,
    ast.keyword: _Step.same,
    ast.IfExp: _Step.choice,
    ast.Subscript: _Step.item,
    ast.Attribute: _Step.attribute,
    ast.Dict: _Step.container,
    ast.List: _Step.container,
    ast.Tuple: _Step.container,
    ast.ListComp: _Step.container,
    ast.GeneratorExp: _Step.generator,
    ast.Starred: _Step.starred,
    ast.Lambda: _Step.computed,
    ast.Yield: _Step.yielded,
    ast.DictComp: _Step.container,
    ast.BinOp: _Step.operator,
    ast.AugAssign: _Step.augmented,
    ast.Compare: _Step.comparison,
    ast.FormattedValue: _Step.formatted,
    ast.Match: _Step.match,
    ast.Assign: _Step.assignment,
    ast.AnnAssign: _Step.annotated,
    ast.Return: _Step.returned,
    ast.For: _Step.loop,
    ast.AsyncFor: _Step.loop,
    ast.comprehension: _Step.loop,
    ast.arguments: _Step.default,
    ast.Call: _Step.call,
}


def _is_dict(outline: Outline, node: ast.AST) -> bool:
    """A name or attribute to which this file assigns dicts alone: a loop over one gives its keys, which no view is."""
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Name):
        values = [binding.value for binding in outline.lookup(node, node.id)[1]]
    elif isinstance(node, ast.Attribute):
        for place in outline.attributes.get(node.attr, ()):
            above = outline.parents[place]
            if not isinstance(place.ctx, ast.Load):
                values.append(above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) else None)
    return bool(values) and all(map(makes_dict, values))


def makes_dict(value: ast.expr | None) -> bool:
    """`{...}`, `dict(...)`, `Counter(...)`: a dict of its own."""
    if isinstance(value, ast.Call):
        return last_name(value.func) in _DICTS
    return isinstance(value, (ast.Dict, ast.DictComp))


def _has_star(elements: list[ast.expr]) -> bool:
    return any(isinstance(item, ast.Starred) for item in elements)


def _is_getter(node: ast.AST) -> bool:
    """`attrgetter("names")`, the only use of an attribute that is a function which reads it."""
    return isinstance(node, ast.Call) and last_name(node.func) == "attrgetter"


def _maps(call: ast.AST, function: ast.AST) -> bool:
    """`map(function, ...)`"""
    return isinstance(call, ast.Call) and last_name(call.func) == "map" and bool(call.args) and call.args[0] is function


def _gives_back(call: ast.Call, default: ast.AST) -> bool:
    """`d.get(key, default)`, `getattr(x, "name", default)`"""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("get", "pop") and len(call.args) == 2 and call.args[1] is default
    return last_name(call.func) == "getattr" and len(call.args) == 3 and call.args[2] is default
