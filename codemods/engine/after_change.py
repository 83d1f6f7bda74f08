"""What a change of some files means for what rules read before it: which answers are still right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..finding import Finding
from ..flow.answers.crossing import Crossing
from ..flow.answers.crossings import flow_of
from ..flow.answers.instance_uses import InstanceUse
from ..flow.answers.introspection import Question as Inspection
from ..flow.answers.surroundings import NUMBERS, TEXTS
from ..flow.boundaries import table
from ..flow.facts import cache as facts_cache
from ..flow.facts.collector import facts_of
from ..flow.facts.moved import Moves, NoSuchPlace, Numbered, moves
from ..flow.facts.records import FileFacts
from ..hazard_kind import HazardKind
from ..questions import ask_again
from ..reads import Answered, Changed, Question, Reads
from ..rule import Loss
from ..syntax.moved_tree import moved_lines
from ..tree.parse import NotParsed, parsed
from ..tree.source import Source, UnreadableSource

if TYPE_CHECKING:
    from ..project import Project
    from .look import Look

ANSWERS = (Crossing, HazardKind, Inspection, InstanceUse, Loss)  # classes that answers are made of

_LINE = re.compile(r"\blines? \d+(?!\d| of )")  # of a file that is not named beside it
_DIGIT = re.compile(r"\d")


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
        self._good: dict[Question, Answered | None] = {}  # None: what the answer depends on is not as it was
        self.changed = [path for path in now if now[path] != before.get(path)]
        self._python = [path for path in self.changed if path.endswith(".py")]
        self._looks = tuple(looks)
        self._texts: dict[str, Changed] = {}
        self._given = False  # the project knows the answers
        self._moves: dict[str, bool | None] = {}
        self._keys: dict[tuple[str, str], frozenset[str]] = {}
        project.recall = self._recall

    def give_answers(self) -> None:
        """Tell the project what the value flow answers, as far as that is known, for what is found or asked again."""
        if self._given:
            return
        self._given = True
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

    def concerns_findings(self, findings: Iterable[Finding], reads: Reads) -> bool:
        """True when the change may alter the findings, which came of `reads`."""
        return self._concerns(reads, not any(map(self._may_name_place, findings)))

    def _may_name_place(self, found: Finding | Loss) -> bool:
        """It names a file that changed, or says a line without its file."""
        said = repr(found)
        return any(name in said for name in self._changed_names) or _LINE.search(said) is not None

    @cached_property
    def _changed_names(self) -> list[str]:
        return [repr(path)[1:-1] for path in self._python]

    def _concerns(self, reads: Reads, free: bool) -> bool:
        """True when the change may alter something of what was read, or what came of it.

        `free`: what came of it names no place in a file that changed, so lines that only move are no concern of it.
        """
        if any(self._is_read(path, reads) or self._has_other_tree(path, reads, free) for path in self.changed):
            return True
        if reads.parsed and self._facts is None:
            return True
        if reads.facts and self._moved is None:
            return True
        if any(self._answers_anew(question) for question in reads.asked):
            return True
        return bool(reads.answers) and bool(self._python) and not self._same_answers(reads, free)

    def as_now(self, reads: Reads) -> Reads:
        """`reads` of something that is kept: the answers of the value flow with the places as they are now."""
        if not reads.answers or not self._python or not self._moved:
            return reads
        found = (self._placed(*answer) for answer in reads.answers.items())
        answers = dict(answer for answer in found if answer is not None)
        return reads if answers == reads.answers else replace(reads, answers=answers)

    def _names_no_place(self, answer: Any) -> bool:
        """An answer has no number of a line of a changed file in it, be it in words."""
        if isinstance(answer, Loss):
            return not self._may_name_place(answer)
        if isinstance(answer, str):
            return _DIGIT.search(answer) is None or answer.isidentifier() or answer in self._now
        if isinstance(answer, dict):
            return all(map(self._names_no_place, (*answer, *answer.values())))
        if isinstance(answer, (tuple, list, set, frozenset)):
            return all(map(self._names_no_place, answer))
        return answer is None or isinstance(answer, (bool, Enum))

    def _has_other_tree(self, path: str, reads: Reads, free: bool) -> bool:
        """The syntax tree was asked for and is another one; `free`: that says something else than on which lines."""
        if path not in reads.trees:
            return False
        if path not in self._moves:
            self._moves[path] = self._moved_alone(path)
        moved = self._moves[path]
        return moved is None or (moved and not free)

    def _moved_alone(self, path: str) -> bool | None:
        """Whether lines of the syntax tree have moved; None where something else may be different."""
        with self._project.noting(None):
            now, before = self._project.module(path), self._source_before(path)
        if now is None or before is None:
            return None
        tree = parsed(before)
        lines = None if isinstance(tree, NotParsed) else moved_lines(tree, now)
        return None if lines is None else any(line != after for line, after in lines.items())

    def _source_before(self, path: str) -> Source | None:
        data = facts_cache.content(self._before.get(path, ""))
        try:
            return Source.from_bytes(path, data) if data is not None else None
        except UnreadableSource:
            return None

    def _is_read(self, path: str, reads: Reads) -> bool:
        if path in reads.texts:
            return True
        if path not in self._texts:
            is_python = path.endswith(".py")
            now, before = (self._project.source(path), self._source_before(path)) if is_python else (None, None)
            self._texts[path] = Changed(
                path,
                now.text if now else None,
                now.may_define if now else (),
                before=before.text if before else None,
                might_define=before.may_define if before else (),
            )
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
        self.give_answers()
        with self._project.noting(None):
            return bool(ask_again(self._project, question) != self._asked[question].answer)

    def _recall(self, question: Question) -> Answered | None:
        """The answer of before, where nothing that it depends on has changed."""
        known = self._asked.get(question)
        if known is None:
            return None
        if question not in self._good:
            concerned = self._concerns(known.reads, self._names_no_place(known.answer))
            reads = known.reads if concerned else self.as_now(known.reads)
            good = known if reads is known.reads else replace(known, reads=reads)
            self._good[question] = None if concerned else good
        return self._good[question]

    def _same_answers(self, reads: Reads, free: bool) -> bool:
        """The value flow answers the same; `free`: but for lines."""
        if self._facts is None:
            return False
        if self._moved is not None:
            answers = reads.answers.items()
            placed = ((asked, self._placed(*asked)) for asked in answers)
            return all(now is not None if free else now == asked for asked, now in placed)
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
        compared = self._asked.get(NUMBERS)
        named = table(self._project.settings.boundaries).numbers
        numbers = Numbered(named, compared.answer) if compared is not None else None
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
        sources = map(self._project.source, self._python)
        contents = {self._now[each.path]: each.encode(each.text) for each in sources if each is not None}
        made = {self._now[path]: now for path, (_, now) in zip(self._python, found, strict=True)}
        facts_cache.store(made, contents)
        self._project.by_text(FileFacts).update((now.path, now) for _, now in found)
        return found
