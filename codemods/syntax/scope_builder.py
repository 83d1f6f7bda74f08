"""One walk over a module that finds its scopes, as Python itself makes them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..nodes import children
from .binding_rules import BindingKind, Comprehension, FunctionNode, ScopeKind, bound_name
from .scope_data import Binding, Scope, Use


class Builder:
    """What a walk over `module` finds: every scope by the node that opens it, every binding and every use."""

    def __init__(self, module: ast.Module, parents: Mapping[ast.AST, ast.AST]) -> None:
        self.module = Scope(ScopeKind.MODULE, module, None)
        self.parents = parents
        self.inner: dict[ast.AST, Scope] = {module: self.module}  # what a node opens
        self.where: dict[ast.AST, Scope] = {module: self.module}  # where it is evaluated
        self.bound: list[Binding] = []
        self.uses: list[Use] = []
        for statement in module.body:
            self._visit(statement, self.module)

    def _bind(self, kind: BindingKind, node: ast.AST, statement: ast.AST, scope: Scope) -> None:
        name = bound_name(node)
        if name is not None:
            self.bound.append(Binding(name, kind, node, statement, scope))

    def _visit(self, node: ast.AST | None, scope: Scope, annotation: bool = False) -> None:
        if node is None:
            return
        self.where[node] = scope
        handler = getattr(self, f"_{type(node).__name__}", None)
        if handler is not None:
            handler(node, scope, annotation)
        else:
            self._children(node, scope, annotation)

    def _children(self, node: ast.AST, scope: Scope, annotation: bool = False) -> None:
        for child in children(node):
            self._visit(child, scope, annotation)

    # names
    def _Name(self, node: ast.Name, scope: Scope, annotation: bool) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.append(Use(node.id, node, scope, annotation))
            return
        statement = self._completing(node)
        kind = _kind_of_target(node, statement)
        if kind is BindingKind.AUGMENTED:
            self.uses.append(Use(node.id, node, scope, annotation))
        self._bind(kind, node, statement, scope)

    def _completing(self, node: ast.AST) -> ast.AST:
        at = self.parents.get(node)
        while at is not None and not isinstance(at, (ast.stmt, ast.comprehension, ast.withitem)):
            at = self.parents.get(at)
        return node if at is None else at

    def _NamedExpr(self, node: ast.NamedExpr, scope: Scope, annotation: bool) -> None:
        self._visit(node.value, scope, annotation)
        target = scope
        while target.kind is ScopeKind.COMPREHENSION and target.parent is not None:
            target = target.parent
        self.bound.append(Binding(node.target.id, BindingKind.WALRUS, node, node, target))

    def _Global(self, node: ast.Global, scope: Scope, annotation: bool) -> None:
        scope.globals.update(node.names)

    def _Nonlocal(self, node: ast.Nonlocal, scope: Scope, annotation: bool) -> None:
        scope.nonlocals.update(node.names)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope, annotation: bool) -> None:
        for alias in node.names:
            if alias.name == "*" and isinstance(node, ast.ImportFrom):
                scope.stars.append(node)
            else:
                self._bind(BindingKind.IMPORT, alias, node, scope)

    _Import = _ImportFrom = _import

    def _ExceptHandler(self, node: ast.ExceptHandler, scope: Scope, annotation: bool) -> None:
        self._bind(BindingKind.EXCEPT, node, node, scope)
        self._children(node, scope)

    def _capture(self, node: ast.AST, scope: Scope, annotation: bool) -> None:
        self._bind(BindingKind.MATCH, node, node, scope)
        self._children(node, scope)

    _MatchAs = _MatchStar = _MatchMapping = _capture

    # evaluation order matters for nothing here but annotations
    def _AnnAssign(self, node: ast.AnnAssign, scope: Scope, annotation: bool) -> None:
        self._visit(node.value, scope)
        self._visit(node.target, scope)
        self._visit(node.annotation, scope, True)

    # scopes
    def _open(self, kind: ScopeKind, node: ast.AST, scope: Scope) -> Scope:
        inner = Scope(kind, node, scope)
        self.inner[node] = inner
        return inner

    def _arguments_outside(self, node: ast.arguments, scope: Scope) -> None:
        self.where[node] = scope
        for default in [*node.defaults, *node.kw_defaults]:
            self._visit(default, scope)

    def _parameters(self, node: ast.arguments, outer: Scope, inner: Scope, owner: ast.AST) -> None:
        every = [*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg]
        for argument in every:
            if argument is not None:
                self.where[argument] = outer
                self._visit(argument.annotation, outer, True)
                self._bind(BindingKind.PARAMETER, argument, owner, inner)

    def _function(self, node: FunctionNode, scope: Scope, annotation: bool) -> None:
        for decorator in node.decorator_list:
            self._visit(decorator, scope)
        self._bind(BindingKind.FUNCTION, node, node, scope)
        inner = self._open(ScopeKind.FUNCTION, node, scope)
        self._type_parameters(node, inner)
        self._arguments_outside(node.args, scope)
        self._parameters(node.args, scope, inner, node)
        self._visit(node.returns, scope, True)
        for statement in node.body:
            self._visit(statement, inner)

    _FunctionDef = _AsyncFunctionDef = _function

    def _type_parameters(self, node: ast.AST, inner: Scope) -> None:
        for parameter in getattr(node, "type_params", []):  # Python 3.12
            self.bound.append(Binding(parameter.name, BindingKind.PARAMETER, parameter, node, inner))

    def _Lambda(self, node: ast.Lambda, scope: Scope, annotation: bool) -> None:
        inner = self._open(ScopeKind.LAMBDA, node, scope)
        self._arguments_outside(node.args, scope)
        self._parameters(node.args, scope, inner, node)
        self._visit(node.body, inner)

    def _ClassDef(self, node: ast.ClassDef, scope: Scope, annotation: bool) -> None:
        for outside in [*node.decorator_list, *node.bases, *node.keywords]:
            self._visit(outside, scope)
        self._bind(BindingKind.CLASS, node, node, scope)
        inner = self._open(ScopeKind.CLASS, node, scope)
        self._type_parameters(node, inner)
        for statement in node.body:
            self._visit(statement, inner)

    def _comprehension(self, node: Comprehension, scope: Scope, annotation: bool) -> None:
        inner = self._open(ScopeKind.COMPREHENSION, node, scope)
        for index, generator in enumerate(node.generators):
            self.where[generator] = inner
            self._visit(generator.iter, inner if index else scope)
            self._visit(generator.target, inner)
            for test in generator.ifs:
                self._visit(test, inner)
        if isinstance(node, ast.DictComp):
            self._visit(node.key, inner)
            self._visit(node.value, inner)
        else:
            self._visit(node.elt, inner)

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension


def _kind_of_target(node: ast.Name, statement: ast.AST) -> BindingKind:
    """How `statement` binds the name that it stores to or deletes."""
    if isinstance(node.ctx, ast.Del):
        return BindingKind.DELETION
    if isinstance(statement, ast.AugAssign):
        return BindingKind.AUGMENTED
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return BindingKind.DECLARATION
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.comprehension)):
        return BindingKind.LOOP
    return BindingKind.WITH if isinstance(statement, ast.withitem) else BindingKind.ASSIGNMENT
