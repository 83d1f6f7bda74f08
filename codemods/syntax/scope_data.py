"""What scopes are made of: who binds a name where, and who reads it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeAlias

from .binding_rules import BindingKind, Meaning, ScopeKind, imported

Position: TypeAlias = "tuple[int, int]"


@dataclass(eq=False)
class Scope:
    """One namespace. `bindings` holds what is bound here, also from inner scopes through `global` and `nonlocal`."""

    kind: ScopeKind
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
        return self.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA, ScopeKind.COMPREHENSION)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, in order."""
        return [
            name for name, found in self.bindings.items() if any(item.kind is BindingKind.PARAMETER for item in found)
        ]


@dataclass(eq=False)
class Binding:
    """One place that binds (or deletes) a name.

    `node` is the smallest node, `statement` what completes it; `by` is the scope that runs it, which is not the owner
    under `global` and `nonlocal`.
    """

    name: str
    kind: BindingKind
    node: ast.AST
    statement: ast.AST
    by: Scope

    @property
    def line(self) -> int:
        """Line of the binding."""
        return line_of(self.node)

    @property
    def meaning(self) -> Meaning | None:
        """What an import binds; None for other bindings."""
        if self.kind is not BindingKind.IMPORT:
            return None
        return next(meaning for name, meaning in imported(self.statement) if name == self.name)

    @property
    def done(self) -> Position:
        """Where the name has its value: the end of an assignment, the target of a loop, the start of a function."""
        if self.kind is BindingKind.PARAMETER:
            return start_of(self.statement)
        if self.kind is BindingKind.EXCEPT:
            return start_of(self.node)
        if self.kind in (BindingKind.LOOP, BindingKind.WITH, BindingKind.MATCH):
            return end_of(self.node)
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
        return sorted(self.scope.bindings.get(self.name, []), key=lambda binding: start_of(binding.node))


def start_of(node: ast.AST) -> Position:
    """Where the node begins, as `ast` says."""
    return (getattr(node, "lineno", 1), getattr(node, "col_offset", 0))


def end_of(node: ast.AST) -> Position:
    """Where the node ends, as `ast` says."""
    return (getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0))


def line_of(node: ast.AST) -> int:
    """First line of the node."""
    return start_of(node)[0]
