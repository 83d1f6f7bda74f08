"""A guard, and what goes under it that workers read: handed to them by the initializer of their pool, in one fix."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from ....finding import Edit, Fix
from ....project import Project
from ....settings import Settings
from ....syntax.modules import modules_of
from ....syntax.outline import outline_of
from ....syntax.repo import Repo
from ....tree.files import MemoryFiles
from ....tree.source import Source
from ..starts.process_starts import Starts
from .missing_answers import answers_for
from .missing_globals import missing_globals

MOST = 6  # values that may be handed over


def handed_over(settings: Settings, source: Source, guard: Sequence[Edit], names: frozenset[str]) -> Fix | None:
    """The edits of `guard`, with those that hand `names` to workers; None where that can't be done, or not safely.

    It is looked for in the file alone, as it is after `guard`: workers that only other files start get nothing.
    """
    guarded = source.apply(guard)
    project = Project(MemoryFiles({source.path: source.encode(guarded)}), settings)
    starts = Starts(project, Repo(project), project.derive(modules_of))
    outline, after = outline_of(project, source.path), project.source(source.path)
    if outline is None or after is None:
        return None
    found = list(missing_globals(starts, outline))
    answers = answers_for(starts, outline, after, False, found)
    fixes = {answer for name, answer in answers.items() if name in names and isinstance(answer, Fix)}
    if not names <= answers.keys() or any(answers[name].why_not(False) is not None for name in answers):
        return None
    edits = [edit for fix in sorted(fixes, key=lambda fix: fix.title) for edit in fix.edits]
    imports = tuple(dict.fromkeys(each for fix in fixes for each in fix.imports))
    listed = ", ".join(f"`{name}`" for name in sorted(names))
    title = f'Put what starts processes under `if __name__ == "__main__":`, and hand {listed} to the workers'
    return Fix(title, _difference(source, after.apply(edits)), imports)


def _difference(before: Source, after: str) -> tuple[Edit, ...]:
    """The edits, of whole lines, that make `after` of `before`."""
    old, new = before.text.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        Edit(before.path, starts[low], starts[high], "".join(new[first:last]))
        for kind, low, high, first, last in blocks
        if kind != "equal"
    )
