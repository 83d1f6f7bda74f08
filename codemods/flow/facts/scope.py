"""One scope of a file while its tree is walked."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ...syntax.binding_rules import ScopeKind
from .records import PassedOn

SEVERAL = object()  # bound more than once, or not to a literal
DEAD = -2  # in `FactsScope.current`: the name holds nothing that matters here


class Asked(NamedTuple):
    """A name that a test asks for: that it is true, with `only_none` `is not None`, or one of the texts `among`.

    `than`: that it is such a number, as `("Gt", 1)`. The name may be an attribute: `self.n_jobs`.
    """

    name: str
    only_none: bool = False
    among: tuple[str, ...] = ()
    than: tuple[str, int] | None = None


class FactsScope:
    __slots__ = (
        "asked_for",
        "asks",
        "bound",
        "constants",
        "current",
        "function",
        "globals",
        "kind",
        "loaded",
        "loading",
        "names",
        "nonlocals",
        "owner",
        "parameters",
        "parent",
        "passes",
        "qualname",
        "set_inside",
        "set_true",
        "taken_out",
        "tree",
    )

    def __init__(
        self, kind: ScopeKind, qualname: str, parent: FactsScope | None, function: int = -1, owner: int = -1
    ) -> None:
        self.kind = kind
        self.qualname = qualname
        self.parent = parent
        self.function = function
        self.owner = owner
        self.names: dict[str, int] = {}
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.set_inside: set[str] = set()  # names that a function in it binds, which declares them nonlocal
        self.constants: dict[str, object] = {}  # names bound once, to a literal
        self.set_true: set[str] = set()  # names that are True here or there
        self.loaded: set[str] = set()  # names of modules that are loaded by a path
        self.loading: set[str] = set()  # of a module: its functions that return such a module
        self.parameters: frozenset[str] = frozenset()
        self.tree: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | None = None
        # what calls that unpack its `**` parameter pass on, once it is known
        self.passes: tuple[PassedOn | None] | None = None
        self.asked_for: tuple[Asked, ...] = ()  # names that are set where what is walked runs
        self.asks: dict[Asked, PassedOn | None] = {}  # those looked up so far: the parameter that each is
        self.taken_out: dict[str, dict[str, int]] = {}  # by name: keys that it has no more, up to which line
        self.current: dict[str, int] = {}  # names that straight-line code bound last, and to what

    def binding(self, name: str) -> FactsScope | None:
        """This scope, or the first around it that binds the name."""
        scope: FactsScope | None = self
        while scope is not None and name not in scope.bound:
            scope = scope.parent
        return scope

    def constant(self, name: str) -> object:
        """The literal that the name is bound to, once; else SEVERAL."""
        scope = self.binding(name)
        return scope.constants.get(name, SEVERAL) if scope is not None else SEVERAL
