"""The one `ast` pass: a syntax tree in, `FileFacts` out.

Variables are one node per scope and name; straight-line code sees the last binding. A name is looked up when its
scope ends, when all that the scope binds is known; so one pass is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from ...syntax.names import dotted
from .expressions import Expressions, FunctionNode
from .records import Call, Class, FileFacts, Function, Parameter
from .scope import DEAD, SEVERAL, Scope
from .syntax import (
    dropped_attributes,
    is_record,
    literal_key,
    not_callable,
    position,
)

# Methods that workers call on what they were sent: datasets; collate functions and transforms
_WORKER_SIDE = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__", "__call__"})


def facts_of(path: str, tree: ast.Module) -> FileFacts:
    """Facts of one file. `tree` is not changed."""
    return _Collector(path).run(tree)


class _Collector(Expressions):
    def __init__(self, path: str) -> None:
        super().__init__(path)
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

    def optional(self, statements: Sequence[ast.stmt]) -> None:
        """A block that may be left out, or run again."""
        before = dict(self.scope.current)
        self.body(statements)
        self.scope.current = {name: node for name, node in before.items() if self.scope.current.get(name) == node}

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
        no_function = not_callable(node.test)
        self.without(no_function, lambda: self.optional(node.orelse))
        if no_function and isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue):
            self.scope.current[no_function] = DEAD

    def try_(self, node: ast.Try) -> None:
        self.forget(node.body)
        self.optional(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                self.distinguish(self.value(handler.type), "named by `except`", handler.lineno)
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
            self.module.constants[name] = SEVERAL

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
            self.sets_attribute(target, self.value(target.value))
            self.facts.elements.append((value, inner, ""))
            self.facts.puts.append((whole, inner, self.line, ""))
        else:
            self.target(target, value, node.value)

    def target(self, target: ast.expr, value: int, expression: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            constant = expression.value if isinstance(expression, ast.Constant) else SEVERAL
            self.bind(target.id, value, constant)
        elif isinstance(target, ast.Attribute):
            base = self.value(target.value)
            self.sets_attribute(target, base)
            if base >= 0 and value >= 0:
                self.facts.stores.append((base, target.attr, value, target.lineno, self.scope.function))
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            self.distinguish(self.value(target.slice), "a key of a dict", target.lineno)
            if base >= 0 and value >= 0:
                self.facts.puts.append((base, value, self.line, literal_key(target.slice)))
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

    def sets_attribute(self, target: ast.Attribute, base: int) -> None:
        """Note that an object gets an attribute; what a method sets on its own object says nothing of functions."""
        if not (isinstance(target.value, ast.Name) and target.value.id == "self"):
            self.distinguish(base, f"given the attribute `{target.attr}`", target.lineno)

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
        self.facts.functions[index].raises = isinstance(node.body[-1], ast.Raise) and len(node.body) <= 2
        holder = self.bind(node.name)
        self.facts.function_nodes[index] = holder
        self.decorate(applied, holder, node)

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
        function = Function(kind, name, qualname, position(node), (), returns, owner, binding, False, wraps)
        facts.functions.append(function)
        facts.function_nodes.append(holder)
        inner = "class" if kind == "method" else outer.kind
        self.scope = Scope("function", f"{qualname}.<locals>", outer, index, owner if inner == "class" else -1)
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
            module = argument.annotation is not None and dotted(argument.annotation) in ("nn.Module", "torch.nn.Module")
            parameters.append(Parameter(argument.arg, value, how, module and not how.startswith("*")))
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
        made = Class(node.name, qualname, position(node), bases, tuple(dotted(b) for b in node.bases), nested)
        facts.classes.append(made)
        facts.class_nodes.append(-1)
        self.scope = Scope("class", qualname, outer, outer.function, index)
        self.body(node.body)
        body = self.scope
        made.members = {name: body.names[name] for name in body.bound if name in body.names}
        made.dropped = dropped_attributes(node)
        made.record = is_record(node)
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
                    decorator, (decorated,), (), (), (), self.node(), position(node), "", {}, self.scope.function
                )
                self.facts.calls.append(call)

    def mark_worker_side(self) -> None:
        methods = {(f.owner, f.name): i for i, f in enumerate(self.facts.functions) if f.kind == "method"}
        processes = {
            owner
            for owner, made in enumerate(self.facts.classes)
            if any(base.endswith("Process") for base in made.base_names)
        }
        inside = {
            index
            for (owner, name), index in methods.items()
            if name in _WORKER_SIDE or (name == "run" and owner in processes)
        }
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
