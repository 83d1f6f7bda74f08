"""The one `ast` pass: a syntax tree in, `FileFacts` out.

Variables are one node per scope and name (flow-insensitive). A name is looked up when its scope ends, when all that
the scope binds is known; so one pass is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from .facts import Call, Class, FileFacts, Function, Parameter, Position

_VIEW_METHODS = frozenset({"keys", "values", "items"})
_WORKER_SIDE = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__"})
_MAX_PLACES = 16  # longer lists and tuples are not told apart by index
_DEAD = -2  # in `_Scope.current`: the name holds nothing that matters here
_MAX_DEPTH = 400  # nesting of expressions beyond this is generated code; deeper parts are not followed

T = TypeVar("T")
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class _Scope:
    __slots__ = (
        "bound",
        "constants",
        "current",
        "function",
        "globals",
        "kind",
        "names",
        "nonlocals",
        "owner",
        "parent",
        "qualname",
    )

    def __init__(self, kind: str, qualname: str, parent: _Scope | None, function: int = -1, owner: int = -1) -> None:
        self.kind = kind  # module | class | function | comprehension
        self.qualname = qualname
        self.parent = parent
        self.function = function
        self.owner = owner
        self.names: dict[str, int] = {}
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.constants: dict[str, object] = {}  # names bound once, to a literal
        self.current: dict[str, int] = {}  # names that straight-line code bound last, and to what


_SEVERAL = object()


def _position(node: ast.expr | ast.stmt) -> Position:
    return (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def dotted(node: ast.expr) -> str:
    """`a.b.c` for a plain chain of names, else ""."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join([node.id, *reversed(parts)])
    return ""


def facts_of(path: str, tree: ast.Module) -> FileFacts:
    """Facts of one file. `tree` is not changed."""
    return _Collector(path).run(tree)


