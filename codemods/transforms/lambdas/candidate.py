"""One function, lambda or class that may move, and what was found out about it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...finding import Import, Refused
from ...syntax.binding_rules import FunctionNode
from ...syntax.scope_data import Position, Scope, Use, Variable, end_of, line_of, start_of
from ...syntax.scopes import Scopes

Movable: TypeAlias = "ast.Lambda | FunctionNode | ast.ClassDef"

LISTS_NAMES = frozenset({"locals", "vars", "dir"})  # builtins that give the variables of a function
SEES_NAMES = frozenset({"eval", "exec"}) | LISTS_NAMES  # builtins that find variables by their names


def assignment_targets(node: ast.AST) -> list[ast.expr]:
    """The targets of an assignment that has a value, annotated or not; none for any other node."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


@dataclass(eq=False)
class Unit:
    """One function, lambda or class that may move; `refused` says why it may not."""

    node: Movable
    home: Scope  # where it is evaluated
    variable: Variable | None = None  # the local name it is bound to, when that is its only value
    refused: Refused | None = None
    captures: dict[Variable, list[Use]] = field(default_factory=dict)  # values to pass
    functions: dict[Variable, Unit] = field(
        default_factory=dict
    )  # local functions and classes it names, itself included
    uses: dict[Variable, list[Use]] = field(default_factory=dict)  # where its body names those functions
    own_self: tuple[Scope, str, ast.ClassDef] | None = None  # set when the body reads the method's `self`
    self_uses: list[Use] = field(default_factory=list)
    imports: dict[Position, str] = field(default_factory=dict)  # imports of the enclosing function that it needs
    imported: list[Variable] = field(default_factory=list)  # what those imports bind
    imports_above: list[Import] = field(default_factory=list)  # of the enclosing function, to be made by the module
    frozen: dict[str, str] = field(
        default_factory=dict
    )  # parameter -> expression its default takes from a local variable
    by_position: Refused | None = None  # why a default can't become a keyword where not all calls are seen
    default_nodes: dict[str, ast.expr] = field(default_factory=dict)
    fields: dict[str, ast.Assign | ast.AnnAssign] = field(
        default_factory=dict
    )  # attributes of a class whose value is taken where the class stood, see class_fields.py
    why_fields: str = ""  # what to say of them where they can't be passed
    snapshots: list[str] = field(default_factory=list)  # captures that change later, and what would differ
    late: tuple[Use, str] | None = None  # its only use, where all captures are bound, and what speaks against its place
    at_import: list[Use] = field(default_factory=list)  # names needed when the definition runs
    mangled: bool = False
    applied: list[ast.expr] = field(default_factory=list)  # decorators that stay where it stood, outermost first

    @property
    def line(self) -> int:
        """Where it starts."""
        return line_of(self.node)

    @property
    def label(self) -> str:
        """What to call it in a sentence."""
        return f"the lambda in line {self.line}" if isinstance(self.node, ast.Lambda) else f"`{self.node.name}`"


def labels(units: Sequence[Unit]) -> str:
    """What to call several units of the same code: "the lambdas in lines 5, 9 and 13"."""
    if len(units) == 1 or not all(isinstance(unit.node, ast.Lambda) for unit in units):
        return ", ".join(dict.fromkeys(unit.label for unit in units))
    *lines, last = dict.fromkeys(str(unit.line) for unit in units)
    return f"the lambdas in line{'s' if lines else ''} {', '.join(lines)}{' and ' if lines else ''}{last}"


def is_about_object(scopes: Scopes, use: Use) -> bool:
    """`vars(x)` and `dir(x)` look at an object, not at the variables around."""
    call = scopes.parents[use.node]
    return use.name in ("vars", "dir") and isinstance(call, ast.Call) and call.func is use.node and bool(call.args)


def has_own_names(scopes: Scopes, use: Use) -> bool:
    """`eval(text, names)` and `exec(text, names)` see what they are given, not the variables around."""
    call = scopes.parents[use.node]
    if not isinstance(call, ast.Call) or call.func is not use.node or len(call.args) < 2:
        return False
    if use.name not in ("eval", "exec"):
        return False
    return not any(isinstance(arg, ast.Starred) or _is_none(arg) for arg in call.args[:2])


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def is_left_to_pickle(scopes: Scopes, use: Use) -> bool:
    """`return eval, (...)` in a `__reduce__`: pickle calls that, and it sees the variables there."""
    above = scopes.parents[use.node]
    if not (
        isinstance(above, ast.Tuple) and above.elts[0] is use.node and isinstance(scopes.parents[above], ast.Return)
    ):
        return False
    return getattr(use.scope.node, "name", "") in ("__reduce__", "__reduce_ex__")


def is_after(scopes: Scopes, use: Use, node: ast.AST, home: Scope) -> bool:
    """True when `use` may run after `node` does (same scope and later, in a common loop, or in an inner function)."""
    scope: Scope | None = use.scope
    while scope is not home and scope is not None and isinstance(scope.node, (ast.ListComp, ast.SetComp, ast.DictComp)):
        scope = scope.parent  # these run on the spot
    if scope is not home:
        return True
    return start_of(use.node) >= end_of(node) or bool(
        scopes.loops_around(use.node, home) & scopes.loops_around(node, home)
    )
