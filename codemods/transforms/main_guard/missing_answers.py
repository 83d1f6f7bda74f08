"""What becomes of globals that workers read and only the main process sets: set earlier, or handed to their pool."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...finding import Answer, Fix, Refused
from ...syntax.callees import Function
from ...syntax.outline import Outline
from ...tree.source import Source
from .edits import value_edits
from .guarded_values import GuardedValues
from .initializer import HandOver, NotDone
from .missing_globals import MissingGlobal
from .process_starts import Starts


def answers_for(
    starts: Starts, outline: Outline, source: Source, imported: bool, found: Sequence[MissingGlobal]
) -> dict[str, Answer]:
    """By name. `imported`: another file imports this one.

    What is left after values that can be set above the guard is handed over together, or not at all.
    """
    answers: dict[str, Answer] = {}
    rest: list[MissingGlobal] = []
    for missing in found:
        name = missing.read.id
        moved = _above(starts, outline, source, imported, missing)
        if moved is None:
            rest.append(missing)
        else:
            answers[name] = moved
    if rest:
        names = [missing.read.id for missing in rest]
        calls: dict[ast.Call, None] = dict.fromkeys(call for missing in rest for call in missing.calls)
        readers: list[Function] = [reader for missing in rest for reader in missing.readers]
        together: Answer
        try:
            together = HandOver(starts, outline, source, imported).fix(names, calls, readers)
        except Refused as refusal:
            together = refusal
        for name in names:
            answers[name] = _in_words(name, together) if isinstance(together, NotDone) else together
    return answers


def _above(starts: Starts, outline: Outline, source: Source, imported: bool, missing: MissingGlobal) -> Answer | None:
    """The fix that sets the value above the guard; None where it can't be set there."""
    if missing.guard is None:
        return None
    name = missing.read.id
    setting = GuardedValues(starts, outline, missing.guard, imported).movable(name)
    if setting is None:
        return None
    try:
        return Fix(f"Set `{name}` above the main guard", value_edits(source, missing.guard, setting))
    except Refused as refusal:
        return refusal


def _in_words(name: str, why: NotDone) -> Refused:
    advice = f"pass `{name}` as an argument (or by the `initializer` of a pool), or set it where the module is imported"
    return Refused(f"{advice} (not done here: {why})" if why.reason else advice)