class _Collector:
    def __init__(self, path: str) -> None:
        self.facts = FileFacts(path)
        self.module = self.scope = _Scope("module", "", None)
        self.free: list[tuple[int, str, _Scope]] = []
        self.self_calls: dict[tuple[int, str], set[int]] = {}  # (class, method) -> functions that call self.method()
        self.depth = 0
        self.line = 1
        self.statements: dict[type, Callable[..., None]] = {
            ast.FunctionDef: self.function_def,
            ast.AsyncFunctionDef: self.function_def,
            ast.ClassDef: self.class_def,
            ast.Assign: self.assign,
            ast.AnnAssign: self.annotated,
            ast.AugAssign: self.augmented,
            ast.Return: self.return_,
            ast.For: self.for_,
            ast.AsyncFor: self.for_,
            ast.With: self.with_,
            ast.AsyncWith: self.with_,
            ast.Import: self.import_,
            ast.ImportFrom: self.import_from,
            ast.Global: self.global_,
            ast.Nonlocal: self.nonlocal_,
            ast.Expr: self.expression_statement,
            ast.If: self.branch,
            ast.While: self.branch,
            ast.Try: self.try_,
            ast.Match: self.match,
        }
        if hasattr(ast, "TryStar"):
            self.statements[ast.TryStar] = self.try_
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
        }

    def run(self, tree: ast.Module) -> FileFacts:
        facts = self.facts
        self.body(tree.body)
        facts.module_names = {name: self.module.names[name] for name in self.module.bound if name in self.module.names}
        facts.unbound = [(name, node) for name, node in self.module.names.items() if name not in self.module.bound]
        captured: dict[int, list[int]] = {}
        for function, name, scope in self.free:
            outer = scope.parent
            while outer is not None and (outer.kind == "class" or name not in outer.bound):
                outer = outer.parent
            if outer is not None and outer.kind != "module":
                captured.setdefault(function, []).append(scope.names[name])
        for function, nodes in captured.items():
            facts.functions[function].captures = tuple(nodes)
        self.mark_worker_side()
        return facts

    # nodes and edges

    def node(self, label: str = "", line: int = 0) -> int:
        self.facts.lines.append(line or self.line)
        self.facts.labels.append(label)
        return len(self.facts.lines) - 1

    def edge(self, source: int, target: int) -> None:
        if source >= 0 and target >= 0 and source != target:
            self.facts.edges.append((source, target, self.line))

    def variable(self, name: str, scope: _Scope | None = None) -> int:
        scope = scope or self.scope
        if name in scope.globals:
            scope = self.module
        node = scope.names.get(name, -1)
        if node < 0:
            node = scope.names[name] = self.node(f"held by `{name}`")
        return node

    def bind(self, name: str, value: int = -1, constant: object = _SEVERAL) -> int:
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:  # a walrus binds outside
            scope = scope.parent
        if name in scope.globals:
            scope = self.module
        if name not in scope.nonlocals:
            scope.constants[name] = _SEVERAL if name in scope.bound else constant
            scope.bound.add(name)
        node = self.variable(name, scope)
        scope.current.pop(name, None)
        if value >= 0:
            self.edge(value, node)
            if scope is self.scope and scope.kind == "function" and name not in scope.nonlocals:
                scope.current[name] = value
        return node

    def forget(self, statements: Iterable[ast.stmt]) -> None:
        """Names that `statements` bind may or may not have been bound anew: look at all their bindings."""
        current = self.scope.current
        if current:
            for statement in statements:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                        current.pop(node.id, None)

    def optional(self, statements: Sequence[ast.stmt]) -> None:
        """A block that may be left out, or run again."""
        before = dict(self.scope.current)
        self.body(statements)
        self.scope.current = {name: node for name, node in before.items() if self.scope.current.get(name) == node}

    def leave(self) -> None:
        """End of a scope: names that it does not bind come from outside."""
        scope = self.scope
        outer = scope.parent
        assert outer is not None
        self.scope = outer
        while outer.kind == "class" and outer.parent is not None and scope.kind != "comprehension":
            outer = outer.parent
        for name, node in scope.names.items():
            if name not in scope.bound:
                above = outer.current.get(name, -1) if scope.kind == "comprehension" else -1
                if above == _DEAD:
                    continue
                above = above if above >= 0 else self.variable(name, outer)
                self.edge(above, node)
                if name in scope.nonlocals:
                    self.edge(node, above)
                if scope.function >= 0:
                    self.free.append((scope.function, name, scope))

    # statements

    def body(self, statements: Iterable[ast.stmt]) -> None:
        table = self.statements
        for statement in statements:
            self.line = statement.lineno
            handler = table.get(type(statement))
            if handler is not None:
                handler(statement)
            else:
                self.children(statement)

    def children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.stmt):
                self.body([child])
            else:
                self.children(child)

    def expression_statement(self, node: ast.Expr) -> None:
        self.value(node.value)

    def branch(self, node: ast.If | ast.While) -> None:
        if isinstance(node, ast.While):
            self.forget(node.body)
        self.value(node.test)
        self.optional(node.body)
        no_function = _not_callable(node.test)
        self.without(no_function, lambda: self.optional(node.orelse))
        if no_function and isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue):
            self.scope.current[no_function] = _DEAD

    def try_(self, node: ast.Try) -> None:
        self.forget(node.body)
        self.optional(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                self.value(handler.type)
            if handler.name:
                self.bind(handler.name)
            self.optional(handler.body)
        self.optional(node.orelse)
        self.body(node.finalbody)

    def match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str):
                    self.bind(name, subject)
            if case.guard is not None:
                self.value(case.guard)
            self.optional(case.body)

    def global_(self, node: ast.Global) -> None:
        self.scope.globals.update(node.names)
        for name in node.names:
            self.module.bound.add(name)
            self.module.constants[name] = _SEVERAL

    def nonlocal_(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocals.update(node.names)

    def import_(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self.facts.imports.append((self.bind(alias.asname), alias.name, 0, ""))
            else:
                self.facts.imports.append((self.bind(alias.name.partition(".")[0]), alias.name, 0, "*"))

    def import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.facts.star_imports.append((node.module or "", node.level))
            else:
                target = self.bind(alias.asname or alias.name)
                self.facts.imports.append((target, node.module or "", node.level, alias.name))

    def assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.target(target, value, node.value)

    def annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.target(node.target, self.value(node.value), node.value)
        elif isinstance(node.target, ast.Name):
            self.bind(node.target.id)
        if self.scope.kind == "class" and isinstance(node.target, ast.Name):
            owner = self.facts.classes[self.scope.owner]
            owner.fields = (*owner.fields, node.target.id)

    def augmented(self, node: ast.AugAssign) -> None:
        value = self.value(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            whole = self.bind(target.id)
            if value >= 0:  # `xs += [f]`: the contents join
                inner = self.node()
                self.facts.elements.append((value, inner, ""))
                self.facts.puts.append((whole, inner, self.line, ""))
        elif isinstance(target, ast.Attribute) and value >= 0:
            whole, inner = self.attribute(target), self.node()
            self.facts.elements.append((value, inner, ""))
            self.facts.puts.append((whole, inner, self.line, ""))
        else:
            self.target(target, value, node.value)

    def target(self, target: ast.expr, value: int, expression: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            constant = expression.value if isinstance(expression, ast.Constant) else _SEVERAL
            self.bind(target.id, value, constant)
        elif isinstance(target, ast.Attribute):
            base = self.value(target.value)
            if base >= 0 and value >= 0:
                self.facts.stores.append((base, target.attr, value, target.lineno, self.scope.function))
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            self.value(target.slice)
            if base >= 0 and value >= 0:
                self.facts.puts.append((base, value, self.line, _key(target.slice)))
        elif isinstance(target, ast.Starred):
            self.target(target.value, value)
        elif isinstance(target, ast.Tuple | ast.List):
            same_shape = isinstance(expression, ast.Tuple | ast.List) and len(expression.elts) == len(target.elts)
            if same_shape and not any(isinstance(e, ast.Starred) for e in [*expression.elts, *target.elts]):  # type: ignore[union-attr]
                for inner, part in zip(target.elts, expression.elts, strict=True):  # type: ignore[union-attr]
                    self.target(inner, self.value(part), part)
                return
            for inner, element in zip(target.elts, self.unpack(target.elts, value), strict=True):
                self.target(inner, element)

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

    def return_(self, node: ast.Return) -> None:
        if node.value is not None:
            value = self.value(node.value)
            if self.scope.function >= 0:
                self.edge(value, self.facts.functions[self.scope.function].returns)

    def for_(self, node: ast.For | ast.AsyncFor) -> None:
        value = self.value(node.iter)
        self.forget(node.body)
        self.iterate(node.target, value)
        self.optional(node.body)
        self.optional(node.orelse)

    def iterate(self, target: ast.expr, value: int) -> None:
        element = -1
        if value >= 0:
            element = self.node()
            self.facts.elements.append((value, element, ""))
        self.target(target, element)

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.target(item.optional_vars, value)
        self.body(node.body)

    # definitions

    def function_def(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = [dotted(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
        applied = [self.value(decorator) for decorator in node.decorator_list]
        scope = self.scope
        kind = "method" if scope.kind == "class" else "top" if scope.kind == "module" else "function"
        last = {name.rpartition(".")[2] for name in decorators}
        binding = next((b for b in ("staticmethod", "classmethod", "property") if b in last), "")
        if not binding and last & {"cached_property", "setter", "lazy_property"}:
            binding = "property"
        if kind == "method" and not binding and node.name in ("__new__", "__init_subclass__", "__class_getitem__"):
            binding = "classmethod"
        index = self.function(node, kind, node.name, binding, "wraps" in last)
        holder = self.bind(node.name)
        self.facts.function_nodes[index] = holder
        self.decorate(applied, holder, node)

    def lambda_(self, node: ast.Lambda) -> int:
        index = self.function(node, "lambda", "<lambda>")
        return self.facts.function_nodes[index]

    def function(self, node: FunctionNode, kind: str, name: str, binding: str = "", wraps: bool = False) -> int:
        facts, outer = self.facts, self.scope
        arguments = node.args
        line = self.line
        defaults = [self.value(d) if d is not None else -1 for d in [*arguments.defaults, *arguments.kw_defaults]]
        qualname = f"{outer.qualname}.{name}" if outer.qualname else name
        spoken = "a lambda" if kind == "lambda" else f"`{qualname.replace('.<locals>', '')}()`"
        owner = outer.owner if kind == "method" else -1
        index = len(facts.functions)
        returns = self.node(f"returned by {spoken}", node.lineno)
        holder = self.node() if kind == "lambda" else -1
        parameters: list[Parameter] = []
        function = Function(kind, name, qualname, _position(node), (), returns, owner, binding, False, wraps)
        facts.functions.append(function)
        facts.function_nodes.append(holder)
        inner = "class" if kind == "method" else outer.kind
        self.scope = _Scope("function", f"{qualname}.<locals>", outer, index, owner if inner == "class" else -1)
        star = [(arguments.vararg, "*"), (arguments.kwarg, "**")]
        for argument, how in [
            *((a, "/") for a in arguments.posonlyargs),
            *((a, "") for a in arguments.args),
            *((a, "k") for a in arguments.kwonlyargs),
            *((a, how) for a, how in star if a is not None),
        ]:
            assert argument is not None
            self.scope.bound.add(argument.arg)
            value = self.scope.names[argument.arg] = self.node(
                f"parameter `{argument.arg}` of {spoken}", argument.lineno
            )
            parameters.append(Parameter(argument.arg, value, how))
        function.parameters = tuple(parameters)
        positional = [p for p in parameters if p.kind in ("", "/")]
        with_default = [
            *positional[len(positional) - len(arguments.defaults) :],
            *(p for p in parameters if p.kind == "k"),
        ]
        for parameter, default in zip(with_default, defaults, strict=False):
            self.edge(default, parameter.node)
        if isinstance(node, ast.Lambda):
            self.edge(self.value(node.body), returns)
        else:
            self.body(node.body)
        self.leave()
        self.line = line
        return index

    def class_def(self, node: ast.ClassDef) -> None:
        facts, outer = self.facts, self.scope
        applied = [self.value(decorator) for decorator in node.decorator_list]
        bases = tuple(self.value(base) for base in node.bases)
        for keyword in node.keywords:
            self.value(keyword.value)
        nested, scope = False, outer
        while scope.parent is not None:
            nested = nested or scope.kind == "function"
            scope = scope.parent
        qualname = f"{outer.qualname}.{node.name}" if outer.qualname else node.name
        index = len(facts.classes)
        made = Class(node.name, qualname, _position(node), bases, tuple(dotted(b) for b in node.bases), nested)
        facts.classes.append(made)
        facts.class_nodes.append(-1)
        self.scope = _Scope("class", qualname, outer, outer.function, index)
        self.body(node.body)
        body = self.scope
        made.members = {name: body.names[name] for name in body.bound if name in body.names}
        made.dropped = _dropped(node)
        self.scope.function = -1  # a class body captures nothing by itself
        self.leave()
        self.line = node.lineno
        facts.class_nodes[index] = self.bind(node.name)
        self.decorate(applied, facts.class_nodes[index], node)

    def decorate(self, decorators: Iterable[int], decorated: int, node: ast.stmt) -> None:
        """A decorator is called with what it decorates (a registry keeps it); what it gives counts as the same."""
        for decorator in decorators:
            if decorator >= 0:
                call = Call(
                    decorator, (decorated,), (), (), (), self.node(), _position(node), "", {}, self.scope.function
                )
                self.facts.calls.append(call)

    # expressions: each returns the node of its value, or -1

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
        if known == _DEAD:
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
        return self.merge([body, self.without(_not_callable(node.test), lambda: self.value(node.orelse))])

    def without(self, name: str, look: Callable[[], T]) -> T:
        """What `look` gives where `name` is known to hold no function."""
        if not name:
            return look()
        before = self.scope.current.get(name)
        self.scope.current[name] = _DEAD
        try:
            return look()
        finally:
            if before is None:
                self.scope.current.pop(name, None)
            else:
                self.scope.current[name] = before

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
            if isinstance(node, ast.Set) or len(values) > _MAX_PLACES or _starred(node.elts):
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
            self.value(key)
            name, number = _key(key), self.value(value)
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
        self.facts.elements.append((base, result, _key(node.slice)))
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
        self.scope = _Scope("comprehension", outer.qualname, outer, outer.function, outer.owner)
        for generator in node.generators:
            value, element = self.value(generator.iter), -1
            if value >= 0:
                element = self.node()
                self.facts.elements.append((value, element, ""))
            self.bind_inner(generator.target, element)
            for test in generator.ifs:
                self.value(test)
        if isinstance(node, ast.DictComp):
            self.value(node.key)
            result = self.container([self.value(node.value)], "dict")
        else:
            result = self.container(
                [self.value(node.elt)], "generator" if isinstance(node, ast.GeneratorExp) else "list"
            )
        self.scope.function = -1  # what it reads is read by the function around it
        self.leave()
        if isinstance(node, ast.GeneratorExp):
            self.facts.hazards.append((result, "generator", _position(node)))
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
        if callee < 0:
            return -1
        result = self.node("", node.lineno)
        text = dotted(function) or (function.attr if isinstance(function, ast.Attribute) else "")
        facts.calls.append(
            Call(
                callee, tuple(arguments), tuple(keywords), tuple(stars), tuple(double_stars), result, _position(node),
                text, literals, self.scope.function,
            )
        )  # fmt: skip
        if isinstance(function, ast.Attribute):
            if function.attr in _VIEW_METHODS and self.is_view(node, function):
                facts.hazards.append((result, "dict-view", _position(node)))
            if isinstance(function.value, ast.Name) and function.value.id == "self":
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
            scope: _Scope | None = self.scope
            while scope is not None and node.id not in scope.bound:
                scope = scope.parent
            constant = scope.constants.get(node.id, _SEVERAL) if scope is not None else _SEVERAL
            if constant is not _SEVERAL:
                literals[key] = constant

    # methods that run in the worker process

    def note_self_call(self, method: str) -> None:
        scope: _Scope | None = self.scope
        while scope is not None and scope.parent is not None and scope.parent.kind != "class":
            scope = scope.parent
        if scope is not None and scope.parent is not None:
            self.self_calls.setdefault((scope.parent.owner, method), set()).add(scope.function)

    def mark_worker_side(self) -> None:
        methods = {(f.owner, f.name): i for i, f in enumerate(self.facts.functions) if f.kind == "method"}
        inside = {index for (_, name), index in methods.items() if name in _WORKER_SIDE}
        changed = bool(inside)
        while changed:
            changed = False
            for key, callers in self.self_calls.items():
                index = methods.get(key, -1)
                if index >= 0 and index not in inside and key[1] != "__init__" and callers <= inside:
                    inside.add(index)
                    changed = True
        for index in inside:
            self.facts.functions[index].worker_side = True


def _key(node: ast.expr) -> str:
    """A literal string or index used as a key, else ""."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return node.value
        if isinstance(node.value, int) and not isinstance(node.value, bool) and 0 <= node.value < _MAX_PLACES:
            return f"#{node.value}"
    return ""


def _starred(elements: Iterable[ast.expr]) -> bool:
    return any(isinstance(element, ast.Starred) for element in elements)


def _not_callable(test: ast.expr) -> str:
    """The name that is no function where `test` is false: `callable(d)`, `isfunction(d)`; else ""."""
    if isinstance(test, ast.Call) and len(test.args) == 1 and isinstance(test.args[0], ast.Name):
        name = dotted(test.func).rpartition(".")[2]
        return test.args[0].id if name in ("callable", "isfunction", "is_lambda", "is_callable") else ""
    return ""


def _dropped(node: ast.ClassDef) -> frozenset[str] | None:
    """Attributes that `__getstate__` leaves out or replaces; None where pickling is customised beyond reading."""
    dropped: set[str] = set()
    for statement in node.body:
        if not isinstance(statement, ast.FunctionDef):
            continue
        if statement.name in ("__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__"):
            return None
        if statement.name != "__getstate__":
            continue
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Delete):
                targets: list[ast.expr] = inner.targets
            elif isinstance(inner, ast.Assign):
                targets = inner.targets
            elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "pop":
                dropped.update(
                    a.value for a in inner.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)
                )
                continue
            else:
                continue
            for target in targets:
                if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                    dropped.add(str(target.slice.value))
        if not dropped:
            return None
    return frozenset(dropped)
