"""Values of expressions: each handler returns the node of the value, or -1 where nothing could matter."""

from __future__ import annotations

import ast
from collections.abc import Callable
from sys import intern

from ...hazard_kind import HazardKind
from ...nodes import children
from ...syntax.binding_rules import ScopeKind
from ...syntax.names import dotted
from ..kinds import FunctionKind
from .attribute_dicts import chooses_values, is_locals, keys_gone_over, note_update, updated, variables
from .builder import FactsBuilder
from .definitions import enter_function
from .evaluated import evaluates, note_named
from .filled_later import PUTS, note_call, note_item
from .hooks import HOOKS, note_hook
from .loaded_by_path import is_loaded, takes_from_loaded
from .operators import inverted, operated
from .parsed_defaults import parsed_zero
from .passed_on import (
    AT_TIMES,
    COUNT,
    UNDER,
    note_choice,
    passed_on,
    taken_by,
    under,
    unpacks_no_workers,
    with_workers,
)
from .records import NO_LITERALS, Call
from .scope import DEAD, SEVERAL, FactsScope
from .syntax import (
    EACH,
    KEYS,
    MAX_PLACES,
    SLICE,
    VIEW_METHODS,
    gives_view,
    items_of,
    literal_key,
    name_pattern,
    not_callable,
    position,
    starred,
)
from .taken_out import TAKES_OUT, handed_on, note_method
from .targets import Targets
from .type_tests import asks_type, named_types

# Tuples and classes of their own: this module looks at every expression of a repository.
_CONSTANT = ast.Constant
_COMPARED = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
_SEQUENCE = (ast.Tuple, ast.List)
_JOINING = (ast.Add, ast.BitOr)
_LOOKS = ("super", "isinstance", "issubclass")  # they only look at a class
_METHODS = PUTS | TAKES_OUT | VIEW_METHODS  # of which more is noted than the call


