"""Which statements of a script go under `if __name__ == "__main__":`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from ....finding import Refused
from ....project import Project
from ....syntax.outline import Outline
from ....tree.source import Source
from ..side_effects import Harm, Repeated
from ..statements import is_print
from .one_guard import Run
from .splitter import Splitter


def split(
    project: Project,
    outline: Outline,
    source: Source,
    first: int | None,
    alone: Collection[int],
    imported: Mapping[str, str],
    repeats: Mapping[int, Repeated],
    prints: Collection[int] = (),
    outside: Collection[int] | None = None,
    check: Callable[[list[Run], bool], None] = lambda _, is_last: None,
    late: Collection[int] = (),
    handed: frozenset[str] = frozenset(),
) -> tuple[list[Run], str | None, list[int]]:
    """The statements to guard: those from `first` on that are no definitions, and each of `alone`.

    `imported`: names that other files import, with a file that does; `repeats`: what statements above `first` do that
    no child should do again; `prints`: statements that every child would print once more; `outside`: those that stay,
    where a guard below starts the workers, and no more than what they should not repeat goes into it;
    `check`: raises Refused where the statements can't go under guards for another reason; the last question is whether
    these can go at all; `late`: statements below all that starts processes, or uses these; `handed`: globals that
    workers get in another way.
    The guard begins at the first of these where one guard is enough, none that is quickly done above an import, else
    at the first that must not be repeated, else the second result says in words what is repeated. The third: those of
    `prints` that stay outside. Raises Refused.
    """
    spares = outside is not None
    splitter = Splitter(project, outline, source, imported, frozenset(outside or ()), frozenset(late), spares, handed)
    early = sorted(at for at in {*repeats, *prints, *alone} if first is None or at < first)
    early = [at for at in early if not splitter.sets_up_the_log(at)]
    below = [at for at, each in enumerate(outline.module.body) if isinstance(each, (ast.Import, ast.ImportFrom))]
    below = [at for at in below if first is None or at < first]
    early = [at for at in early if at not in repeats or not (repeats[at].is_quick and at < max(below, default=-1))]
    wrong = {at: found for at, found in repeats.items() if found.harm is Harm.WRONG}
    firm = next((at for at in early if at in wrong), first)
    runs, why = _first_that_fits(splitter, early, firm, first, frozenset(alone), frozenset(prints), check)
    inside = {at for run in runs for at in range(run.first, run.last + 1) if at not in run.above}
    left = {at: found.what for at, found in wrong.items() if at not in inside and first is not None and at < first}
    acts = [at for at in inside if not is_print(outline.module.body[at])]
    # what is left below code that went under a guard may need what that wrote
    left |= {at: found.what for at, found in repeats.items() if at not in inside and at > min(acts, default=at)}
    printed = [at for at in prints if at not in inside and at not in left]
    if not left:
        return runs, None, printed
    words = repeats_in_words(outline.module.body[min(left)].lineno, left[min(left)])
    return runs, f"{words}, which is not done here: {why}" if why else words, printed


def repeats_in_words(line: int, what: str) -> str:
    """Why a guard is unsafe that leaves `line`, which does `what`, to every worker."""
    return f"line {line} {what}, and would do it again in every child: it should go under the guard as well"


def needed_by_workers(project: Project, outline: Outline, source: Source) -> Mapping[str, str]:
    """Globals that functions and classes of the file read where a worker may run them, each with one that does."""
    return Splitter(project, outline, source, {}).needed()


def sets_up_the_log_of_workers(project: Project, outline: Outline, source: Source, at: int) -> bool:
    """The statement at `at` sets up the log that functions of the file, where workers run them, write to."""
    return Splitter(project, outline, source, {}).sets_up_the_log(at)


def _first_that_fits(
    splitter: Splitter,
    early: list[int],
    firm: int | None,
    first: int | None,
    alone: frozenset[int],
    prints: frozenset[int],
    check: Callable[[list[Run], bool], None],
) -> tuple[list[Run], str]:
    """One guard from the first of `early` on where that is possible; several at most from `firm` on.

    Those that begin earliest, where others would be as many. What only prints may have a guard of its own. The second
    result says why the guard can't begin at `firm`.
    """
    why = ""

    def checked(begin: int | None, more: frozenset[int], is_last: bool = False) -> list[Run]:
        runs = splitter.runs(begin, more)
        check(runs, is_last)
        return runs

    printed = frozenset(at for at in prints if at in early)
    several: list[list[Run]] = []

    def earliest(runs: list[Run]) -> list[Run]:
        return next((others for others in several if len(others) <= len(runs)), runs)

    for above in early:
        if firm is not None and above <= firm:
            with suppress(Refused):
                before = frozenset(at for at in alone | printed if at < above)
                runs = checked(above, before)
                if len(runs) == 1 or (before & printed and len(runs) <= len(before) + 1):
                    return earliest(runs), ""
                several.append(runs)
    for begin in dict.fromkeys((firm, first)):
        for more in dict.fromkeys((alone | printed, alone)):
            if (begin, more) != (first, alone):
                try:
                    runs = checked(begin, more)
                except Refused as refusal:
                    why = why or (refusal.reason if begin == firm else "")
                    continue
                return earliest(runs), why
    return earliest(checked(first, alone, is_last=True)), why
