"""Values of expressions: each handler returns the node of the value, or -1 where nothing could matter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from ...syntax.names import dotted
from .records import Call
from .scope import DEAD, SEVERAL, Names, Scope
from .syntax import MAX_PLACES, literal_key, not_callable, position, starred

VIEW_METHODS = frozenset({"keys", "values", "items"})
_MAX_DEPTH = 400  # nesting of expressions beyond this is generated code; deeper parts are not followed

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Expressions(Names):
    """The half of the walk that looks at expressions; statements and definitions are in `collector.py`."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.depth = 0
        self.self_calls: dict[tuple[int, str], set[int]] = {}  # (class, method) -> functions that call self.method()
        self.expressions: dict[type, Callable[..., int]] = {
            ast.Name: self.name,
            ast.Attribute: self.attribute,
            ast.Call: self.call,
            ast.Lambda: self.lambda_,
            ast.IfExp: self.conditional,
            ast.BoolOp: self.bool_op,
            ast.List: self.display,
            ast.Tuple: self.display,
            ast.Set: self.display,
            ast.Dict: self.dict_,
            ast.Subscript: self.subscript,
            ast.Starred: self.starred,
            ast.NamedExpr: self.named,
            ast.Await: self.unary_value,
            ast.ListComp: self.comprehension,
            ast.SetComp: self.comprehension,
            ast.DictComp: self.comprehension,
            ast.GeneratorExp: self.comprehension,
            ast.Yield: self.yield_,
            ast.YieldFrom: self.yield_,
            ast.Constant: lambda node: -1,
            ast.BinOp: self.binary,
            ast.Compare: self.compare,
        }

    def children(self, node: ast.AST) -> None:
        """Look at everything below `node`."""
        raise NotImplementedError

    def function(self, node: FunctionNode, kind: str, name: str, binding: str = "", wraps: bool = False) -> int:
        """Look at a function; its index in the facts."""
        raise NotImplementedError

    def target(self, target: ast.expr, value: int, expression: ast.expr | None = None) -> None:
        """Assign `value` to `target`."""
        raise NotImplementedError

    def unpack(self, targets: Sequence[ast.expr], value: int) -> list[int]:
        """A node for each of the targets that `value` is unpacked into."""
        if value < 0:
            return [-1] * len(targets)
        star = next((at for at, target in enumerate(targets) if isinstance(target, ast.Starred)), len(targets))
        found: list[int] = []
        for at in range(len(targets)):
            found.append(self.node())
            self.facts.elements.append((value, found[-1], f"#{at}" if at < star else ""))
        return found

    def value(self, node: ast.expr) -> int:
        handler = self.expressions.get(type(node))
        if handler is None:
            self.children(node)
            return -1
        self.depth += 1
        try:
            return handler(node) if self.depth < _MAX_DEPTH else -1
        finally:
            self.depth -= 1

    def name(self, node: ast.Name) -> int:
        known = self.scope.current.get(node.id, -1)
        if known == DEAD:
            return -1
        return known if known >= 0 else self.variable(node.id)

    def attribute(self, node: ast.Attribute) -> int:
        base = self.value(node.value)
        if base < 0:
            return -1
        result = self.node("", node.lineno)
        self.facts.loads.append((base, node.attr, result))
        return result

    def unary_value(self, node: ast.Await) -> int:
        return self.value(node.value)

    def binary(self, node: ast.BinOp) -> int:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Add) and (left >= 0 or right >= 0):  # [a] + [b], dataset_a + dataset_b
            return self.merge([left, right])
        return -1

    def compare(self, node: ast.Compare) -> int:
        sides = [node.left, *node.comparators]
        values = [self.value(side) for side in sides]
        for at, operator in enumerate(node.ops):
            if any(isinstance(side, ast.Constant) for side in sides[at : at + 2]):
                continue  # `fn is None`
            if isinstance(operator, ast.In | ast.NotIn):
                self.distinguish(values[at], "compared", node.lineno)
            elif isinstance(operator, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
                self.distinguish(values[at], "compared", node.lineno)
                self.distinguish(values[at + 1], "compared", node.lineno)
        return -1

    def distinguish(self, value: int, what: str, line: int) -> None:
        """Note a place where two objects that do the same are not the same."""
        if value >= 0:
            self.facts.distinguished.append((value, what, line))

    def merge(self, values: Sequence[int]) -> int:
        present = [value for value in values if value >= 0]
        if len(present) < 2:
            return present[0] if present else -1
        result = self.node()
        for value in present:
            self.edge(value, result)
        return result

    def conditional(self, node: ast.IfExp) -> int:
        self.value(node.test)
        body = self.value(node.body)
        return self.merge([body, self.without(not_callable(node.test), lambda: self.value(node.orelse))])

    def bool_op(self, node: ast.BoolOp) -> int:
        return self.merge([self.value(value) for value in node.values])

    def container(self, values: Iterable[int], what: str, items: Sequence[tuple[str, int]] = ()) -> int:
        result, contents = self.node(), self.node(f"put in a {what}")
        fields: dict[str, int] = {}
        for key, value in items:
            if key not in fields:
                fields[key] = self.node(f"put in a {what}" if key[0] == "#" else f"put in a {what} as `{key}`")
            self.edge(value, fields[key])
        self.facts.containers.append((result, contents, tuple(fields.items())))
        for value in values:
            self.edge(value, contents)
        return result

    def display(self, node: ast.List | ast.Tuple | ast.Set) -> int:
        values = [self.value(element) for element in node.elts]
        if any(value >= 0 for value in values):
            what = type(node).__name__.lower()
            if isinstance(node, ast.Set):
                for value in values:
                    self.distinguish(value, "put in a set", node.lineno)
            if isinstance(node, ast.Set) or len(values) > MAX_PLACES or starred(node.elts):
                return self.container(values, what)
            return self.container((), what, [(f"#{at}", value) for at, value in enumerate(values) if value >= 0])
        if isinstance(node, ast.List) and not node.elts:
            result = self.container((), "list")
            self.facts.empty.append(result)
            return result
        return -1

    def dict_(self, node: ast.Dict) -> int:
        values: list[int] = []
        items: list[tuple[str, int]] = []
        others: list[int] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:  # **other: as far as we look, the same dict
                others.append(self.value(value))
                continue
            self.distinguish(self.value(key), "a key of a dict", key.lineno)
            name, number = literal_key(key), self.value(value)
            if number >= 0:
                if name:
                    items.append((name, number))
                else:
                    values.append(number)
        if node.keys and not values and not items:
            return self.merge(others)
        result = self.container(values, "dict", items)
        if not node.keys:
            self.facts.empty.append(result)
        return self.merge([result, *others])

    def subscript(self, node: ast.Subscript) -> int:
        base = self.value(node.value)
        self.value(node.slice)
        if base < 0:
            return -1
        result = self.node("", node.lineno)
        self.facts.elements.append((base, result, literal_key(node.slice)))
        if isinstance(node.slice, ast.Slice):
            self.edge(base, result)
        return result

    def starred(self, node: ast.Starred) -> int:
        base = self.value(node.value)
        if base < 0:
            return -1
        result = self.node()
        self.facts.elements.append((base, result, ""))
        return result

    def named(self, node: ast.NamedExpr) -> int:
        return self.bind(node.target.id, self.value(node.value))

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> int:
        outer = self.scope
        self.scope = Scope("comprehension", outer.qualname, outer, outer.function, outer.owner)
        for generator in node.generators:
            value, element = self.value(generator.iter), -1
            if value >= 0:
                element = self.node()
                self.facts.elements.append((value, element, ""))
            self.bind_inner(generator.target, element)
            for test in generator.ifs:
                self.value(test)
        if isinstance(node, ast.DictComp):
            self.distinguish(self.value(node.key), "a key of a dict", node.lineno)
            result = self.container([self.value(node.value)], "dict")
        else:
            element = self.value(node.elt)
            if isinstance(node, ast.SetComp):
                self.distinguish(element, "put in a set", node.lineno)
            result = self.container([element], "generator" if isinstance(node, ast.GeneratorExp) else "list")
        self.scope.function = -1  # what it reads is read by the function around it
        self.leave()
        if isinstance(node, ast.GeneratorExp):
            self.facts.hazards.append((result, "generator", position(node)))
        return result

    def bind_inner(self, target: ast.expr, value: int) -> None:
        """Bind the target of a comprehension in the comprehension's own scope."""
        if isinstance(target, ast.Name):
            self.scope.bound.add(target.id)
            self.edge(value, self.variable(target.id))
        elif isinstance(target, ast.Tuple | ast.List):
            for inner, element in zip(target.elts, self.unpack(target.elts, value), strict=True):
                self.bind_inner(inner, element)
        elif isinstance(target, ast.Starred):
            self.bind_inner(target.value, value)
        else:
            self.target(target, value)

    def yield_(self, node: ast.Yield | ast.YieldFrom) -> int:
        if node.value is not None:
            value = self.value(node.value)
            scope = self.scope
            if scope.function >= 0:
                function = self.facts.functions[scope.function]
                if isinstance(node, ast.YieldFrom):
                    inner = self.node()
                    self.facts.elements.append((value, inner, ""))
                    value = inner
                if not function.generator:
                    function.generator = True
                self.edge(value, function.returns)
        elif self.scope.function >= 0:
            self.facts.functions[self.scope.function].generator = True
        return -1

    def call(self, node: ast.Call) -> int:
        facts, function = self.facts, node.func
        callee = self.value(function)
        arguments: list[int] = []
        stars: list[int] = []
        literals: dict[str | int, object] = {}
        for index, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                stars.append(self.value(argument.value))
                continue
            arguments.append(self.value(argument))
            self.literal(literals, index, argument)
        keywords: list[tuple[str, int]] = []
        double_stars: list[int] = []
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is None:
                double_stars.append(value)
            else:
                keywords.append((keyword.arg, value))
                self.literal(literals, keyword.arg, keyword.value)
        is_view = isinstance(function, ast.Attribute) and function.attr in VIEW_METHODS and self.is_view(node, function)
        if callee < 0 and not is_view:
            return -1
        result = self.node("", node.lineno)
        if is_view:
            facts.hazards.append((result, "dict-view", position(node)))
        if callee < 0:  # of a dict without anything to follow: `{"a": 1}.items()`
            return result
        text = dotted(function) or (function.attr if isinstance(function, ast.Attribute) else "")
        facts.calls.append(
            Call(
                callee, tuple(arguments), tuple(keywords), tuple(stars), tuple(double_stars), result, position(node),
                text, literals, self.scope.function,
            )
        )  # fmt: skip
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self":
            self.note_self_call(function.attr)
        return result

    @staticmethod
    def is_view(node: ast.Call, function: ast.Attribute) -> bool:
        if isinstance(function.value, ast.Name) and function.value.id in ("dict", "OrderedDict"):
            return len(node.args) == 1 and not node.keywords
        return not node.args and not node.keywords

    def literal(self, literals: dict[str | int, object], key: str | int, node: ast.expr) -> None:
        if isinstance(node, ast.Constant):
            literals[key] = node.value
        elif isinstance(node, ast.Name):
            scope: Scope | None = self.scope
            while scope is not None and node.id not in scope.bound:
                scope = scope.parent
            constant = scope.constants.get(node.id, SEVERAL) if scope is not None else SEVERAL
            if constant is not SEVERAL:
                literals[key] = constant

    def note_self_call(self, method: str) -> None:
        scope: Scope | None = self.scope
        while scope is not None and scope.parent is not None and scope.parent.kind != "class":
            scope = scope.parent
        if scope is not None and scope.parent is not None:
            self.self_calls.setdefault((scope.parent.owner, method), set()).add(scope.function)

    def lambda_(self, node: ast.Lambda) -> int:
        index = self.function(node, "lambda", "<lambda>")
        return self.facts.function_nodes[index]
