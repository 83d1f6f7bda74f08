"""The table of boundaries.toml, merged with the user's own entries, looked up by dotted name."""

from __future__ import annotations

import pkgutil
import sys
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from ..hazard_kind import HazardKind

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


MAX_ANSWERS = 20_000  # of each kind, that are remembered between runs: some megabytes
_OF_STATE = ("().state_dict", "().load_state_dict")  # numbers and positions, of a pipeline as of a model


@dataclass(frozen=True)
class Boundary:
    """A callable that pickles some of its arguments."""

    callable: str
    parameters: tuple[str, ...] = ()
    pickles: frozenset[str] = frozenset()
    when: Mapping[str, str] = field(default_factory=dict)
    unless: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    source: str = ""
    always: bool = False  # under every start method, fork too
    only: frozenset[HazardKind] = frozenset()  # kinds of values that it can't take; empty: what plain pickle can't
    says: str = ""  # what it does to them, where that isn't pickling for another process
    unless_called: tuple[str, ...] = ()  # methods: where the file calls one, nothing is pickled

    @cached_property
    def by_items(self) -> bool:
        """It sends what some argument gives, item by item, and not that argument itself."""
        return any(name.endswith("[]") for name in self.pickles)

    def crosses(self, literals: Mapping[str | int, object], given: frozenset[str], open_ended: bool) -> bool:
        """False when this very call is known not to pickle.

        `literals`: constant arguments by name or position; `given`: names of all arguments; `open_ended`: there are
        `*` or `**` arguments, which may hold anything.
        """
        for name, condition in self.when.items():
            if condition == "nonzero":
                if name not in given and not open_ended:
                    return False
                value = self._literal(name, literals)
                if value in (0, None) and self._is_literal(name, literals):
                    return False
        return not any(
            self._is_literal(name, literals) and self._literal(name, literals) in values
            for name, values in self.unless.items()
        )

    def _is_literal(self, name: str, literals: Mapping[str | int, object]) -> bool:
        return name in literals or (name in self.parameters and self.parameters.index(name) in literals)

    def _literal(self, name: str, literals: Mapping[str | int, object]) -> object:
        if name in literals:
            return literals[name]
        return literals.get(self.parameters.index(name)) if name in self.parameters else None


@dataclass(frozen=True)
class Variant:
    """An object that counts as another one where an argument of its maker says so: `Trainer(strategy="ddp_spawn")`."""

    becomes: str
    parameter: str
    values: tuple[object, ...]  # literals
    made_by: tuple[str, ...]  # callables
    place: int = -1  # of the parameter, where it may be given by position


@dataclass(frozen=True)
class Selective:
    """An object whose methods `keeping` keep their arguments, and whose methods `same` give back the object.

    What the methods `gives` give has all that was kept, and nothing where nothing was. With `instances` that is a tuple
    of objects of the classes that its maker got.
    """

    keeping: frozenset[str]
    same: frozenset[str]
    gives: frozenset[str]
    instances: bool = False


class Table:
    """Boundaries, carriers and harmless callables by canonical dotted name."""

    def __init__(self, entries: Mapping[str, Any], extra: Iterable[Mapping[str, object]] = ()) -> None:
        self.alias: dict[str, str] = dict(entries.get("alias", {}))
        own = _own_boundaries() if entries is _own_entries() else _by_name(entries.get("boundary", ()))
        self.boundaries = {**own, **_by_name(extra)}
        self.carriers: dict[str, bool] = {c["callable"]: bool(c.get("fluent")) for c in entries.get("carrier", ())}
        self.starters: dict[str, tuple[str, str]] = {
            s["callable"]: (s.get("method", ""), s.get("parameter", "")) for s in entries.get("starter", ())
        }
        self.variants: dict[str, list[Variant]] = {}
        for entry in entries.get("variant", ()):
            made = Variant(
                entry["becomes"], entry["parameter"], tuple(entry.get("values", ())), tuple(entry.get("made_by", ())),
                entry.get("place", -1),
            )  # fmt: skip
            self.variants.setdefault(entry["callable"], []).append(made)
        self.selective = {
            s["callable"]: Selective(
                frozenset(s["keeping"]), frozenset(s["same"]), frozenset(s.get("gives", ())), s.get("instances", False)
            )
            for s in entries.get("selective", ())
        }
        self.harmless: dict[str, str] = {h["callable"]: h["source"] for h in entries.get("harmless", ())}
        self.carried_bases: dict[str, str] = {c["base"]: c["what"] for c in entries.get("carried", ())}
        self._sent_by_some = {c["base"] for c in entries.get("carried", ()) if c.get("needs_boundary")}
        self.sending_themselves = {  # those with a method that pickles its object
            name.rpartition("().")[0] for name, each in self.boundaries.items() if "self" in each.pickles
        }
        self.burdens: dict[str, str] = {b["prefix"]: b["what"] for b in entries.get("burden", ())}
        self._canonical: dict[str, str] = {}
        self._known: dict[str, bool] = {}
        self._families: dict[str, str] = {}
        self._keeps: dict[str, bool] = {}
        self._fluent: dict[str, bool] = {}
        self._keys = {
            *self.alias,
            *self.boundaries,
            *self.starters,
            *self.carriers,
            *self.harmless,
            *self.selective,
            *(
                f"{of}().{name}"
                for of, each in self.selective.items()
                for name in each.keeping | each.same | each.gives
            ),
            *self.burdens,
            *(name for made in self.variants.values() for item in made for name in item.made_by),
            "functools.partial",
            "multiprocessing.fork_context().Process",  # pickles nothing, but runs its target
        }
        self._sorted_keys = sorted(self._keys)
        self.packages = frozenset(key.partition(".")[0] for key in self._keys)  # top-level names of all that is here

    def forget_many(self) -> None:
        """Forget the answers about names once there are many: names of all the repositories of a batch, say."""
        for answers in (self._canonical, self._known, self._families, self._keeps, self._fluent):
            if len(answers) > MAX_ANSWERS:
                answers.clear()

    def canonical(self, name: str) -> str:
        """The table's own name for `name`."""
        known = self._canonical.get(name)
        if known is None:
            known = name
            for _ in range(4):
                prefix = next((p for p in _prefixes(known) if p in self.alias), None)
                if prefix is None:
                    break
                known = self.alias[prefix] + known[len(prefix) :]
            self._canonical[name] = known
        return known

    @property
    def numbers(self) -> frozenset[tuple[str, object]]:
        """The numbers that some entry asks for, with the parameter; under "" too where that is given by position."""
        asked = [(item.parameter, item.place >= 0, item.values) for made in self.variants.values() for item in made]
        for boundary in self.boundaries.values():
            asked += [(name, name in boundary.parameters, values) for name, values in boundary.unless.items()]
        return frozenset(
            (each, value)
            for name, placed, values in asked
            for value in values
            for each in ((name, "") if placed else (name,))
            if isinstance(value, (int, float))
        )

    def becomes(self, name: str, literals: Mapping[str | int, object]) -> str:
        """The name of what a call of `name` (canonical) makes, as far as its constant arguments decide."""
        for variant in self.variants.get(name, ()):
            if literals.get(variant.parameter, literals.get(variant.place)) in variant.values:
                return variant.becomes
        return name

    def concerns(self, name: str) -> bool:
        """True when an entry is about `name` (canonical) or a part of it; for plain names also about what it is in."""
        known = self._known.get(name)
        if known is None:
            known = self._begins_a_key(name) or self.fluent(name)
            known = known or self.why_harmless(name) is not None
            known = known or ("()" not in name and any(prefix in self._keys for prefix in _prefixes(name)))
            self._known[name] = known
        return known

    def family(self, name: str) -> str:
        """`name` (canonical), or the whole it belongs to where only that has an entry (a smaller graph)."""
        known = self._families.get(name)
        if known is None:
            known = name
            if not self._begins_a_key(name) and self.why_harmless(name) is None:
                known = next((prefix for prefix in _prefixes(name) if prefix in self.burdens), name)
            self._families[name] = known
        return known

    def _begins_a_key(self, name: str) -> bool:
        at = bisect_left(self._sorted_keys, name)
        return at < len(self._sorted_keys) and self._sorted_keys[at].startswith(name)

    def boundary(self, name: str) -> Boundary | None:
        """The boundary called `name` (canonical)."""
        return self.boundaries.get(name)

    def saves(self, name: str) -> bool:
        """The boundary `name` (canonical) pickles for something else than another process: into a file, a copy."""
        known = self.boundaries.get(name)
        return known is not None and bool(known.says)

    def keeps(self, name: str) -> bool:
        """True when what calling `name` (canonical) gives holds on to the arguments: a class, or a listed carrier."""
        known = self._keeps.get(name)
        if known is None:
            prefixes = _prefixes(name)
            known = name.rpartition(".")[2][:1].isupper() or any(prefix in self.carriers for prefix in prefixes)
            known = known and not any(prefix in self.harmless for prefix in prefixes)
            self._keeps[name] = known
        return known

    def why_harmless(self, name: str) -> str | None:
        """Why what `name` (canonical) gets is not pickled with plain pickle; None when nothing is known of it."""
        return next((self.harmless[prefix] for prefix in _prefixes(name) if prefix in self.harmless), None)

    def fluent(self, name: str) -> bool:
        """True when methods of `name` (canonical) give back the object and keep their arguments."""
        known = self._fluent.get(name)
        if known is None:
            carries = any(self.carriers.get(prefix, False) for prefix in _prefixes(name))
            known = self._fluent[name] = carries and not name.endswith(_OF_STATE)
        return known

    def surely_keeps(self, name: str) -> bool:
        """True when the table says so; that a class keeps its arguments is a guess otherwise."""
        return any(prefix in self.carriers for prefix in _prefixes(name))

    def carried(self, base: str) -> str | None:
        """Why objects with the foreign base class `base` (canonical) are made to cross; None when they aren't."""
        if base in self.carried_bases:
            return self.carried_bases[base]
        return next(
            (what for suffix, what in self.carried_bases.items() if suffix[0] == "*" and base.endswith(suffix[1:])),
            None,
        )

    def needs_boundary(self, base: str) -> bool:
        """True when objects with the foreign base `base` (canonical) stay in the main process in most programs."""
        return base in self._sent_by_some

    def burden(self, name: str) -> str | None:
        """What an object made by `name` (canonical) is, where it should not be pickled along with others."""
        return next((self.burdens[prefix] for prefix in _prefixes(name) if prefix in self.burdens), None)


def _prefixes(name: str) -> list[str]:
    """`a.b().c` -> [`a.b().c`, `a.b()`, `a.b`, `a`]."""
    found = [name]
    while name:
        name = name[:-2] if name.endswith("()") else name.rpartition(".")[0]
        if name:
            found.append(name)
    return found


def _by_name(entries: Iterable[Mapping[str, Any]]) -> dict[str, Boundary]:
    return {made.callable: made for made in map(_boundary, entries)}


def _boundary(entry: Mapping[str, Any]) -> Boundary:
    return Boundary(
        entry["callable"],
        tuple(entry.get("parameters", ())),
        frozenset(entry.get("pickles", ("*",))),
        dict(entry.get("when", {})),
        {name: tuple(values) for name, values in entry.get("unless", {}).items()},
        entry.get("source", ""),
        bool(entry.get("always")),
        frozenset(map(HazardKind, entry.get("only", ()))),
        entry.get("says", ""),
        tuple(entry.get("unless_called", ())),
    )


@cache
def _own_entries() -> dict[str, Any]:
    return tomllib.loads((pkgutil.get_data(__package__, "boundaries.toml") or b"").decode())


@cache
def _own_boundaries() -> Mapping[str, Boundary]:
    """Those of the shipped table, which hold nothing that changes: made once for all runs of a process."""
    return _by_name(_own_entries()["boundary"])


@cache
def _own_table() -> Table:
    return Table(_own_entries())


def table(extra: Iterable[Mapping[str, object]] = ()) -> Table:
    """The shipped table and `extra` entries (same form as [[boundary]]), which win."""
    extra = tuple(extra)
    if extra:
        return Table(_own_entries(), extra)
    own = _own_table()
    own.forget_many()
    return own
