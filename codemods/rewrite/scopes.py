"""Who binds a name and who reads it: scopes of one file over the stdlib `ast`, as Python itself resolves them.

    scopes = Scopes(module)
    scopes.captures(lambda_node)     # variables of enclosing functions that its body reads, in order of first use
    scopes.why_not_once(variable, lambda_node)   # None, or why a copy taken there could differ from the variable later

Positions are `ast` positions: (line 1-based, column 0-based in UTF-8 bytes).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from .definite import binds, blocks, header_binds, pattern_binds, target_binds

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
Comprehension: TypeAlias = "ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp"
Position: TypeAlias = "tuple[int, int]"

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__package__", "__spec__", "__loader__"}


class Kind(Enum):
    """What opened a scope."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    LAMBDA = "lambda"
    COMPREHENSION = "comprehension"


@dataclass(eq=False)
class Scope:
    """One namespace. `bindings` holds what is bound here, also from inner scopes through `global` and `nonlocal`."""

    kind: Kind
    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    uses: dict[str, list[Use]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    stars: list[ast.ImportFrom] = field(default_factory=list)

    @property
    def is_local(self) -> bool:
        """True for scopes whose names inner functions capture."""
        return self.kind in (Kind.FUNCTION, Kind.LAMBDA, Kind.COMPREHENSION)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, in order."""
        return [name for name, found in self.bindings.items() if any(each.kind == "param" for each in found)]


@dataclass(eq=False)
class Binding:
    """One place that binds (or deletes) a name.

    `kind`: param, assign, aug, declare (annotation without value), for, with, except, import, def, class, walrus,
    match, del. `node` is the smallest node, `statement` what completes it; `by` is the scope that runs it, which is not
    the owner under `global` and `nonlocal`.
    """

    name: str
    kind: str
    node: ast.AST
    statement: ast.AST
    by: Scope

    @property
    def line(self) -> int:
        """Line of the binding."""
        return line_of(self.node)

    @property
    def done(self) -> Position:
        """Where the name has its value: the end of an assignment, the target of a loop, the start of a function."""
        if self.kind == "param":
            return start_of(self.statement)
        if self.kind in ("for", "except", "with", "match"):
            return end_of(self.node) if self.kind != "except" else start_of(self.node)
        return end_of(self.statement)


@dataclass(eq=False)
class Use:
    """One read of a name by `node` (a Name, or an AugAssign that reads its target) in `scope`."""

    name: str
    node: ast.Name
    scope: Scope
    annotation: bool


@dataclass(frozen=True)
class Variable:
    """A name in the scope that owns it. Scopes compare by identity."""

    scope: Scope
    name: str

    @property
    def bindings(self) -> list[Binding]:
        """Every place that binds it, in source order."""
        return sorted(self.scope.bindings.get(self.name, []), key=lambda each: start_of(each.node))


def start_of(node: ast.AST) -> Position:
    """Where the node begins, as `ast` says."""
    return (getattr(node, "lineno", 1), getattr(node, "col_offset", 0))


def end_of(node: ast.AST) -> Position:
    """Where the node ends, as `ast` says."""
    return (getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0))


def line_of(node: ast.AST) -> int:
    """First line of the node."""
    return start_of(node)[0]


def is_main_guard(node: ast.AST) -> bool:
    """True for `if __name__ == "__main__":`, either way round."""
    if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1):
        return False
    sides = [node.test.left, node.test.comparators[0]]
    names = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    mains = any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)
    return names and mains and isinstance(node.test.ops[0], ast.Eq)


class Scopes:
    """The scopes of one module."""

    def __init__(self, module: ast.Module) -> None:
        self.tree = module
        self.module = Scope(Kind.MODULE, module, None)
        self.parents: dict[ast.AST, ast.AST] = {}
        self._inner: dict[ast.AST, Scope] = {module: self.module}
        self._where: dict[ast.AST, Scope] = {module: self.module}
        builder = _Builder(self)
        builder.block(module.body, self.module)
        self.uses: list[Use] = builder.uses
        self._settle(builder.bound)

    def _settle(self, bound: list[Binding]) -> None:
        for binding in bound:
            if binding.name in binding.by.globals:
                self.module.bindings.setdefault(binding.name, []).append(binding)
            elif binding.name not in binding.by.nonlocals:
                binding.by.bindings.setdefault(binding.name, []).append(binding)
        for binding in bound:
            if binding.name in binding.by.nonlocals and binding.name not in binding.by.globals:
                owner = self.owner(binding.by, binding.name)
                if owner is not None:
                    owner.bindings.setdefault(binding.name, []).append(binding)
        for use in self.uses:
            owner = self.owner(use.scope, use.name) or self.module  # builtins and unknown names are looked up there
            owner.uses.setdefault(use.name, []).append(use)

    def inner(self, node: ast.AST) -> Scope:
        """The scope that a function, lambda, class, comprehension or module opens."""
        return self._inner[node]

    def around(self, node: ast.AST) -> Scope:
        """The scope in which the node is evaluated."""
        at: ast.AST | None = node
        while at is not None:
            if at in self._where:
                return self._where[at]
            at = self.parents.get(at)
        return self.module

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Parents of the node, innermost first, up to the module."""
        at = self.parents.get(node)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def owner(self, scope: Scope, name: str) -> Scope | None:
        """The scope whose variable `name` means inside `scope`; None for builtins and names nobody binds."""
        at: Scope | None = scope
        while at is not None:
            if name in at.globals:
                return self.module
            if at.kind is Kind.MODULE:
                return at if name in at.bindings else None
            if name in at.bindings and name not in at.nonlocals and (at is scope or at.kind is not Kind.CLASS):
                return at
            at = at.parent
        return None

    def uses_within(self, roots: Iterable[ast.AST]) -> list[Use]:
        """Reads inside the given subtrees, in source order."""
        inside = {id(node) for root in roots for node in ast.walk(root)}
        return [use for use in self.uses if id(use.node) in inside]

    def is_inside(self, scope: Scope | None, node: ast.AST) -> bool:
        """True when `scope` is opened by `node` or by something inside it."""
        inner = self._inner.get(node)
        while scope is not None:
            if scope is inner:
                return True
            scope = scope.parent
        return False

    def captures(self, node: ast.AST) -> dict[Variable, list[Use]]:
        """Variables of enclosing functions and comprehensions that the node's own scope reads, in order of first use.

        `node` opens a scope (function, lambda or class). Defaults, decorators and bases are evaluated outside it: see
        `header_uses`.
        """
        found: dict[Variable, list[Use]] = {}
        for use in self.body_uses(node):
            owner = self.owner(use.scope, use.name)
            if owner is not None and owner.is_local and not self.is_inside(owner, node):
                found.setdefault(Variable(owner, use.name), []).append(use)
        return found

    def body_uses(self, node: ast.AST) -> list[Use]:
        """Reads that happen inside the scope that the node opens."""
        return [use for use in self.uses_within([node]) if self.is_inside(use.scope, node)]

    def header_uses(self, node: ast.AST) -> list[Use]:
        """Reads that happen where the node stands: defaults, decorators, annotations, bases."""
        return [use for use in self.uses_within([node]) if not self.is_inside(use.scope, node)]

    def why_not_once(self, variable: Variable, creation: ast.AST) -> str | None:
        """None when `variable` keeps, from `creation` on, the value that it has there; else the reason, in words."""
        name, scope = variable.name, variable.scope
        if scope.kind is Kind.COMPREHENSION:
            return f"`{name}` is a loop variable (line {variable.bindings[0].line}): pass its value as an argument"
        anchor = self.anchor(creation, scope)
        for binding in variable.bindings:
            if binding.kind == "declare":
                continue
            if binding.by is not scope:
                return f"`{name}` is re-bound from another function (line {binding.line}): keep it in an object instead"
            if binding.kind in ("del", "except"):
                return f"`{name}` is deleted again (line {binding.line}): give the value another name"
            if self._shared_loop(binding, anchor, scope):
                what = "is a loop variable" if binding.kind == "for" else "is bound anew in each round of a loop"
                return f"`{name}` {what} (line {binding.line}): pass its value as an argument"
            if binding.done > start_of(anchor):
                what = "re-bound" if binding is not variable.bindings[0] else "bound only later,"
                return f"`{name}` is {what} at line {binding.line}: pass it as an argument"
        if not self.is_surely_bound(variable, anchor):
            return f"`{name}` may be unbound where the function is made: bind it on every path"
        return None

    def is_loop_variable(self, variable: Variable, creation: ast.AST) -> bool:
        """True when all that speaks against a copy taken at `creation` is that the next round of a loop binds anew."""
        scope = variable.scope
        if scope.kind is Kind.COMPREHENSION:
            return True
        anchor = self.anchor(creation, scope)
        bound = [each for each in variable.bindings if each.kind != "declare"]
        return (
            all(
                each.by is scope and each.kind not in ("del", "except") and each.done <= start_of(anchor)
                for each in bound
            )
            and any(self._shared_loop(each, anchor, scope) for each in bound)
            and self.is_surely_bound(variable, anchor)
        )

    def anchor(self, node: ast.AST, scope: Scope) -> ast.AST:
        """`node`, or the function or class around it that stands directly in `scope`."""
        at = node
        while self.around(at) is not scope:
            above = self.around(at)
            if above.parent is None:
                return at
            at = above.node
        return at

    def _shared_loop(self, binding: Binding, anchor: ast.AST, scope: Scope) -> bool:
        return bool(self.loops_around(anchor, scope) & self.loops_around(binding.node, scope))

    def loops_around(self, node: ast.AST, scope: Scope) -> set[ast.AST]:
        """Loops inside `scope` that evaluate the node again and again."""
        found: set[ast.AST] = set()
        below = node
        for above in self.ancestors(node):
            if above is scope.node:
                break
            if isinstance(above, LOOPS):
                once = above.orelse if isinstance(above, ast.While) else [*above.orelse, above.iter]
                if below not in once:
                    found.add(above)
            below = above
        return found

    def is_surely_bound(self, variable: Variable, anchor: ast.AST) -> bool:
        """True when every path to `anchor` (in the variable's own scope) has bound the variable."""
        name, scope = variable.name, variable.scope
        if any(binding.kind == "param" for binding in variable.bindings):
            return True
        below = anchor
        for above in self.ancestors(anchor):
            for block in blocks(above):
                if below in block and binds(block[: block.index(below)], name):
                    return True
            if isinstance(above, (ast.For, ast.AsyncFor)) and below in above.body and target_binds(above.target, name):
                return True
            if isinstance(above, (ast.With, ast.AsyncWith)) and below in above.body and header_binds(above, name):
                return True
            if isinstance(above, ast.match_case) and below in above.body and pattern_binds(above.pattern, name):
                return True
            if above is scope.node:
                break
            below = above
        return False

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that the node is or belongs to."""
        at = node
        while not isinstance(at, ast.stmt):
            at = self.parents[at]
        return at

    def top_statement(self, node: ast.AST) -> ast.stmt:
        """The statement of the module's own body that holds the node."""
        at = node
        for above in self.ancestors(node):
            if isinstance(above, ast.Module):
                break
            at = above
        assert isinstance(at, ast.stmt)
        return at

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that holds the statement."""
        return next(block for block in blocks(self.parents[statement]) if statement in block)

    def under_guard(self, node: ast.AST) -> bool:
        """True for nodes inside `if __name__ == "__main__":` itself (not its else)."""
        below = node
        for above in self.ancestors(node):
            if is_main_guard(above) and isinstance(above, ast.If) and below in above.body:
                return True
            below = above
        return False

    def method_self(self, node: ast.AST) -> tuple[Scope, str, ast.ClassDef] | None:
        """The nearest enclosing method's scope, its first parameter and its class; None outside methods.

        Static and class methods have no `self`, nor has one that re-binds the parameter.
        """
        scope: Scope | None = self.around(node)
        while scope is not None:
            parent = scope.parent
            if isinstance(scope.node, FUNCTIONS) and parent is not None and isinstance(parent.node, ast.ClassDef):
                parameters = [*scope.node.args.posonlyargs, *scope.node.args.args]
                decorators = {ast.unparse(each).rpartition(".")[2] for each in scope.node.decorator_list}
                if not parameters or decorators & {"staticmethod", "classmethod"} or scope.node.name == "__new__":
                    return None
                name = parameters[0].arg
                return (scope, name, parent.node) if len(scope.bindings[name]) == 1 else None
            scope = parent
        return None


class _Builder:
    """One walk over the module: fills scopes' declarations, lists every binding and every use."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.bound: list[Binding] = []
        self.uses: list[Use] = []

    def block(self, statements: Iterable[ast.AST], scope: Scope) -> None:
        for statement in statements:
            self.visit(statement, scope, self.scopes.parents.get(statement) or scope.node)

    def bind(self, name: str, kind: str, node: ast.AST, statement: ast.AST, scope: Scope) -> None:
        self.bound.append(Binding(name, kind, node, statement, scope))

    def visit(self, node: ast.AST | None, scope: Scope, parent: ast.AST, annotation: bool = False) -> None:
        if node is None:
            return
        self.scopes.parents[node] = parent
        self.scopes._where[node] = scope
        handler = getattr(self, f"_{type(node).__name__}", None)
        if handler is not None:
            handler(node, scope, annotation)
        else:
            self.children(node, scope, annotation)

    def children(self, node: ast.AST, scope: Scope, annotation: bool = False) -> None:
        for child in ast.iter_child_nodes(node):
            self.visit(child, scope, node, annotation)

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
        self.bind(node.id, kind, node, statement, scope)

    def _completing(self, node: ast.AST) -> ast.AST:
        for above in self.scopes.ancestors(node):
            if isinstance(above, (ast.stmt, ast.comprehension, ast.withitem)):
                return above
        return node

    def _NamedExpr(self, node: ast.NamedExpr, scope: Scope, annotation: bool) -> None:
        self.visit(node.value, scope, node, annotation)
        self.scopes.parents[node.target] = node
        target = scope
        while target.kind is Kind.COMPREHENSION and target.parent is not None:
            target = target.parent
        self.bind(node.target.id, "walrus", node, node, target)

    def _Global(self, node: ast.Global, scope: Scope, annotation: bool) -> None:
        scope.globals.update(node.names)

    def _Nonlocal(self, node: ast.Nonlocal, scope: Scope, annotation: bool) -> None:
        scope.nonlocals.update(node.names)

    def _Import(self, node: ast.Import, scope: Scope, annotation: bool) -> None:
        for alias in node.names:
            self.scopes.parents[alias] = node
            self.bind(alias.asname or alias.name.partition(".")[0], "import", alias, node, scope)

    def _ImportFrom(self, node: ast.ImportFrom, scope: Scope, annotation: bool) -> None:
        for alias in node.names:
            self.scopes.parents[alias] = node
            if alias.name == "*":
                scope.stars.append(node)
            else:
                self.bind(alias.asname or alias.name, "import", alias, node, scope)

    def _ExceptHandler(self, node: ast.ExceptHandler, scope: Scope, annotation: bool) -> None:
        if node.name:
            self.bind(node.name, "except", node, node, scope)
        self.children(node, scope)

    def _MatchAs(self, node: ast.MatchAs, scope: Scope, annotation: bool) -> None:
        if node.name:
            self.bind(node.name, "match", node, node, scope)
        self.children(node, scope)

    def _MatchStar(self, node: ast.MatchStar, scope: Scope, annotation: bool) -> None:
        if node.name:
            self.bind(node.name, "match", node, node, scope)

    def _MatchMapping(self, node: ast.MatchMapping, scope: Scope, annotation: bool) -> None:
        if node.rest:
            self.bind(node.rest, "match", node, node, scope)
        self.children(node, scope)

    # evaluation order matters for nothing here but annotations
    def _AnnAssign(self, node: ast.AnnAssign, scope: Scope, annotation: bool) -> None:
        self.visit(node.value, scope, node)
        self.visit(node.target, scope, node)
        self.visit(node.annotation, scope, node, True)

    # scopes
    def _open(self, kind: Kind, node: ast.AST, scope: Scope) -> Scope:
        inner = Scope(kind, node, scope)
        self.scopes._inner[node] = inner
        return inner

    def _arguments_outside(self, node: ast.arguments, scope: Scope, parent: ast.AST) -> None:
        self.scopes.parents[node] = parent
        self.scopes._where[node] = scope
        for default in [*node.defaults, *node.kw_defaults]:
            self.visit(default, scope, node)

    def _parameters(self, node: ast.arguments, outer: Scope, inner: Scope, owner: ast.AST) -> None:
        every = [*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg]
        for argument in every:
            if argument is not None:
                self.scopes.parents[argument] = node
                self.scopes._where[argument] = outer
                self.visit(argument.annotation, outer, argument, True)
                self.bind(argument.arg, "param", argument, owner, inner)

    def _function(self, node: FunctionNode, scope: Scope, annotation: bool) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator, scope, node)
        self.bind(node.name, "def", node, node, scope)
        inner = self._open(Kind.FUNCTION, node, scope)
        self._type_parameters(node, inner)
        self._arguments_outside(node.args, scope, node)
        self._parameters(node.args, scope, inner, node)
        self.visit(node.returns, scope, node, True)
        for statement in node.body:
            self.visit(statement, inner, node)

    _FunctionDef = _AsyncFunctionDef = _function

    def _type_parameters(self, node: ast.AST, inner: Scope) -> None:
        for parameter in getattr(node, "type_params", []):  # Python 3.12
            self.scopes.parents[parameter] = node
            self.bind(parameter.name, "param", parameter, node, inner)

    def _Lambda(self, node: ast.Lambda, scope: Scope, annotation: bool) -> None:
        inner = self._open(Kind.LAMBDA, node, scope)
        self._arguments_outside(node.args, scope, node)
        self._parameters(node.args, scope, inner, node)
        self.visit(node.body, inner, node)

    def _ClassDef(self, node: ast.ClassDef, scope: Scope, annotation: bool) -> None:
        for outside in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(outside, scope, node)
        self.bind(node.name, "class", node, node, scope)
        inner = self._open(Kind.CLASS, node, scope)
        self._type_parameters(node, inner)
        for statement in node.body:
            self.visit(statement, inner, node)

    def _comprehension(self, node: Comprehension, scope: Scope, annotation: bool) -> None:
        inner = self._open(Kind.COMPREHENSION, node, scope)
        for index, generator in enumerate(node.generators):
            self.scopes.parents[generator] = node
            self.scopes._where[generator] = inner
            self.visit(generator.iter, inner if index else scope, generator)
            self.visit(generator.target, inner, generator)
            for test in generator.ifs:
                self.visit(test, inner, generator)
        if isinstance(node, ast.DictComp):
            self.visit(node.key, inner, node)
            self.visit(node.value, inner, node)
        else:
            self.visit(node.elt, inner, node)

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension
