"""The places where the methods of a class, and of those above and below it, use one attribute."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from ....finding import Refused
from ....syntax.unpicklable import Made, Recogniser
from ....syntax.unpicklable_table import ObjectKind, Remedy
from ..classes import Method, Shape, Store
from ..data import names
from ..family import Family
from .outside import Outside


@dataclass(frozen=True, eq=False)
class Hazard:
    """`store` keeps what `made` makes."""

    store: Store
    made: Made


@dataclass(frozen=True)
class AttributeUses:
    """One attribute of one class, and all that is done with it."""

    family: Family
    recogniser: Recogniser
    shape: Shape
    attribute: str
    hazards: tuple[Hazard, ...]
    on_demand: bool = True  # it may be left to the class to open it again
    companions: frozenset[str] = frozenset()  # what else is None whenever this is
    needed: bool = False  # another attribute is made from it

    @property
    def kind(self) -> ObjectKind:
        """What it is."""
        return self.hazards[0].made.kind

    @property
    def text(self) -> str:
        """The attribute as the class writes it."""
        return f"self.{self.attribute}"

    @cached_property
    def hierarchy(self) -> list[Shape]:
        """The class, those above and those below it."""
        return self.family.hierarchy(self.shape)

    @property
    def sharing(self) -> list[Shape]:
        """Those of the hierarchy to which the name means this attribute: a private one is another in each class."""
        key = self.shape.key(self.attribute)
        return [other for other in self.hierarchy if other.key(self.attribute) == key]

    @cached_property
    def reads(self) -> list[tuple[Shape, Method, ast.Attribute]]:
        """All reads of it in these classes."""
        return [
            (shape, method, node)
            for shape in self.sharing
            for method, node in shape.selves.get(self.attribute, [])
            if isinstance(node.ctx, ast.Load)
        ]

    @cached_property
    def pre_transfer_methods(self) -> frozenset[str]:
        """Names of the methods that run before the object crosses."""
        return frozenset(self.family.pre_transfer_methods(self.shape))

    @cached_property
    def worker_only_methods(self) -> frozenset[str]:
        """Names of the methods that run in a worker."""
        return (
            frozenset(name for shape in self.hierarchy for name in shape.worker_only_methods)
            - self.pre_transfer_methods
        )

    @cached_property
    def outside(self) -> Outside:
        """What code outside of these classes does with their objects."""
        return self.family.outside(self.shape)

    def called(self, node: ast.Attribute, shape: Shape) -> tuple[str, ast.Call] | None:
        """The method called on it: `self.x.m(...)` gives ("m", the call)."""
        above = shape.outline.parents[node]
        call = shape.outline.parents.get(above)
        if isinstance(above, ast.Attribute) and isinstance(call, ast.Call) and call.func is above:
            return above.attr, call
        return None

    def always_there(self, stores: list[Store]) -> bool:
        """Every object has the attribute, if only as None."""
        own = [store for store in stores if store.method.name == "__init__" and store.owner is self.shape]
        sets = {store.statement for store in own if not isinstance(store.target.ctx, ast.Del)}
        return not self.outside.without_init and (
            any(store.always for store in own)
            or any(_sets_in_each(each, sets) for each in (own[0].method.body if own else ()))
        )

    def skips_init(self) -> bool:
        """A class below has an `__init__` that never calls ours."""
        return any(shape.once(_skips_init) for shape in self.family.derived(self.shape))

    def is_needed(self) -> bool:
        """Something after the constructor uses it without asking first whether there is one: None would not do."""
        asks = {self.text, f"{self.text} is not None"}
        return any(
            method.name not in self.pre_transfer_methods
            and not any(
                ast.unparse(part) in asks
                for above in shape.outline.ancestors(node)
                if isinstance(above, (ast.If, ast.IfExp))
                for part in (above.test, *getattr(above.test, "values", ()))
            )
            for shape, method, node in self.reads
        )

    def closed_by(self) -> str:
        """The method that closes it while the object lives on; "" when none does."""
        for shape, method, node in self.reads:
            called = self.called(node, shape)
            if (
                called is None
                or called[0] not in names("closing_methods")
                or self.kind.remedy is not Remedy.REOPEN
                or method.name == "__del__"
            ):
                continue
            if not self.kind.is_open and method.name in self.pre_transfer_methods:
                raise Refused(f"line {node.lineno} closes it again; open it with `with`, or where it is read")
            return called[0]
        return ""

    def closed_early(self) -> int | None:
        """The last line before the object crosses that closes it."""
        early = [(shape, node) for shape, method, node in self.reads if method.name in self.pre_transfer_methods]
        called = [(node.lineno, self.called(node, shape)) for shape, node in early]
        return max(
            (line for line, item in called if item is not None and item[0] in names("closing_methods")), default=None
        )


def _skips_init(shape: Shape) -> bool:
    init = shape.methods.get("__init__")
    return init is not None and "__init__(" not in "".join(ast.unparse(part) for part in init.body)


def _sets_in_each(statement: ast.stmt, sets: Collection[ast.stmt]) -> bool:
    """It is one of `sets`, or an `if` whose branches all have such a statement."""
    if isinstance(statement, ast.If):
        return all(any(_sets_in_each(each, sets) for each in block) for block in (statement.body, statement.orelse))
    return statement in sets
