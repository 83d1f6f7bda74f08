"""One walk over a module that finds its scopes, as Python itself makes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .scope_data import Binding, Comprehension, FunctionNode, Kind, Scope, Use


class Builder:
    """What a walk over `module` finds: every scope by the node that opens it, every binding and every use."""

    def __init__(self, module: ast.Module) -> None:
        self.module = Scope(Kind.MODULE, module, None)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.inner: dict[ast.AST, Scope] = {module: self.module}  # what a node opens
        self.where: dict[ast.AST, Scope] = {module: self.module}  # where it is evaluated
        self.bound: list[Binding] = []
        self.uses: list[Use] = []
        for statement in module.body:
            self._visit(statement, self.module, module)

    def _bind(self, name: str, kind: str, node: ast.AST, statement: ast.AST, scope: Scope) -> None:
        self.bound.append(Binding(name, kind, node, statement, scope))

    def _visit(self, node: ast.AST | None, scope: Scope, parent: ast.AST, annotation: bool = False) -> None:
        if node is None:
            return
        self.parents[node] = parent
        self.where[node] = scope
        handler = getattr(self, f"_{type(node).__name__}", None)
        if handler is not None:
            handler(node, scope, annotation)
        else:
            self._children(node, scope, annotation)

    def _children(self, node: ast.AST, scope: Scope, annotation: bool = False) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child, scope, node, annotation)

    # names
    def _Name(self, node: ast.Name, scope: Scope, annotation: bool) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.append(Use(node.id, node, scope, annotation))
            return
        kind, statement = "del" if isinstance(node.ctx, ast.Del) else "assign", self._completing(node)
        if kind == "assign":
            if isinstance(statement, ast.AugAssign):
                kind = "aug"
                self.uses.append(Use(node.id, node, scope, annotation))
            elif isinstance(statement, ast.AnnAssign) and statement.value is None:
                kind = "declare"
            elif isinstance(statement, (ast.For, ast.AsyncFor, ast.comprehension)):
                kind = "for"
            elif isinstance(statement, ast.withitem):
                kind = "with"
        self._bind(node.id, kind, node, statement, scope)

    def _ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        at = self.parents.get(node)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def _completing(self, node: ast.AST) -> ast.AST:
        for above in self._ancestors(node):
            if isinstance(above, (ast.stmt, ast.comprehension, ast.withitem)):
                return above
        return node

    def _NamedExpr(self, node: ast.NamedExpr, scope: Scope, annotation: bool) -> None:
        self._visit(node.value, scope, node, annotation)
        self.parents[node.target] = node
        target = scope
        while target.kind is Kind.COMPREHENSION and target.parent is not None:
            target = target.parent
        self._bind(node.target.id, "walrus", node, node, target)

    def _Global(self, node: ast.Global, scope: Scope, annotation: bool) -> None:
        scope.globals.update(node.names)

    def _Nonlocal(self, node: ast.Nonlocal, scope: Scope, annotation: bool) -> None:
        scope.nonlocals.update(node.names)

    def _Import(self, node: ast.Import, scope: Scope, annotation: bool) -> None:
        for alias in node.names:
            self.parents[alias] = node
            self._bind(alias.asname or alias.name.partition(".")[0], "import", alias, node, scope)

    def _ImportFrom(self, node: ast.ImportFrom, scope: Scope, annotation: bool) -> None:
        for alias in node.names:
            self.parents[alias] = node
            if alias.name == "*":
                scope.stars.append(node)
            else:
                self._bind(alias.asname or alias.name, "import", alias, node, scope)

    def _ExceptHandler(self, node: ast.ExceptHandler, scope: Scope, annotation: bool) -> None:
        if node.name:
            self._bind(node.name, "except", node, node, scope)
        self._children(node, scope)

    def _MatchAs(self, node: ast.MatchAs, scope: Scope, annotation: bool) -> None:
        if node.name:
            self._bind(node.name, "match", node, node, scope)
        self._children(node, scope)

    def _MatchStar(self, node: ast.MatchStar, scope: Scope, annotation: bool) -> None:
        if node.name:
            self._bind(node.name, "match", node, node, scope)

    def _MatchMapping(self, node: ast.MatchMapping, scope: Scope, annotation: bool) -> None:
        if node.rest:
            self._bind(node.rest, "match", node, node, scope)
        self._children(node, scope)

    # evaluation order matters for nothing here but annotations
    def _AnnAssign(self, node: ast.AnnAssign, scope: Scope, annotation: bool) -> None:
        self._visit(node.value, scope, node)
        self._visit(node.target, scope, node)
        self._visit(node.annotation, scope, node, True)

    # scopes
    def _open(self, kind: Kind, node: ast.AST, scope: Scope) -> Scope:
        inner = Scope(kind, node, scope)
        self.inner[node] = inner
        return inner

    def _arguments_outside(self, node: ast.arguments, scope: Scope, parent: ast.AST) -> None:
        self.parents[node] = parent
        self.where[node] = scope
        for default in [*node.defaults, *node.kw_defaults]:
            self._visit(default, scope, node)

    def _parameters(self, node: ast.arguments, outer: Scope, inner: Scope, owner: ast.AST) -> None:
        every = [*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg]
        for argument in every:
            if argument is not None:
                self.parents[argument] = node
                self.where[argument] = outer
                self._visit(argument.annotation, outer, argument, True)
                self._bind(argument.arg, "param", argument, owner, inner)

    def _function(self, node: FunctionNode, scope: Scope, annotation: bool) -> None:
        for decorator in node.decorator_list:
            self._visit(decorator, scope, node)
        self._bind(node.name, "def", node, node, scope)
        inner = self._open(Kind.FUNCTION, node, scope)
        self._type_parameters(node, inner)
        self._arguments_outside(node.args, scope, node)
        self._parameters(node.args, scope, inner, node)
        self._visit(node.returns, scope, node, True)
        for statement in node.body:
            self._visit(statement, inner, node)

    _FunctionDef = _AsyncFunctionDef = _function

    def _type_parameters(self, node: ast.AST, inner: Scope) -> None:
        for parameter in getattr(node, "type_params", []):  # Python 3.12
            self.parents[parameter] = node
            self._bind(parameter.name, "param", parameter, node, inner)

    def _Lambda(self, node: ast.Lambda, scope: Scope, annotation: bool) -> None:
        inner = self._open(Kind.LAMBDA, node, scope)
        self._arguments_outside(node.args, scope, node)
        self._parameters(node.args, scope, inner, node)
        self._visit(node.body, inner, node)

    def _ClassDef(self, node: ast.ClassDef, scope: Scope, annotation: bool) -> None:
        for outside in [*node.decorator_list, *node.bases, *node.keywords]:
            self._visit(outside, scope, node)
        self._bind(node.name, "class", node, node, scope)
        inner = self._open(Kind.CLASS, node, scope)
        self._type_parameters(node, inner)
        for statement in node.body:
            self._visit(statement, inner, node)

    def _comprehension(self, node: Comprehension, scope: Scope, annotation: bool) -> None:
        inner = self._open(Kind.COMPREHENSION, node, scope)
        for index, generator in enumerate(node.generators):
            self.parents[generator] = node
            self.where[generator] = inner
            self._visit(generator.iter, inner if index else scope, generator)
            self._visit(generator.target, inner, generator)
            for test in generator.ifs:
                self._visit(test, inner, generator)
        if isinstance(node, ast.DictComp):
            self._visit(node.key, inner, node)
            self._visit(node.value, inner, node)
        else:
            self._visit(node.elt, inner, node)

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension
