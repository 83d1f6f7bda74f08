"""The part of a plan that the user accepted, checked again as a whole: what is left out is left out with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..finding import Edit
from ..problem import Problem
from ..rule import Rule
from ..settings import Settings
from ..tree.files import Entry, Files
from .choices import Commits
from .migrate import check
from .results import Plan, Report, RuleChange
from .units import NewText, Unit, Units
from .verify import verify


@dataclass(frozen=True)
class Edited:
    """What a person wrote in the place of a unit: edits of the untouched files, by path."""

    edits: Mapping[str, tuple[Edit, ...]]


@dataclass(frozen=True)
class Selection:
    """The plan that is left, of the units `taken` (by number), and why a chosen unit is not in it."""

    plan: Plan
    left_out: Mapping[int, str]
    taken: frozenset[int]


class _Overlay:
    """`files` with the bytes of some replaced."""

    def __init__(self, files: Files, contents: Mapping[str, bytes]) -> None:
        self.files, self.contents = files, contents

    @property
    def root(self) -> str:
        return self.files.root

    def entries(self) -> Sequence[Entry]:
        rows = self.files.entries()
        return [replace(row, oid=None) if row.path in self.contents else row for row in rows]

    def read(self, path: str) -> bytes:
        return self.contents[path] if path in self.contents else self.files.read(path)


class Selector:
    """Cuts a plan down to chosen units. `files`, `settings`, `scope` and `rules` are those of the plan."""

    def __init__(
        self,
        units: Units,
        files: Files,
        settings: Settings,
        scope: str,
        rules: Mapping[str, Rule],
        commits: Commits = Commits.PER_RULE,
    ) -> None:
        self.units = units
        self.commits = commits
        self.files, self.settings, self.scope, self.rules = files, settings, scope, rules

    def select(self, chosen: Collection[int], edited: Mapping[int, Edited] | None = None) -> Selection:
        """The plan of the units `chosen`, with `edited` in the place of some of them.

        A unit whose text does not pass the checks of any rewritten file beside the others is left out, and so is one
        after which its rule finds more than it should.
        """
        by_hand = edited or {}
        left_out: dict[int, str] = {}
        taken = self._standing(frozenset(chosen), by_hand, left_out)
        if len(taken) == len(self.units.units) and not by_hand:
            plan = self.units.plan
            if self.commits is not Commits.PER_RULE:
                plan = replace(plan, changes=self._changes(taken, {}, plan.contents))
            return Selection(plan, {}, taken)
        while True:
            taken = self._verified(taken, by_hand, left_out)
            found = self._check(self._texts(taken, by_hand)) if taken else None
            more = self._surplus(taken, found) if found is not None else {}
            if not more:
                break
            wrong = [number for number in taken if self._is_of(self.units.units[number], more)]
            if not wrong:
                rule, path = min(more)
                raise Problem(f"what was accepted would leave more findings of {rule} in {path} than before (our bug)")
            for number in wrong:
                left_out[number] = "after it its rule finds a hazard in the file that it should not"
            taken = self._standing(taken - set(wrong), by_hand, left_out)
        return Selection(self._plan(taken, by_hand, found), left_out, taken)

    def contents(self, taken: Collection[int], edited: Mapping[int, Edited]) -> dict[str, bytes]:
        """The files that the units `taken` write, by path, without any check."""
        return encoded(self._texts(taken, edited))

    def steps(self, taken: Collection[int]) -> list[frozenset[int]]:
        """What is there after each commit of the units `taken`, when each is a commit as asked for."""
        units = self.units.units
        order = sorted(taken, key=lambda number: (units[number].group, number))
        last = [
            index + 1 == len(order)
            or self.commits is Commits.PER_FINDING
            or (self.commits is Commits.PER_RULE and units[order[index + 1]].group != units[number].group)
            for index, number in enumerate(order)
        ]
        return [frozenset(order[: index + 1]) for index, is_last in enumerate(last) if is_last]

    def why_not(self, number: int, edited: Edited) -> str | None:
        """What is wrong with `edited` in the place of unit `number`, when that is the only change; None: nothing."""
        selection = self.select(self.units.closed([number]), {number: edited})
        return selection.left_out.get(number)

    def _standing(
        self, chosen: frozenset[int], edited: Mapping[int, Edited], left_out: dict[int, str]
    ) -> frozenset[int]:
        """`chosen` without the units that lack one that they change the text of."""
        whole = len(chosen) == len(self.units.units) and not edited
        while True:
            lacking = {
                number
                for number in chosen
                if not self.units.units[number].requires <= chosen - edited.keys()
                or (self.units.units[number].tangled and not whole)
            }
            if not lacking:
                return chosen
            for number in lacking:
                missing = self.units.units[number].requires - (chosen - edited.keys())
                place = self._place(min(missing)) if missing else "all others"
                left_out[number] = f"it changes the text of another change that is not there as it was: {place}"
            chosen, whole = chosen - lacking, False

    def _place(self, number: int) -> str:
        unit = self.units.units[number]
        return ", ".join(f"{unit.rule} at {f.path}:{f.span.line}" for f in unit.findings[:1]) or unit.rule

    def _texts(self, taken: Collection[int], edited: Mapping[int, Edited]) -> dict[str, NewText]:
        """Raises ValueError where the edits by hand meet another change."""
        by_hand: dict[str, list[Edit]] = {}
        for number in sorted(edited.keys() & set(taken)):
            for path, edits in edited[number].edits.items():
                by_hand.setdefault(path, []).extend(edits)
        return self.units.texts(set(taken) - edited.keys(), edited=by_hand)

    def _why(self, taken: Collection[int], edited: Mapping[int, Edited], only: Collection[str]) -> str | None:
        """What is wrong with the texts of `taken` in the files `only`."""
        try:
            texts = self._texts(taken, edited)
        except ValueError as error:
            return str(error)
        for path in sorted(texts.keys() & set(only)):
            new = texts[path]
            why = verify(new.before, new.text, new.edits)
            if why is not None:
                return f"{why} ({path})"
        return None

    def _paths(self, number: int, edited: Mapping[int, Edited]) -> set[str]:
        return {*self.units.paths([number]), *(edited[number].edits if number in edited else ())}

    def _verified(
        self, taken: frozenset[int], edited: Mapping[int, Edited], left_out: dict[int, str]
    ) -> frozenset[int]:
        """`taken` without the units whose text fails a check, alone or beside those before them."""
        paths = {path for number in taken for path in self._paths(number, edited)}
        if self._why(taken, edited, paths) is None:
            return taken
        good: set[int] = set()
        for number in sorted(taken):
            if not self.units.units[number].requires <= good:
                continue
            why = self._why({*good, number}, edited, self._paths(number, edited))
            if why is None:
                good.add(number)
            else:
                left_out[number] = f"internal check failed: {why}"
        return self._standing(frozenset(good), edited, left_out)

    def _check(self, texts: Mapping[str, NewText]) -> Report:
        contents = {path: new.before.encode(new.text) for path, new in texts.items()}
        return check(_Overlay(self.files, contents), self.settings, self.scope, self.rules)

    def _surplus(self, taken: Collection[int], found: Report) -> dict[tuple[str, str], int]:
        """By rule and path, how many findings there are beyond those that may be left after `taken`."""
        units = self.units.units
        fixed = Counter((f.rule, f.path) for number in taken for f in units[number].findings)
        seen = Counter((f.rule, f.path) for unit in units for f in unit.findings)
        seen.update((f.rule, f.path) for f in self.units.remaining)
        seen |= Counter(self.units.plan.found_first)
        after = Counter((f.rule, f.path) for f in found.findings)
        if after - (seen - fixed):  # a rule's first look may have come after another rule's fix
            untouched = check(self.files, self.settings, self.scope, self.rules)
            seen |= Counter((f.rule, f.path) for f in untouched.findings)
        return dict(after - (seen - fixed))

    def _is_of(self, unit: Unit, more: Collection[tuple[str, str]]) -> bool:
        """True when `unit` may be the reason for `more`: its rule in its file; else whatever touches the file."""
        own = {(finding.rule, finding.path) for finding in unit.findings}
        fixed = {(f.rule, f.path) for other in self.units.units for f in other.findings}
        return bool(own & set(more)) or any(path in unit.fix.paths for rule, path in more if (rule, path) not in fixed)

    def _plan(self, taken: frozenset[int], edited: Mapping[int, Edited], found: Report | None) -> Plan:
        plan, units = self.units.plan, self.units.units
        changes = self._changes(taken, edited, encoded(self._texts(taken, edited)))
        declined = tuple(f for unit in units if unit.number not in taken for f in unit.findings)
        sources = found.sources if found is not None else plan.sources
        return replace(plan, changes=changes, remaining=self.units.remaining, sources=sources, declined=declined)

    def _changes(
        self, taken: frozenset[int], edited: Mapping[int, Edited], final: Mapping[str, bytes]
    ) -> tuple[RuleChange, ...]:
        """The units `taken`, commit by commit; the last one leaves the files as in `final`."""
        units = self.units.units
        groups: list[list[int]] = []
        for number in sorted(taken, key=lambda number: (units[number].group, number)):
            last = units[groups[-1][-1]] if groups else None
            together = last is not None and (
                self.commits is Commits.ONE
                or (self.commits is Commits.PER_RULE and last.group == units[number].group)
                # a commit that does not pass the checks without what comes next is no commit of its own
                or self._why(self._until(groups), edited, self._paths(groups[-1][-1], edited)) is not None
            )
            if together:
                groups[-1].append(number)
            else:
                groups.append([number])
        changes: list[RuleChange] = []
        before: Mapping[str, bytes] = {}
        for index, own in enumerate(groups):
            whole = index == len(groups) - 1
            after = final if whole else encoded(self._texts(self._until(groups[: index + 1]), edited))
            contents = {path: data for path, data in after.items() if before.get(path) != data}
            rules = dict.fromkeys(units[number].rule for number in own)
            findings = tuple(finding for number in own for finding in units[number].findings)
            changes.append(RuleChange(", ".join(rules), findings, contents))
            before = after
        return tuple(changes)

    def _until(self, groups: list[list[int]]) -> frozenset[int]:
        return frozenset(number for group in groups for number in group)


def encoded(texts: Mapping[str, NewText]) -> dict[str, bytes]:
    """The bytes of `texts` by path."""
    return {path: new.before.encode(new.text) for path, new in texts.items()}
