"""What becomes of globals that workers read and only the main process sets: set earlier, handed over, or kept."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence

from ....finding import Answer, Confidence, Fix, Refused
from ....syntax.binding_rules import takes_self
from ....syntax.callees import Function
from ....syntax.outline import Outline
from ....tree.source import Source
from ..starts.process_starts import Starts
from .edits import value_edits
from .guarded_values import GuardedValues
from .initializer import HandOver, NotDone
from .kept_global import KeptGlobal
from .missing_globals import MissingGlobal

_PASS = "pass `{}` as an argument (or by the `initializer` of a pool), or set it where the module is imported"
_LOAD = (
    "pass `{}` along (on the dataset, by a `functools.partial`, or by the `worker_init_fn` of the loader), or set it "
    "where the module is imported"
)
_KEEP = "keep `{}` on the object that is sent, or set it where the module is imported"


def answers_for(
    starts: Starts, outline: Outline, source: Source, imported: bool, found: Sequence[MissingGlobal]
) -> dict[str, Answer]:
    """By name. `imported`: another file imports this one.

    What is left after values that can be set above the guard goes together, or not at all: on the objects whose methods
    read it, by the initializer of the pool else, or where these objects are none that are sent.
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
    by_object = [missing for missing in rest if _is_read_by_methods(outline, missing)]
    kept, handed = KeptGlobal(starts, outline, source, imported), HandOver(starts, outline, source, imported)

    def keep(names: list[str]) -> Fix:
        return kept.fix(names, _readers(by_object))

    if by_object and _fixed(by_object, keep) is None:  # a worker may make the objects itself
        done = _fixed(rest, lambda names: handed.fix(names, _calls(rest), _readers(rest)))
        if done is not None:
            return answers | dict.fromkeys((missing.read.id for missing in rest), done)
    answers |= _together(by_object, keep, _KEEP)
    by_pool = [missing for missing in rest if missing not in by_object]
    for group in _by_pools(handed, by_pool):
        loaders = all(starts.loaders.is_loader(outline, call.func) for call in _calls(group))
        advice = _LOAD if loaders else _PASS
        answers |= _together(group, functools.partial(handed.fix, calls=_calls(group), readers=_readers(group)), advice)
    return _all_or_none(found, answers, starts.project.settings.unsafe_fixes)


def _all_or_none(found: Sequence[MissingGlobal], answers: dict[str, Answer], unsafe: bool) -> dict[str, Answer]:
    """`answers` without fixes for workers that stop all the same, as they lack another global too.

    `unsafe`: such fixes are wanted as well.
    """
    stops: dict[tuple[str, int], str] = {}  # by the place where workers are started, what stays
    for missing in found:
        stays = answers[missing.read.id].why_not(unsafe) is not None
        if stays and missing.guarded and missing.instead is None and missing.confidence.reaches(Confidence.LIKELY):
            stops.setdefault((missing.hop.path, missing.hop.line), missing.read.id)
    held: dict[Answer, str] = {}
    for missing in found:
        other = stops.get((missing.hop.path, missing.hop.line))
        answer = answers[missing.read.id]
        if other not in (None, missing.read.id) and answer.why_not(unsafe) is None:
            held[answer] = f"the worker would stop at `{other}` all the same, which is not fixed: begin with that"
    return {name: Refused(held[answer]) if answer in held else answer for name, answer in answers.items()}


def _by_pools(handed: HandOver, found: Sequence[MissingGlobal]) -> list[list[MissingGlobal]]:
    """Those together whose readers are sent to the same pool."""
    groups: list[tuple[set[ast.Call], list[MissingGlobal]]] = []
    for missing in found:
        pools = {pool for call in missing.calls for pool in handed.pools_of(call)}
        near = [group for group in groups if not group[0].isdisjoint(pools)]
        groups = [group for group in groups if group not in near]
        groups.append((pools.union(*(of for of, _ in near)), [each for _, some in near for each in some] + [missing]))
    return [some for _, some in groups]


def _fixed(group: Sequence[MissingGlobal], fix: Callable[[list[str]], Fix]) -> Fix | None:
    """The fix for the names of `group`, where there is one."""
    try:
        return fix([missing.read.id for missing in group])
    except (NotDone, Refused):
        return None


def _together(group: Sequence[MissingGlobal], fix: Callable[[list[str]], Fix], advice: str) -> dict[str, Answer]:
    """One fix for the names of `group`, or a reason for each."""
    names = [missing.read.id for missing in group]
    if not names:
        return {}
    try:
        done = fix(names)
    except NotDone as why:
        return {name: _in_words(advice.format(name), why) for name in names}
    except Refused as refusal:
        return dict.fromkeys(names, refusal.alone())
    return dict.fromkeys(names, done)


def _calls(group: Sequence[MissingGlobal]) -> dict[ast.Call, None]:
    return dict.fromkeys(call for missing in group for call in missing.calls)


def _readers(group: Sequence[MissingGlobal]) -> list[Function]:
    return [reader for missing in group for reader in missing.readers]


def _is_read_by_methods(outline: Outline, missing: MissingGlobal) -> bool:
    """Nothing else that workers run reads it, and they get an object."""
    of_classes = all(isinstance(outline.parents[reader], ast.ClassDef) for reader in missing.readers)
    return of_classes and any(map(takes_self, missing.readers))


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
        return refusal.alone()


def _in_words(advice: str, why: NotDone) -> Refused:
    return Refused(f"{advice} (not done here: {why})" if why.reason else advice)
