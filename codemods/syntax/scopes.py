"""Who binds a name and who reads it: scopes of one file over the stdlib `ast`, as Python itself resolves them.

    scopes = Scopes(module)
    scopes.captures(lambda_node)     # variables of enclosing functions that its body reads, in order of first use
    scopes.why_not_once(variable, lambda_node)   # None, or why a copy taken there could differ from the variable later

Positions are `ast` positions: (line 1-based, column 0-based in UTF-8 bytes).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from ..nodes import parents_of, walk
from .assigned import binds, block_with, blocks, header_binds, pattern_binds, reads, target_binds, test_binds
from .binding_rules import ENDING, FUNCTIONS, LOOPS, BindingKind, ScopeKind, positional, takes_self
from .main_guard import is_main_guard
from .scope_builder import Builder
from .scope_data import Binding, Scope, Use, Variable, end_of, line_of, start_of


class Scopes:
    """The scopes of one module."""

    def __init__(self, module: ast.Module) -> None:
        self.parents = parents_of(module)
        built = Builder(module, self.parents)
        self.tree, self.module, self.uses = module, built.module, built.uses
        self._inner, self._where, self._bound = built.inner, built.where, built.bound
        self._settle(built.bound)

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
            if at.kind is ScopeKind.MODULE:
                return at if name in at.bindings else None
            if name in at.bindings and name not in at.nonlocals and (at is scope or at.kind is not ScopeKind.CLASS):
                return at
            at = at.parent
        return None

    @cached_property
    def _bindings(self) -> dict[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        for binding in self._bound:
            found.setdefault(binding.name, []).append(binding)
        return found

    def everywhere(self, name: str) -> list[Binding]:
        """All places of the file that bind the name, in whatever scope."""
        return self._bindings.get(name, [])

    def visible(self, name: str, line: int | None) -> list[Binding]:
        """Bindings of `name` that a use on `line` could mean; with None, all that make no attribute of a class.

        A variable of a comprehension counts as one of the function around it.
        """
        found = []
        for binding in self._bindings.get(name, ()):
            scope = binding.by
            while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:
                scope = scope.parent
            moved = name in scope.globals or name in scope.nonlocals
            inside = line is None or line_of(scope.node) <= line <= end_of(scope.node)[0]
            if moved or scope.kind is ScopeKind.MODULE or (scope.kind is not ScopeKind.CLASS and inside):
                found.append(binding)
        return found

    def uses_within(self, roots: Iterable[ast.AST]) -> list[Use]:
        """Reads inside these subtrees, in source order."""
        inside = {id(node) for root in roots for node in walk(root)}
        return [self.uses[place] for place in sorted(place for item in inside for place in self._places.get(item, ()))]

    @cached_property
    def _places(self) -> dict[int, list[int]]:
        """Where in `uses` a node is, by its id."""
        found: dict[int, list[int]] = {}
        for place, use in enumerate(self.uses):
            found.setdefault(id(use.node), []).append(place)
        return found

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
        if scope.kind is ScopeKind.COMPREHENSION:
            return f"`{name}` is a loop variable (line {variable.bindings[0].line}): pass its value as an argument"
        anchor = self.anchor(creation, scope)
        for binding in variable.bindings:
            if binding.kind is BindingKind.DECLARATION:
                continue
            if binding.by is not scope:
                return f"`{name}` is re-bound from another function (line {binding.line}): keep it in an object instead"
            if binding.kind in ENDING:
                return f"`{name}` is deleted again (line {binding.line}): give the value another name"
            if self._shared_loop(binding, anchor, scope):
                what = (
                    "is a loop variable"
                    if binding.kind is BindingKind.LOOP
                    else "is bound anew in each round of a loop"
                )
                return f"`{name}` {what} (line {binding.line}): pass its value as an argument"
            if binding.done > start_of(anchor) and not self._never_after(binding, anchor):
                what = "re-bound" if binding is not variable.bindings[0] else "bound only later,"
                return f"`{name}` is {what} at line {binding.line}: pass it as an argument"
        if not self.is_surely_bound(variable, anchor):
            return f"`{name}` may be unbound where the function is defined: bind it on every path"
        return None

    def is_loop_variable(self, variable: Variable, creation: ast.AST) -> bool:
        """True when all that speaks against a copy taken at `creation` is that the next round of a loop binds anew."""
        scope = variable.scope
        if scope.kind is ScopeKind.COMPREHENSION:
            return True
        anchor = self.anchor(creation, scope)
        bound = [binding for binding in variable.bindings if binding.kind is not BindingKind.DECLARATION]
        return (
            all(item.by is scope and item.kind not in ENDING and item.done <= start_of(anchor) for item in bound)
            and any(self._shared_loop(item, anchor, scope) for item in bound)
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

    def _never_after(self, binding: Binding, anchor: ast.AST) -> bool:
        """What runs `anchor`, in no loop around both, never gets to the binding: another branch, or behind a return."""
        inside = {binding.node, *self.ancestors(binding.node)}
        if any(type(above).__name__ in ("Try", "TryStar") and above in inside for above in self.ancestors(anchor)):
            return False  # its handlers, or its `finally`
        below = anchor
        for above in self.ancestors(anchor):
            if isinstance(above, ast.Match) and above in inside:
                return below not in inside
            block: list[ast.AST] = next(([*item] for item in blocks(above) if below in item), [])
            if block and not inside & {*block}:
                returns = any(isinstance(item, ast.Return) for item in block[block.index(below) :])
                if returns or (isinstance(above, ast.If) and above in inside):
                    return True
            below = above
        return False

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
        if any(binding.kind is BindingKind.PARAMETER for binding in variable.bindings):
            return True
        below = anchor
        for above in self.ancestors(anchor):
            for block in blocks(above):
                if below in block and (binds(before := block[: block.index(below)], name) or reads(before, name)):
                    return True
            if isinstance(above, (ast.For, ast.AsyncFor)) and below in above.body and target_binds(above.target, name):
                return True
            if isinstance(above, ast.Try) and below in above.orelse and binds(above.body, name):
                return True
            if isinstance(above, (ast.With, ast.AsyncWith)) and below in above.body and header_binds(above, name):
                return True
            if isinstance(above, ast.match_case) and below in above.body and pattern_binds(above.pattern, name):
                return True
            if any(test_binds(test, name, outcome) for test, outcome in _tested(above, below)):
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
        return block_with(self.parents[statement], statement)

    def under_guard(self, node: ast.AST) -> bool:
        """True for nodes inside `if __name__ == "__main__":` itself (not its else)."""
        below = node
        for above in self.ancestors(node):
            if is_main_guard(above) and below in above.body:
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
                first = positional(scope.node)[:1]
                if not first or not takes_self(scope.node) or scope.node.name == "__new__":
                    return None
                (name,) = first
                return (scope, name, parent.node) if len(scope.bindings[name]) == 1 else None
            scope = parent
        return None


def _tested(above: ast.AST, below: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The test of `above` that has been asked where `below`, a part of it, runs, and how it came out."""
    if isinstance(above, (ast.If, ast.While)):
        yield from ((above.test, outcome) for outcome in (True, False) if below in (above.orelse, above.body)[outcome])
    elif isinstance(above, ast.IfExp) and below is not above.test:
        yield above.test, below is above.body
    elif isinstance(above, ast.match_case) and below in above.body and above.guard is not None:
        yield above.guard, True


@lru_cache(maxsize=4)
def scopes_of(module: ast.Module) -> Scopes:
    """The scopes of a module that is looked at many times."""
    return Scopes(module)
