"""The classes of the repo: their bases, the order in which attributes are looked up, which of them to look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property

from ..facts.records import hazardous, self_nodes
from .program import Program

MAX_DERIVED = 8  # classes that a method of their base is followed for, each by itself
BAGS = frozenset({"dict", "list", "set", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict",
                   "argparse.Namespace", "types.SimpleNamespace", "easydict.EasyDict", "addict.Dict"})  # fmt: skip
_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"})

_GENERICS = frozenset(
    f"{module}.{name}" for module in ("typing", "typing_extensions") for name in ("Generic", "Protocol")
)


class Hierarchy:
    """Classes by their index in the program; nothing is known of bases before `resolve`."""

    def __init__(self, program: Program) -> None:
        self.facts, self.class_offset, self.classes = program.facts, program.class_offset, program.classes
        self.known = False
        self._bases: list[tuple[int, ...]] = []  # classes of the repo, per class
        self._foreign_bases: list[tuple[str, ...]] = []  # canonical dotted names, per class
        self._named_metaclasses: dict[int, list[int]] = {}  # classes of the repo, per class that names one
        self._orders: dict[int, tuple[int, ...]] = {}
        self._all_foreign: dict[int, tuple[str, ...]] = {}

    def resolve(
        self, bases_of: Callable[[int], tuple[list[int], list[str]]], metaclasses_of: Callable[[int], list[int]]
    ) -> None:
        """Fix the bases: `bases_of` gives the classes of the repo and the foreign names that a class derives from.

        `metaclasses_of` gives the classes of the repo that a class names as its metaclass.
        """
        for index, (_, made) in enumerate(self.classes):
            own, foreign = bases_of(index)
            self._bases.append(tuple(dict.fromkeys(own)))
            self._foreign_bases.append(tuple(dict.fromkeys(foreign)))
            if made.made_by >= 0 and (named := metaclasses_of(index)):
                self._named_metaclasses[index] = named
        self.known = True

    def metaclasses(self, index: int) -> tuple[int, ...]:
        """What says what the class itself can do, nearest first: its metaclass and the bases of that in the repo."""
        if not self._named_metaclasses:
            return ()
        named = (self._named_metaclasses[at] for at in self.order(index) if at in self._named_metaclasses)
        return tuple(dict.fromkeys(each for meta in next(named, ()) for each in self.order(meta)))

    @cached_property
    def made_by(self) -> dict[int, list[int]]:
        """Per metaclass, and base of one, the classes that it makes."""
        found: dict[int, list[int]] = defaultdict(list)
        for index in range(len(self.classes)) if self._named_metaclasses else ():
            for meta in self.metaclasses(index):
                found[meta].append(index)
        return found

    def order(self, index: int) -> tuple[int, ...]:
        """The class and its bases in the repo, nearest first (close enough to the method resolution order)."""
        if not self.known:  # bases are being found out
            return (index,)
        known = self._orders.get(index)
        if known is None:
            found: dict[int, None] = {}
            todo = [index]
            while todo:
                at = todo.pop(0)
                if at not in found:
                    found[at] = None
                    todo = [*self._bases[at], *todo]
            known = self._orders[index] = tuple(found)
        return known

    def all_foreign_bases(self, index: int) -> tuple[str, ...]:
        """Names of the bases that lie outside the repo, through the whole hierarchy."""
        known = self._all_foreign.get(index)
        if known is None:
            known = tuple(dict.fromkeys(name for at in self.order(index) for name in self._foreign_bases[at]))
            self._all_foreign[index] = known
        return known

    def defines(self, index: int, names: frozenset[str]) -> bool:
        """The class and its bases in the repo define all of these."""
        return all(any(name in self.classes[at][1].members for at in self.order(index)) for name in names)

    def is_bag(self, index: int) -> bool:
        """True for classes that are dicts or namespaces: two of their instances have nothing in common."""
        return any(base in BAGS for base in self.all_foreign_bases(index))

    def keeps_data(self, index: int) -> bool:
        """True for classes whose objects keep what they hold as `data`; False for -1."""
        return index >= 0 and "collections.UserDict" in self.all_foreign_bases(index)

    def own_attributes(self, index: int) -> frozenset[str]:
        """The attributes that the methods of the class or its bases set on `self`, and nothing sets otherwise."""
        own = (self._set_on_self.get(at, ()) for at in self.order(index))
        return frozenset(name for names in own for name in names if name not in self._set_elsewhere)

    def is_set_elsewhere(self, attribute: str) -> bool:
        """Some code sets the attribute of another object than its own `self`."""
        return attribute in self._set_elsewhere

    @cached_property
    def _set_on_self(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for file, facts in enumerate(self.facts):
            owners = self_nodes(facts) if facts.classes else {}
            for base, name, *_ in facts.stores if owners else ():
                if base in owners:
                    found.setdefault(owners[base] + self.class_offset[file], set()).add(name)
        return found

    @cached_property
    def _set_elsewhere(self) -> set[str]:
        owners = (self_nodes(facts) if facts.classes else {} for facts in self.facts)
        stores = zip(self.facts, owners, strict=True)
        return {name for facts, own in stores for base, name, *_ in facts.stores if base not in own}

    def is_local_enum(self, index: int) -> bool:
        """True for an Enum in a function: what its body binds are instances of it."""
        return self.classes[index][1].nested and self.is_enum(index)

    def is_enum(self, index: int) -> bool:
        """True for an Enum: what its body binds are its members."""
        return self.known and not _ENUMS.isdisjoint(self.all_foreign_bases(index))

    def is_generic(self, index: int) -> bool:
        """True for a class that takes types in brackets, and is the same class then: `Pipe[int](...)`."""
        return self.known and not _GENERICS.isdisjoint(self.all_foreign_bases(index))

    @cached_property
    def makers(self) -> set[int]:
        """Local classes, and those whose own code puts a lambda, a nested function or a view on `self`.

        A registry may hold hundreds of classes; these are the ones to look at.
        """
        found: set[int] = set()
        for index, facts in enumerate(self.facts):
            offset = self.class_offset[index]
            found.update(offset + number for number, made in enumerate(facts.classes) if made.nested)
            found.update(offset + owner for owner in hazardous(facts))
        return found

    @cached_property
    def derived_makers(self) -> dict[int, list[int]]:
        """Per class the `makers` that derive from it, where they are few: who makes objects of them may be unseen."""
        found: dict[int, list[int]] = defaultdict(list)
        for maker in sorted(self.makers):
            if not self.classes[maker][1].nested:
                for base in self.order(maker)[1:]:
                    found[base].append(maker)
        return {base: derived for base, derived in found.items() if len(derived) <= MAX_DERIVED}

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """Per class those that derive from it."""
        found: dict[int, list[int]] = defaultdict(list)
        for index in range(len(self.classes)):
            for base in self.order(index)[1:]:
                found[base].append(index)
        return found

    @cached_property
    def mentioning(self) -> dict[str, set[int]]:
        """Per attribute the classes whose own code names it as `self.x`, or that have it as a member."""
        found: dict[str, set[int]] = defaultdict(set)
        for index, facts in enumerate(self.facts):
            owners = self_nodes(facts)
            for base, name, *_ in facts.loads:
                if base in owners:
                    found[name].add(self.class_offset[index] + owners[base])
            for base, name, *_ in facts.stores:
                if base in owners:
                    found[name].add(self.class_offset[index] + owners[base])
            for number, made in enumerate(facts.classes):
                for name in made.members:
                    found[name].add(self.class_offset[index] + number)
        return found
