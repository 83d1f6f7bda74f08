"""What a change of some files means for what rules read before it: which answers are still right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..flow.answers.crossing import Crossing
from ..flow.answers.crossings import flow_of
from ..flow.answers.instance_uses import InstanceUse
from ..flow.answers.introspection import Question as Inspection
from ..flow.answers.surroundings import TEXTS
from ..flow.boundaries import table
from ..flow.facts import cache as facts_cache
from ..flow.facts.collector import facts_of
from ..flow.facts.moved import Moves, NoSuchPlace, moves
from ..flow.facts.records import FileFacts
from ..hazard_kind import HazardKind
from ..questions import ask_again
from ..reads import Answered, Changed, Question, Reads

if TYPE_CHECKING:
    from ..project import Project
    from .look import Look

ANSWERS = (Crossing, HazardKind, Inspection, InstanceUse)  # classes that answers of the flow are made of


class AfterChange:
    """`project` after a change of files: `before` and `now` are the contents by git's id, `looks` what was found.

    Where the facts of the changed files are equal but for their places, and for numbers that nothing asks for, the
    value flow need not be solved again: the project gets its answers, for the rules that run again.
    """

    def __init__(
        self, project: Project, before: Mapping[str, str], now: Mapping[str, str], looks: Iterable[Look],
        asked: Mapping[Question, Answered],
    ) -> None:  # fmt: skip
        self._project, self._before, self._now = project, before, now
        self._asked = asked
        self._good: dict[Question, bool] = {}  # whether what the answer depends on is as it was
        self.changed = [path for path in now if now[path] != before.get(path)]
        self._python = [path for path in self.changed if path.endswith(".py")]
        self._looks = tuple(looks)
        self._texts: dict[str, Changed] = {}
        self._keys: dict[tuple[str, str], frozenset[str]] = {}
        project.recall = self._recall

    def give_answers(self) -> None:
        """Tell the project what the value flow answers, as far as that is known, for rules that run again."""
        # nobody may have to parse all files now: those that do not parse, or may not, are known by a look at them
        unread = {*self._python, *(path for look in self._looks for path in look.skipped)}
        for path in sorted(unread.intersection(self._project.python_paths)):
            self._project.module(path)
        if self._moved is None or self._answers_anew(TEXTS):
            return
        reads = [reads for look in self._looks for reads in look.all_reads()]
        reads += [answered.reads for answered in self._asked.values()]
        answers: dict[Question, Any] = {}
        for each in reads:
            answers |= each.answers
        for question, answer in answers.items():
            if (placed := self._placed(question, answer)) is not None:
                self._project.known[placed[0]] = placed[1]

    def concerns(self, reads: Reads) -> bool:
        """True when the change may alter something of what was read."""
        if any(self._is_read(path, reads) for path in self.changed):
            return True
        if reads.parsed and self._facts is None:
            return True
        if reads.facts and self._moved is None:
            return True
        if any(self._answers_anew(question) for question in reads.asked):
            return True
        return bool(reads.answers) and bool(self._python) and not self._same_answers(reads)

    def _is_read(self, path: str, reads: Reads) -> bool:
        if path in reads.texts:
            return True
        if path not in self._texts:
            source = self._project.source(path) if path.endswith(".py") else None
            self._texts[path] = Changed(path, source.text if source else None, source.may_define if source else ())
        return reads.concerned_by(self._texts[path]) or self._has_other_keys(path, reads)

    def _has_other_keys(self, path: str, reads: Reads) -> bool:
        if not path.endswith(".py"):
            return False
        for (index, key), paths in reads.keys.items():
            if (index, path) not in self._keys:
                with self._project.noting(None):
                    self._keys[index, path] = frozenset(ask_again(self._project, (index, path)))
            if (key in self._keys[index, path]) != (path in paths):
                return True
        return False

    def _answers_anew(self, question: Question) -> bool:
        """True when the question has another answer now, or had none."""
        if question not in self._asked:
            return True
        if self._recall(question) is not None:
            return False
        with self._project.noting(None):
            return bool(ask_again(self._project, question) != self._asked[question].answer)

    def _recall(self, question: Question) -> Answered | None:
        """The answer of before, where nothing that it depends on has changed."""
        known = self._asked.get(question)
        if known is None:
            return None
        if question not in self._good:
            self._good[question] = not self.concerns(known.reads)
        return known if self._good[question] else None

    def _same_answers(self, reads: Reads) -> bool:
        if self._facts is None:
            return False
        if self._moved is not None:
            return all(
                self._placed(question, answer) == (question, answer) for question, answer in reads.answers.items()
            )
        flow = flow_of(self._project)
        with self._project.noting(None):
            return all(
                getattr(flow, str(name))(*arguments) == answer for (name, *arguments), answer in reads.answers.items()
            )

    def _placed(self, question: Question, answer: Any) -> tuple[Question, Any] | None:
        """Both with the places as they are now; None where there is no saying."""
        try:
            for moved in self._moved or ():
                question, answer = moved.applied(question), moved.applied(answer)
        except NoSuchPlace:
            return None
        return question, answer

    @cached_property
    def _moved(self) -> list[Moves] | None:
        """How places moved in the changed files; None where more has changed."""
        if self._facts is None:
            return None
        numbers = table(self._project.settings.boundaries).numbers
        found = [moves(before, now, numbers) for before, now in self._facts]
        return None if None in found else [moved for moved in found if moved is not None]

    @cached_property
    def _facts(self) -> list[tuple[FileFacts, FileFacts]] | None:
        """The facts of the changed files before and now; None where one of them has none."""
        before = facts_cache.load({self._before[path] for path in self._python if path in self._before})
        found: list[tuple[FileFacts, FileFacts]] = []
        for path in self._python:
            old, tree = before.get(self._before.get(path, "")), self._project.module(path)
            if old is None or tree is None:
                return None
            found.append((old, facts_of(path, tree)))
        facts_cache.store({self._now[path]: now for path, (_, now) in zip(self._python, found, strict=True)})
        self._project.by_text(FileFacts).update((now.path, now) for _, now in found)
        return found
