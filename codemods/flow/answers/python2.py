"""Crossings in code that only Python 2 runs: no run of it gets any further by a fix."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ...finding import Hop, Trace
from ..facts.python2 import METHODS, MODULES
from ..facts.records import FileFacts, Python2Lines
from .programs import Programs


class Python2:
    """Answers for the files of one solution."""

    def __init__(self, programs: Programs) -> None:
        self.programs, self.program = programs, programs.solution.program
        self._whole: dict[str, Hop | None] = {}

    @cached_property
    def anywhere(self) -> bool:
        """Some file has such lines."""
        return any(facts.python2 for facts in self.program.facts)

    def of(self, trace: Trace) -> Hop | None:
        """Why only Python 2 comes to the end of the trace: a line that each program which does runs too."""
        if not self.anywhere:
            return None
        found = (self._of_line(hop.path, hop.line) or self._of_file(hop.path) for hop in trace)
        return next(filter(None, found), None) or self._of_scripts(trace[-1].path)

    def _of_line(self, path: str, line: int) -> Hop | None:
        facts = self.program.facts_of(path) if path in self.program.file_index else None
        rows = self._meant(facts) if facts is not None else ()
        return next((_hop(path, row) for row in rows if row.first <= line <= row.last), None)

    def _of_scripts(self, path: str) -> Hop | None:
        why = [self._of_file(script) for script in sorted(self.programs.scripts(path))]
        return why[0] if why and all(why) else None

    def _of_file(self, path: str) -> Hop | None:
        """Why Python 3 can't import the file, or what it imports whenever it is imported."""
        if path not in self._whole:
            self._whole[path] = None  # files that import each other
            facts = self.program.facts_of(path) if path in self.program.file_index else None
            self._whole[path] = self._found(facts) if facts is not None else None
        return self._whole[path]

    def _found(self, facts: FileFacts) -> Hop | None:
        own = next((_hop(facts.path, row) for row in self._meant(facts) if row.whole), None)
        if own is not None:
            return own
        bound = {name for each in facts.statements if not each.acts for name in each.binds}
        always = frozenset(facts.module_names[name] for name in bound if name in facts.module_names)
        imported = self.programs.imported(facts, always)
        return next(filter(None, map(self._of_file, imported)), None)

    def _meant(self, facts: FileFacts) -> Iterable[Python2Lines]:
        """The rows whose name is nothing of the repository."""
        return (row for row in facts.python2 if not self._is_own(facts.path, row.name))

    def _is_own(self, path: str, name: str) -> bool:
        if name in MODULES:
            return next(iter(self.program.modules.namesakes(path, name)), None) is not None
        return name in METHODS and any(function.name == name for _, function in self.program.functions)


def _hop(path: str, row: Python2Lines) -> Hop:
    return Hop(path, row.line, f"runs only under Python 2: Python 3 has no `{row.name}`")
