"""Which scripts may start processes at all, by the names that their statements lead to: a look before trees are read.

A statement can start processes only where a name that it mentions, followed through the definitions of such names, ends
at one of `_STARTS`, or in a file that has a word of the rule. Where several files define a name that is imported, all
of them count. `process_starts.py` follows no more than these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...flow.facts.records import FileFacts, project_facts
from ...project import Project
from .process_starts import SET_METHOD
from .screen import WORDS

_IN_WORD = re.compile(rf"\w*(?:{WORDS})\w*")  # no match of WORDS is longer than a word
_STARTS = re.compile(rf"{WORDS}|_spawn|{SET_METHOD.rpartition('.')[2]}|lightning|sentence_transformers")
_Statement = tuple[str, int]  # a file, and which of its statements


def may_start(project: Project) -> list[str]:
    """The Python files whose own statements may start processes, sorted."""
    if project.settings.boundaries:
        return [*project.python_paths]  # they may name anything
    for path in project.python_paths:
        project.note_text(path)
    search = _Search(project_facts(project), {source.path for source in project.matching(_IN_WORD, like=_IN_WORD)})
    return [path for path in project.python_paths if search.may_start(path)]


class _Search:
    def __init__(self, facts: Mapping[str, FileFacts], speaking: set[str]) -> None:
        """`speaking`: the files with a word of the rule."""
        self._facts, self._speaking = facts, speaking
        self._known_names: dict[str, bool] = {}
        self._cold: set[_Statement] = set()  # they are known to start nothing
        self._binding: dict[str, dict[str, list[_Statement]]] = {}  # by file and name
        self._anywhere: dict[str, list[_Statement]] = {}  # by name
        for path, own in facts.items():
            names: dict[str, list[_Statement]] = {}
            for at, statement in enumerate(own.statements):
                for name in statement.binds:
                    names.setdefault(name, []).append((path, at))
            self._binding[path] = names
            for name, places in names.items():
                self._anywhere.setdefault(name, []).extend(places)

    def may_start(self, path: str) -> bool:
        """Some statement of the file, definitions aside, may."""
        if path not in self._facts:
            return False
        todo = [(path, at) for at, statement in enumerate(self._facts[path].statements) if statement.acts]
        seen = set(todo)
        for each in todo:  # grows as it goes
            if each in self._cold:
                continue
            if self._starts(each):
                return True
            for other in self._leads_to(each):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        self._cold |= seen
        return False

    def _starts(self, place: _Statement) -> bool:
        statement = self._facts[place[0]].statements[place[1]]
        if place[0] in self._speaking and (statement.acts or statement.reads):  # no import
            return True
        return any(map(self._is_start, statement.reads)) or any(map(self._is_start, statement.others))

    def _is_start(self, name: str) -> bool:
        known = self._known_names.get(name)
        if known is None:
            known = self._known_names[name] = _STARTS.search(name) is not None
        return known

    def _leads_to(self, place: _Statement) -> Iterator[_Statement]:
        path = place[0]
        statement, own = self._facts[path].statements[place[1]], self._binding[path]
        for name in statement.reads:
            if name in own:
                yield from own[name]
            elif self._facts[path].star_imports:
                yield from self._anywhere.get(name, ())
        for name in statement.others:
            yield from self._anywhere.get(name, ())
