"""What people decided about changes: a small file, one line per decision, to be committed and read by others.

    {
      "spawnfix-decisions": 1,
      "decisions": [
        {"id": "0c1f6d2ab937", "decision": "accepted", "rule": "lambdas", "place": "train.py: build", "note": "..."}
      ]
    }

Only `id` and `decision` are read back, with `note` and `edit`; the other keys are for the reader.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..problem import Problem
from ..tree.guarded import read_named
from ..tree.writing import written
from .model import Change, Review

FORMAT = "spawnfix-decisions"
VERSION = 1
MAX_BYTES = 64 * 2**20


class Choice(enum.Enum):
    """What becomes of a change."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one change. `edit` is the patch that a person wants in its place; `rule` and `place` say
    which change it was, for people."""

    choice: Choice
    note: str = ""
    edit: str = ""
    rule: str = ""
    place: str = ""


@dataclass(frozen=True)
class Decisions:
    """Decisions by the id of the change."""

    by_id: Mapping[str, Decision] = field(default_factory=dict)

    def of(self, change: Change) -> Decision:
        """The decision about `change`; undecided where there is none."""
        return self.by_id.get(change.id) or Decision(Choice.UNDECIDED)

    def with_decision(self, change: Change, choice: Choice, note: str | None = None, edit: str = "") -> Decisions:
        """These decisions, with another one about `change`; `note` None leaves the note as it is."""
        old = self.of(change)
        new = Decision(choice, old.note if note is None else note, edit, change.rule, place_of(change))
        return Decisions({**self.by_id, change.id: new})

    def stale(self, review: Review) -> dict[str, Decision]:
        """Decisions about what is not among the changes of `review`: the code changed, or its fix did."""
        known = review.by_id()
        return {id: decision for id, decision in self.by_id.items() if id not in known}

    def without(self, ids: Iterable[str]) -> Decisions:
        """These decisions less those about `ids`."""
        gone = set(ids)
        return Decisions({id: decision for id, decision in self.by_id.items() if id not in gone})


def all_accepted(review: Review) -> Decisions:
    """Decisions that take every change of `review`."""
    return Decisions({c.id: Decision(Choice.ACCEPTED, rule=c.rule, place=place_of(c)) for c in review.changes})


def place_of(change: Change) -> str:
    """Where `change` is, without line numbers, which move: `train.py: Model.forward`."""
    return f"{change.path}: {change.scope}" if change.scope else change.path


def read_decisions(file: Path) -> Decisions:
    """The decisions in `file`. Raises Problem, also when there is no such file."""
    try:
        text = read_named(file, MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"can't read the decisions in {file}: {getattr(error, 'strerror', None) or error}") from None
    return parse_decisions(text, str(file))


def parse_decisions(text: str, name: str) -> Decisions:
    """The decisions that `text` is; `name` says in a Problem where it comes from."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Problem(f"{name}: not valid JSON: {error}") from None
    if not isinstance(data, dict) or FORMAT not in data:
        raise Problem(f'{name}: not a file of decisions: it has no "{FORMAT}"')
    if data[FORMAT] != VERSION:
        raise Problem(f"{name}: decisions of format {data[FORMAT]!r}, and this spawnfix reads format {VERSION}")
    rows = data.get("decisions")
    if not isinstance(rows, list):
        raise Problem(f'{name}: "decisions" is not a list')
    found: dict[str, Decision] = {}
    for number, row in enumerate(rows, start=1):
        id, decision = _row(row, f"{name}: decision {number}")
        if id in found and found[id].choice is not decision.choice:
            raise Problem(f"{name}: decision {number}: {id} was decided before, in another way")
        found[id] = decision
    return Decisions(found)


def _row(row: object, where: str) -> tuple[str, Decision]:
    if not isinstance(row, dict):
        raise Problem(f"{where} is not an object")
    texts = {key: row.get(key, "") for key in ("id", "decision", "note", "rule", "place")}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise Problem(f'{where}: "{key}" is not a string')
    edit = row.get("edit", [])
    if not isinstance(edit, list) or not all(isinstance(line, str) for line in edit):
        raise Problem(f'{where}: "edit" is not a list of lines')
    if not texts["id"]:
        raise Problem(f'{where} has no "id"')
    choices = {choice.value: choice for choice in Choice}
    if texts["decision"] not in choices:
        raise Problem(f'{where}: "decision" must be one of {", ".join(choices)}, not {texts["decision"][:50]!r}')
    choice = choices[texts["decision"]]
    lines = "".join(f"{line}\n" for line in edit)
    return texts["id"], Decision(choice, texts["note"], lines, texts["rule"], texts["place"])


def rendered(decisions: Decisions) -> str:
    """`decisions` as the file has them: sorted, one per line, so that a diff shows what was decided anew."""
    rows = []
    for id, decision in sorted(decisions.by_id.items(), key=lambda row: (row[1].rule, row[1].place, row[0])):
        if decision.choice is Choice.UNDECIDED and not decision.note:
            continue
        row: dict[str, object] = {
            "id": id,
            "decision": decision.choice.value,
            "rule": decision.rule,
            "place": decision.place,
        }
        if decision.note:
            row["note"] = decision.note
        if decision.edit:
            row["edit"] = decision.edit.removesuffix("\n").split("\n")
        rows.append("    " + json.dumps(row, ensure_ascii=False))
    listed = ",\n".join(rows)
    body = f"[\n{listed}\n  ]" if rows else "[]"
    text = f'{{\n  "{FORMAT}": {VERSION},\n  "decisions": {body}\n}}\n'
    return text.encode("utf-8", "backslashreplace").decode()


def write_decisions(file: Path, decisions: Decisions) -> None:
    """Write `decisions` to `file`, all or nothing. Raises Problem."""
    try:
        written(file, rendered(decisions).encode())
    except OSError as error:
        raise Problem(f"can't write the decisions to {file}: {error.strerror or error}") from None
