"""What each rule found, kept between runs: after a change of some files, only the rules that it concerns run again.

A look is as good as new when nothing that was asked for on the way to it has changed; `Reads` knows what that was, and
`AfterChange` whether it has.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..finding import Confidence, Edit, Finding, Fix, Hop, Import, Skipped, Span
from ..flow.facts import cache as facts_cache
from ..reads import Answered, Question, Reads
from ..store import Store, packed, unpacked
from .after_change import ANSWERS, AfterChange
from .look import Look, Part, beyond_limits

if TYPE_CHECKING:
    from ..project import Project
    from ..rule import Rule
    from .run import Run

MAX_BYTES = 256 * 2**20
MAX_ROW = 32 * 2**20  # bytes of the looks of one run, packed
_CLASSES = (Answered, Confidence, Edit, Finding, Fix, Hop, Import, Look, Part, Reads, Skipped, Span, set, *ANSWERS)
STORE = Store("looks.sqlite", ("looks",), ("CREATE TABLE IF NOT EXISTS looks (question TEXT PRIMARY KEY, data BLOB)",))
STATS = facts_cache.CacheStats()  # of looks


class LookCache:
    """The looks of the last run of one question: the same program, files (by name), settings, and rules."""

    def __init__(self, question: str) -> None:
        self._question = question

    def recall(self, run: Run, project: Project, rules: Iterable[Rule]) -> dict[str, Look]:
        """The looks that are still good, by rule. Never raises but for the files."""
        rules = [*rules]
        known: dict[str, Look] = {}
        with contextlib.suppress(Exception):
            blobs, looks, asked = self._read(_asked(run))
            after = AfterChange(project, blobs, _blobs(run, blobs), looks.values(), asked)
            for rule in rules:
                look = looks.get(rule.id)
                if look is None:
                    continue
                parts = {
                    path: Part(part.findings, after.as_now(part.reads))
                    for path, part in look.parts.items()
                    if not after.concerns_findings(part.findings, part.reads)
                }
                if len(parts) == len(look.parts) and not after.concerns_findings(look.said(), look.reads):
                    rows = {path: row for path, row in look.skipped.items() if path not in after.changed}
                    known[rule.id] = replace(look, skipped=rows, reads=after.as_now(look.reads), parts=parts)
                elif run.parts is not None:
                    run.parts[rule.id] = parts
            if len(known) < len(rules):
                after.give_answers()
        STATS.hits += len(known)
        STATS.lookups += len(rules)
        return known

    def keep(self, run: Run, project: Project, looks: Mapping[str, Look]) -> None:
        """Remember what the rules of a whole run found. Never raises."""
        if beyond_limits(looks.values()):
            return  # what one rule found depends on the others
        good = {rule: look for rule, look in looks.items() if not look.crashes}
        with contextlib.suppress(Exception):
            asked = _answers(project, good.values())
            reads = (*(look.reads for look in good.values()), *(answered.reads for answered in asked.values()))
            blobs = _blobs(run, {path for each in reads for path in each.texts | each.trees})
            data = packed((_asked(run), blobs, good, asked))
            if len(data) <= MAX_ROW:
                with STORE.opened(MAX_BYTES) as database:
                    database.execute("INSERT OR REPLACE INTO looks VALUES (?, ?)", (self._question, data))

    def _read(self, asked: object) -> tuple[dict[str, str], dict[str, Look], dict[Question, Answered]]:
        with STORE.opened(MAX_BYTES) as database:
            row = database.execute("SELECT data FROM looks WHERE question = ?", (self._question,)).fetchone()
        before: Any
        blobs: Any
        looks: Any
        answers: Any
        before, blobs, looks, answers = unpacked(row[0], _CLASSES)  # type: ignore[misc]  # what else it is raises
        if before != asked:
            return {}, {}, {}
        if not isinstance(blobs, dict) or not all(isinstance(look, Look) for look in looks.values()):
            raise ValueError("not looks")
        if not all(isinstance(answered, Answered) for answered in answers.values()):
            raise ValueError("no answers")
        return blobs, looks, answers


def _answers(project: Project, looks: Iterable[Look]) -> dict[Question, Answered]:
    """The answers that the looks depend on, and those that these depend on; some may not be known here."""
    found: dict[Question, Answered] = {}
    reads = [reads for look in looks for reads in look.all_reads()]
    todo = [question for each in reads for question in each.asked]
    indexes = {index for each in reads for index, _ in each.keys}
    todo += [(index, path) for index in indexes for path in project.python_paths]  # they answer `Project.with_key`
    while todo:
        question = todo.pop()
        answered = project.asked.get(question) or project.recall(question)
        if question not in found and answered is not None:
            found[question] = answered
            todo += answered.reads.asked
    return found


def _asked(run: Run) -> tuple[object, ...]:
    """What else a look depends on: it differs from run to run as the files do."""
    return run.scope, sorted(run.careful)


def _blobs(run: Run, more: Iterable[str]) -> dict[str, str]:
    """The contents of all files that are screened, and of `more`, by git's id; "" for what can't be read."""
    found = {path: facts_cache.blob_id(data) for path, data in run.files.kept.items()}
    for path in more:
        if path not in found:
            try:
                found[path] = facts_cache.blob_id(run.files.read(path))
            except OSError:
                found[path] = ""
    return found
