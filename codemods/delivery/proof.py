"""`migrate --verify COMMAND`, `--run COMMAND`: the command before and after the changes; what breaks it is left out."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..engine.results import Plan
from ..engine.selection import Edited, Selection, Selector
from ..operating_system import cannot_be, link_or_file, remove_folder
from ..problem import Problem
from .command_run import NOT_RUN, Outcome
from .target import Target

_LINK = "120000"


@dataclass(frozen=True)
class Proof:
    """What the command said. `broken` are the units that are left out, and the outcome with each of them."""

    command: str
    base: Outcome
    selection: Selection
    after: Outcome
    broken: Mapping[int, tuple[str, Outcome]] = field(default_factory=dict)
    runs: int = 0


class Prover:
    """Runs `command` on copies of the files at `target`, in folders of ours. `say` is told what it comes to.

    `run` runs it in the folder; `watched`: as a program (`--run`), not as a command that judges (`--verify`).
    """

    def __init__(
        self,
        target: Target,
        selector: Selector,
        command: str,
        run: Callable[[Path], Outcome],
        say: Callable[[str], None],
        watched: bool = False,
    ) -> None:
        self.target, self.selector, self.command = target, selector, command
        self.run, self.say = run, say
        self.flag, self.subject = ("--run", "the program") if watched else ("--verify", "the command")
        self._outcomes: dict[frozenset[int], Outcome] = {}

    def prove(self, selection: Selection, edited: Mapping[int, Edited]) -> Proof:
        """`selection` without the units that make the command worse than it was on the untouched files.

        Raises Problem, also when the command is none that can be run.
        """
        base = self._run(frozenset(), edited)
        if base.code in NOT_RUN:
            raise Problem(self._not_run(base))
        self.say(f"verify: before any change {self.subject} {base.words}{base.caution}")
        units = self.selector.units.units
        good: frozenset[int] = frozenset()
        broken: dict[int, tuple[str, Outcome]] = {}
        for group in sorted({units[number].group for number in selection.taken}):
            rest = [number for number in sorted(selection.taken) if units[number].group == group]
            while rest:
                rest = [number for number in rest if units[number].requires <= {*good, *rest}]
                if self._worse(base, good | set(rest), edited) is None:
                    good |= set(rest)
                    break
                culprit = self._first_bad(base, good, rest, edited)
                bad = good | set(rest[: culprit + 1])
                why = self._worse(base, bad, edited) or ""
                broken[rest[culprit]] = (why, self._run(bad, edited))
                self.say(f"verify: left out {self._place(rest[culprit])}: with it {why}")
                good |= set(rest[:culprit])
                rest = rest[culprit + 1 :]
        if broken:
            left_out = {**selection.left_out, **{number: f"with it {why}" for number, (why, _) in broken.items()}}
            fewer = self.selector.select(good, {n: e for n, e in edited.items() if n in good})
            selection = Selection(fewer.plan, {**left_out, **fewer.left_out}, fewer.taken)
        after = self._run(selection.taken, edited)
        self.say(f"verify: after the changes it {after.words} ({len(self._outcomes)} runs)")
        marked = self._marked(selection.plan, selection.taken)
        return Proof(self.command, base, replace(selection, plan=marked), after, broken, len(self._outcomes))

    def _not_run(self, outcome: Outcome) -> str:
        said = next((line.strip() for line in reversed(outcome.output.splitlines()) if line.strip()), "")
        what = f"`{self.command}` can't be run (exit code {outcome.code}{f': {said}' if said else ''})"
        hint = "The shell runs it in a copy of what is committed: name an installed program, or one of the repository"
        return f"{self.flag}: {what}; nothing was changed. {hint}"

    def _marked(self, plan: Plan, taken: frozenset[int]) -> Plan:
        """`plan` whose commits say what the command said after them, where it was run there."""
        steps = self.selector.steps(taken)
        if len(steps) != len(plan.changes):  # commits that go together
            steps = [*[frozenset[int]()] * (len(plan.changes) - 1), taken][: len(plan.changes)]
        changes = tuple(
            replace(change, verified=f"{self.command}: {self._outcomes[step].words}")
            if step and step in self._outcomes
            else change
            for change, step in zip(plan.changes, steps, strict=True)
        )
        return replace(plan, changes=changes)

    def _first_bad(self, base: Outcome, good: frozenset[int], rest: Sequence[int], edited: Mapping[int, Edited]) -> int:
        """The index in `rest` of the first unit with which the command is worse, those before it in place."""
        low, high = 0, len(rest)  # fine with `low` units, worse with `high`
        while high - low > 1:
            middle = (low + high) // 2
            if self._worse(base, good | set(rest[:middle]), edited) is None:
                low = middle
            else:
                high = middle
        return high - 1

    def _worse(self, base: Outcome, taken: Collection[int], edited: Mapping[int, Edited]) -> str | None:
        return self._run(frozenset(taken), edited).worse_than(base)

    def _place(self, number: int) -> str:
        unit = self.selector.units.units[number]
        first = unit.findings[0]
        return f"{unit.rule} at {first.path}:{first.span.line}"

    def _run(self, taken: frozenset[int], edited: Mapping[int, Edited]) -> Outcome:
        if taken not in self._outcomes:
            contents = self.selector.contents(taken, edited)
            with _copy(self.target, contents, self.flag) as folder:
                self._outcomes[taken] = self.run(folder)
        return self._outcomes[taken]


@contextlib.contextmanager
def _copy(target: Target, contents: Mapping[str, bytes], flag: str) -> Iterator[Path]:
    """A folder of ours with the files of `target`, those in `contents` replaced; it goes at the end. Raises Problem."""
    if target.commit is None:
        raise Problem(f"{flag} needs a git repository")
    try:
        folder = Path(tempfile.mkdtemp(prefix="spawnfix-verify-")).resolve()
    except OSError as error:
        raise Problem(_not_copied(flag, error)) from None
    try:
        try:
            _fill(folder, target, contents)
        except OSError as error:
            raise Problem(_not_copied(flag, error)) from None
        yield folder  # what the command does there has its own errors
    finally:
        remove_folder(folder)


def _not_copied(flag: str, error: OSError) -> str:
    return f"{flag}: the files can't be copied: {error.strerror or error}"


def _fill(folder: Path, target: Target, contents: Mapping[str, bytes]) -> None:
    assert target.commit is not None
    blobs = target.commit.repository.blobs
    rows = sorted(target.commit.tree.items(), key=lambda row: row[1][0] == _LINK)
    for path, (mode, oid) in rows:  # links come last: nothing is written through one
        place = folder / path
        if cannot_be(path):
            continue  # git would not check it out either
        if mode == _LINK:
            to = os.fsdecode(blobs.read(oid, path))
            inside = os.path.normpath(os.path.join(os.path.dirname(path), to))  # noqa: PTH118, PTH120
            if not os.path.isabs(to) and not inside.startswith("..") and not os.path.lexists(place):  # noqa: PTH117
                place.parent.mkdir(parents=True, exist_ok=True)
                link_or_file(place, to)
        elif mode.startswith("100"):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(contents[path] if path in contents else blobs.read(oid, path))
            place.chmod(0o755 if mode == "100755" else 0o644)


def as_json(proof: Proof, selector: Selector) -> dict[str, object]:
    """`proof` for programs: the outcome before, after, and with each fix that was left out."""
    rows = []
    for number, (why, outcome) in proof.broken.items():
        first = selector.units.units[number].findings[0]
        rows.append({"rule": first.rule, "path": first.path, "line": first.span.line, "why": why, **_row(outcome)})
    return {
        "command": proof.command,
        "runs": proof.runs,
        "before": _row(proof.base),
        "after": _row(proof.after),
        "left_out": rows,
    }


def _row(outcome: Outcome) -> dict[str, object]:
    return {
        "passed": outcome.passed,
        "code": outcome.code,
        "timed_out": outcome.timed_out,
        "seconds": round(outcome.seconds, 3),
        "failed_tests": None if outcome.failed is None else sorted(outcome.failed),
        **outcome.details,
        "output": outcome.output,
    }