class Expressions(Targets):
    """Enters expressions in the facts. Statements are in `statements.py`, what is assigned in `targets.py`.

    It recurses, so a tree may not be deeper than the project's MAX_DEPTH.
    """

    def __init__(self, builder: FactsBuilder) -> None:
        super().__init__(builder)
        self.self_calls: dict[tuple[int, str], set[int]] = {}  # (class, method) -> functions that call self.method()
        self.plain: ast.expr | None = None  # what is walked next, if it is called, derived from, or only looked at
        self.chooses = False  # in a comprehension with a test of values
        self.keys: dict[str, tuple[str, ...]] = {}  # by the variable of a comprehension, the literal keys it goes over

    def value(self, node: ast.expr) -> int:
        """The node of the value of an expression, -1 where nothing could matter."""
        kind = node.__class__
        if kind is _CONSTANT:
            return -1
        handler = _HANDLERS.get(kind)
        if handler is not None:
            return handler(self, node)
        self._children(node)
        return -1

    def _children(self, node: ast.AST) -> None:
        for child in children(node):
            if isinstance(child, ast.expr):
                self.value(child)
            else:
                self._children(child)

    def _name(self, node: ast.Name) -> int:
        builder, name = self.builder, node.id
        if node is not self.plain:
            builder.mentions.used.add(name)
        scope = builder.scope
        known = scope.current.get(name, -1)
        if known == DEAD:
            return -1
        if known < 0 and scope is not builder.module and name not in scope.globals:
            known = scope.names.get(name, -1)
        return known if known >= 0 else builder.variable(name)

    def attribute(self, node: ast.Attribute) -> int:
        """`x.attribute`, to be read."""
        self.builder.mentions.note_attribute(node)
        self.plain = node.value
        base = self.value(node.value)
        if base < 0:
            return -1
        result = self.builder.load(base, node.attr, node.lineno)
        if node in self.builder.always:
            self.builder.facts.always_read.append(result)
        narrowed = self.builder.narrowed
        if narrowed and node.attr in narrowed and (known := self.builder.scope.current.get(dotted(node), -1)) != -1:
            return max(known, -1)
        if self.loaded and is_loaded(self.builder.scope, node.value):
            self.builder.facts.hazards.append((result, HazardKind.LOADED, position(node)))
        return result

    def base(self, node: ast.expr) -> int:
        """The node of what a class derives from."""
        self.plain = node
        return self.value(node)

    def _await(self, node: ast.Await) -> int:
        return self.value(node.value)

    def _unary(self, node: ast.UnaryOp) -> int:
        return inverted(self.builder, node, self.value(node.operand))

    def _joined(self, node: ast.JoinedStr) -> int:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self._children(part)
        return -1

    def _binary(self, node: ast.BinOp) -> int:
        if isinstance(node.op, ast.Mult):
            return self._repeated(node)
        left, right = self.value(node.left), self.value(node.right)
        joined = [left, right] if isinstance(node.op, _JOINING) else []  # [a] + [b], dataset_a + dataset_b
        return self.builder.merge([*joined, operated(self.builder, node, left, right)])

    def _repeated(self, node: ast.BinOp) -> int:
        """`[x] * n`: what the list holds is at places that are not known."""
        values = [self.value(side) for side in (node.left, node.right)]
        for side, value in zip((node.left, node.right), values, strict=True):
            if isinstance(side, _SEQUENCE) and (value >= 0 or isinstance(side, ast.List)):
                held = [self.builder.element(value)] if value >= 0 else []
                return self.builder.container(held, type(side).__name__.lower())
        return -1

    def _compare(self, node: ast.Compare) -> int:
        builder = self.builder
        sides = [node.left, *node.comparators]
        values = [self.value(side) for side in sides]
        for at, operator in enumerate(node.ops):
            if _is_constant(sides[at]) or _is_constant(sides[at + 1]):
                continue  # `fn is None`, `fn in (None, False)`
            types = named_types(builder, operator, sides[at + 1]) if asks_type(sides[at]) else None
            if types is not None:
                named = [self.value(each) for each in types]
                builder.facts.type_tests += [(values[at], each, node.lineno) for each in named or [-1]]
            elif isinstance(operator, (ast.In, ast.NotIn)):
                builder.distinguish(values[at], "compared", node.lineno)
            elif isinstance(operator, _COMPARED):
                builder.distinguish(values[at], "compared", node.lineno)
                builder.distinguish(values[at + 1], "compared", node.lineno)
        return -1

    def _conditional(self, node: ast.IfExp) -> int:
        self.value(node.test)
        note_choice(self.builder, node.test, node.body, node.orelse)
        body = self.value(node.body)
        return self.builder.merge(
            [body, self.builder.without(not_callable(node.test), lambda: self.value(node.orelse))]
        )

    def _bool_op(self, node: ast.BoolOp) -> int:
        return self.builder.merge([self.value(value) for value in node.values])

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> int:
        builder = self.builder
        values = [self.value(element) for element in node.elts]
        if any(value >= 0 for value in values):
            what = type(node).__name__.lower()
            if isinstance(node, ast.Set):
                for value in values:
                    builder.distinguish(value, "put in a set", node.lineno)
            if isinstance(node, ast.Set) or len(values) > MAX_PLACES or starred(node.elts):
                return builder.container(values, what)
            return builder.container((), what, [(f"#{at}", value) for at, value in enumerate(values) if value >= 0])
        if isinstance(node, ast.List) and not node.elts:
            result = builder.container((), "list")
            builder.facts.empty.append(result)
            return result
        return -1

    def _dict(self, node: ast.Dict) -> int:
        builder = self.builder
        values: list[int] = []
        items: list[tuple[str, int]] = []
        others: list[int] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:  # **other: as far as we look, the same dict
                others.append(self.value(value))
                continue
            named = self.value(key)
            builder.distinguish(named, "a key of a dict", key.lineno)
            if named >= 0:
                items.append((KEYS, named))
            name, number = literal_key(key), self.value(value)
            if number >= 0:
                if name:
                    items.append((name, number))
                    note_item(builder, name, value, number)
                else:
                    values.append(number)
        if node.keys and not values and not items:
            return builder.merge(others)
        result = builder.container(values, "dict", items)
        if not node.keys:
            builder.facts.empty.append(result)
        return builder.merge([result, *others])

    def _subscript(self, node: ast.Subscript) -> int:
        builder = self.builder
        base = self.value(node.value)
        self.value(node.slice)
        if base < 0:
            return -1
        result = builder.node("", node.lineno)
        part = isinstance(node.slice, ast.Slice)
        known = self.keys.get(node.slice.id) if isinstance(node.slice, ast.Name) else None
        for key in known or (SLICE if part else literal_key(node.slice),):
            builder.elements.append((base, result, key))
        builder.by_key(base, result, node.slice)
        if part:
            builder.edge(base, result)
        return result

    def _starred(self, node: ast.Starred) -> int:
        base = self.value(node.value)
        if base < 0:
            return -1
        return self.builder.element(base)

    def _named(self, node: ast.NamedExpr) -> int:
        return self.builder.bind(node.target.id, self.value(node.value))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> int:
        builder = self.builder
        builder.note_loop(node)
        facts, outer = builder.facts, builder.scope
        builder.scope = FactsScope(ScopeKind.COMPREHENSION, outer.qualname, outer, outer.function, outer.owner)
        kept = items_of(node)
        around, self.chooses = self.chooses, self.chooses or chooses_values(node)
        before, self.keys = self.keys, {**self.keys, **keys_gone_over(node)}
        whole = self.value(kept) if kept is not None else -1
        for generator in node.generators:
            value = self.value(generator.iter)
            self.bind_inner(generator.target, builder.element(value, EACH) if value >= 0 else -1)
            for test in generator.ifs:
                self.value(test)
        self.chooses = around
        if isinstance(node, ast.DictComp):
            key = self.value(node.key)
            builder.distinguish(key, "a key of a dict", node.lineno)
            result = builder.container([self.value(node.value)], "dict", [(KEYS, key)] if key >= 0 else ())
            if whole >= 0:
                made, result = result, builder.node()
                facts.copies.append((whole, result, made))
        else:
            element = self.value(node.elt)
            if isinstance(node, ast.SetComp):
                builder.distinguish(element, "put in a set", node.lineno)
            result = builder.container([element], "generator" if isinstance(node, ast.GeneratorExp) else "list")
        builder.scope.function = -1  # what it reads is read by the function around it
        builder.leave()
        self.keys = before
        if isinstance(node, ast.GeneratorExp):
            facts.hazards.append((result, HazardKind.GENERATOR, position(node)))
        return result

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> int:
        builder = self.builder
        if node.value is not None:
            value = self.value(node.value)
            scope = builder.scope
            if scope.function >= 0:
                function = builder.facts.functions[scope.function]
                if isinstance(node, ast.YieldFrom):
                    value = builder.element(value)
                function.generator = True
                builder.edge(value, function.returns)
        elif builder.scope.function >= 0:
            builder.facts.functions[builder.scope.function].generator = True
        return -1

    def _call(self, node: ast.Call) -> int:
        builder = self.builder
        facts, function = builder.facts, node.func
        self.plain = function
        callee = self.value(function)
        looks = type(function) is ast.Name and function.id in _LOOKS
        arguments: list[int] = []
        stars: list[int] = []
        literals: dict[str | int, object] = {}
        for index, argument in enumerate(node.args):
            if type(argument) is ast.Starred:
                stars.append(self.value(argument.value))
                continue
            self.plain = argument if looks else None
            arguments.append(self.value(argument))
            self._literal(literals, index, argument)
        keywords: list[tuple[str, int]] = []
        double_stars: list[int] = []
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is None:
                double_stars.append(handed_on(builder, keyword.value, value))
            else:
                keywords.append((keyword.arg, value))
                self._literal(literals, keyword.arg, with_workers(node, keyword.value))
        if node.keywords and (given := passed_on(builder.scope, node)) is not None:
            literals[given[0]] = given[1]
        if double_stars and unpacks_no_workers(builder.scope, builder.tree, node):
            literals[COUNT] = 0
        for keyword in node.keywords if COUNT not in literals else ():
            around = (builder.scope.tree, builder.tree)
            if keyword.arg == COUNT and any(parsed_zero(tree, keyword.value) for tree in around if tree is not None):
                literals[COUNT] = 0
        if builder.scope.asked_for and (switch := under(builder.scope, node)) is not None:
            literals[UNDER] = switch
        if type(function) is ast.Subscript:
            literals |= taken_by(builder.scope, builder.tree, node, self.value)
        is_view = False
        if type(function) is ast.Attribute and function.attr in _METHODS:
            note_call(builder, function, arguments, keywords)
            note_method(builder, node, function)
            if (owner := updated(node)) is not None and (base := self.value(owner)) >= 0:
                note_update(builder, base, node, keywords, [*arguments, *double_stars])
            is_view = gives_view(node)
        is_text = type(function) is ast.Name and function.id == "eval" and evaluates(builder.scope, node)
        if callee < 0 and not is_view:
            return -1
        result = builder.node("", node.lineno)
        if is_view or is_text:
            facts.hazards.append((result, HazardKind.DICT_VIEW if is_view else HazardKind.EVALUATED, position(node)))
        if is_text:
            note_named(builder, node, result)
        if self.loaded and takes_from_loaded(builder.scope, node):
            facts.hazards.append((result, HazardKind.LOADED, position(node)))
        if callee < 0:  # of a dict without anything to follow: `{"a": 1}.items()`
            return result
        text = dotted(function) or (function.attr if type(function) is ast.Attribute else "")
        facts.calls.append(
            Call(
                callee, tuple(arguments), tuple(keywords), tuple(stars), tuple(double_stars), result, position(node),
                intern(text), literals or NO_LITERALS, builder.scope.function, builder.conditions > 0,
            )
        )  # fmt: skip
        if type(function) is ast.Attribute:
            if type(function.value) is ast.Name and function.value.id == "self":
                self._note_self_call(function.attr)
            if function.attr in HOOKS and arguments[:1] > [-1]:
                note_hook(builder, self.value, node, arguments[0])
        return variables(builder, result) if text == "locals" and is_locals(node) and not self.chooses else result

    def _literal(self, literals: dict[str | int, object], key: str | int, node: ast.expr) -> None:
        named = key == "multiprocessing_context" and type(node) is ast.Call and bool(node.args)
        if named and type(node) is ast.Call and dotted(node.func).rpartition(".")[2] == "get_context":
            node = node.args[0]  # the name says the same
        if type(node) is ast.Constant:
            literals[key] = node.value
        elif type(node) is ast.Name:
            scope = self.builder.scope.binding(node.id)
            constant = scope.constants.get(node.id, SEVERAL) if scope is not None else SEVERAL
            if constant is not SEVERAL:
                literals[key] = constant
            elif scope is not None and node.id in scope.set_true:
                literals[f"{AT_TIMES}{key}"] = True
        elif key == 0 and (pattern := name_pattern(node)) is not None:
            literals[key] = pattern

    def _note_self_call(self, method: str) -> None:
        scope: FactsScope | None = self.builder.scope
        caller = scope.function if scope is not None else -1
        while scope is not None and scope.parent is not None and scope.parent.kind is not ScopeKind.CLASS:
            scope = scope.parent
        if scope is not None and scope.parent is not None:
            self.self_calls.setdefault((scope.parent.owner, method), set()).add(caller)

    def _lambda(self, node: ast.Lambda) -> int:
        builder = self.builder
        index = enter_function(builder, node, FunctionKind.LAMBDA, "<lambda>", self.defaults(node.args))
        builder.edge(self.value(node.body), builder.facts.functions[index].returns)
        builder.leave()
        return builder.facts.function_nodes[index]

    def defaults(self, arguments: ast.arguments) -> list[int]:
        """The nodes of default values, positional ones first; -1 for a parameter without."""
        given = [*arguments.defaults, *arguments.kw_defaults]
        return [self.value(default) if default is not None else -1 for default in given]


_HANDLERS: dict[type, Callable[..., int]] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions.attribute,
    ast.Call: Expressions._call,
    ast.Lambda: Expressions._lambda,
    ast.IfExp: Expressions._conditional,
    ast.BoolOp: Expressions._bool_op,
    ast.List: Expressions._display,
    ast.Tuple: Expressions._display,
    ast.Set: Expressions._display,
    ast.Dict: Expressions._dict,
    ast.Subscript: Expressions._subscript,
    ast.Starred: Expressions._starred,
    ast.NamedExpr: Expressions._named,
    ast.Await: Expressions._await,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield,
    ast.UnaryOp: Expressions._unary,
    ast.JoinedStr: Expressions._joined,
    ast.BinOp: Expressions._binary,
    ast.Compare: Expressions._compare,
}


def _is_constant(node: ast.expr) -> bool:
    """A constant, or several in a list."""
    items = node.elts if isinstance(node, (*_SEQUENCE, ast.Set)) else [node]
    return all(type(item) is _CONSTANT for item in items)
