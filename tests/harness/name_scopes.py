"""Which binding each name of a module means: a plain scope analysis, independent of the one that is tested."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension: the names that it binds, and the nodes that mean each of them."""

    node: ast.AST
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)  # declared global or nonlocal here
    parameters: set[str] = field(default_factory=set)
    other_bindings: set[str] = field(default_factory=set)  # bound by an import, a def, an except clause or a pattern
    nodes: dict[str, list[ast.Name | ast.arg]] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    def owner(self, name: str) -> Scope | None:
        """The scope whose `name` is meant by code directly in this one; None for a builtin."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if name in scope.bound and (first or not scope.is_class):
                return scope
            if name in scope.elsewhere:
                return scope.owner_of_declared(name)
            first, scope = False, scope.parent
        return None

    def owner_of_declared(self, name: str) -> Scope | None:
        """For a name that is declared global or nonlocal here."""
        scope = self.parent
        while scope is not None and not (name in scope.bound and not scope.is_class):
            scope = scope.parent
        return scope

    def function(self) -> Scope:
        """This scope, or that of the function around a comprehension (where `:=` binds)."""
        scope = self
        while isinstance(scope.node, Comprehension) and scope.parent is not None:
            scope = scope.parent
        return scope


class _Binder(ast.NodeVisitor):
    """First walk: makes the scopes and notes what they bind."""

    def __init__(self, module: ast.Module) -> None:
        self.scope = Scope(module, None)
        self.scopes: list[Scope] = [self.scope]
        self.of: dict[int, Scope] = {}  # id(node) -> the scope that the node stands in
        for statement in module.body:
            self.visit(statement)

    def visit(self, node: ast.AST) -> None:
        self.of[id(node)] = self.scope
        super().visit(node)

    def _inside(self, node: ast.AST, *inner: ast.AST) -> None:
        outer = self.scope
        self.scope = Scope(node, outer)
        self.scopes.append(self.scope)
        if isinstance(node, Function):
            spec = node.args
            every = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg))]
            for argument in every:
                self.of[id(argument)] = self.scope
                self.scope.bound.add(argument.arg)
                self.scope.parameters.add(argument.arg)
        for part in inner:
            self.visit(part)
        self.scope = outer

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind_other(node.name)
        for outer in (*node.decorator_list, node.args, *filter(None, (node.returns,))):
            self.visit(outer)
        self._inside(node, *node.body)

    visit_FunctionDef = visit_AsyncFunctionDef = _definition

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._inside(node, node.body)

    def visit_arg(self, node: ast.arg) -> None:
        if node.annotation is not None:
            self.visit(node.annotation)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind_other(node.name)
        for outer in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outer)
        self._inside(node, *node.body)

    def _comprehension(self, node: Comprehension) -> None:
        self.visit(node.generators[0].iter)
        values: list[ast.AST] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = [part for number, each in enumerate(node.generators) for part in _parts(each, number == 0)]
        self._inside(node, *inner, *values)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, (ast.Store, ast.Del)) and node.id not in self.scope.elsewhere:
            self.scope.bound.add(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        function = self.scope.function()
        self.of[id(node.target)] = function
        function.bound.add(node.target.id)

    def _bind_other(self, name: str) -> None:
        if name not in self.scope.elsewhere:
            self.scope.bound.add(name)
        self.scope.other_bindings.add(name)

    def visit_alias(self, node: ast.alias) -> None:
        self._bind_other(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind_other(node.name)
        self.generic_visit(node)

    def _pattern(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._bind_other(node.name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _pattern

    def _declared(self, node: ast.Global | ast.Nonlocal) -> None:
        self.scope.elsewhere |= {*node.names}
        if isinstance(node, ast.Global):
            self.scopes[0].bound |= {*node.names}
        for scope in self.scopes:  # the declaration names them as plain text
            scope.other_bindings |= {*node.names}

    visit_Global = visit_Nonlocal = _declared


def _parts(generator: ast.comprehension, first: bool) -> list[ast.AST]:
    return [generator.target, *([] if first else [generator.iter]), *generator.ifs]


def scopes_of(module: ast.Module) -> list[Scope]:
    """Every scope of `module`, the module's first, with the nodes that mean each of its names."""
    binder = _Binder(module)
    for node in ast.walk(module):
        if isinstance(node, (ast.Name, ast.arg)) and id(node) in binder.of:
            name = node.id if isinstance(node, ast.Name) else node.arg
            owner = binder.of[id(node)].owner(name)
            if owner is not None:
                owner.nodes.setdefault(name, []).append(node)
    return binder.scopes
