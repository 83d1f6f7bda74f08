"""The files of a project as one run of a rule looks at them: outlines, files with a word, what names mean."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property

from ..project import Project
from ..word_index import is_word
from .modules import modules_of
from .outline import Outline, outline_of
from .resolver import Resolver

_Calls = list[tuple[Outline, ast.Call]]


class Repo:
    """Outlines of a project's files, and the files that mention a name; one per run of a rule."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._mentions: dict[str, list[Outline]] = {}
        self._using: dict[str, list[Outline]] = {}
        self._calling: dict[str, list[Outline]] = {}
        self._definitions: dict[str, list[tuple[Outline, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]] = {}
        self._methods: dict[str, list[tuple[Outline, ast.FunctionDef | ast.AsyncFunctionDef]]] = {}
        self._callers: dict[
            str, tuple[dict[ast.AST, list[tuple[Outline, ast.Call]]], list[tuple[Outline, ast.Call]]]
        ] = {}

    def outline(self, path: str) -> Outline | None:
        """The outline of a Python file; None when it does not parse."""
        return outline_of(self.project, path)

    @cached_property
    def resolver(self) -> Resolver:
        """What names mean in these files."""
        return Resolver(self.project, self.project.derive(modules_of))

    def mentioning(self, word: str) -> list[Outline]:
        """Outlines of the files in whose text `word` stands as a whole word."""
        if not word:
            return []
        if word not in self._mentions:
            if is_word(word):
                paths = self.project.with_words((word,))
            else:
                pattern = re.compile(rf"\b{re.escape(word)}\b")
                paths = [*self.project.paths_matching(pattern, part=word)]
            found = map(self.outline, paths)
            self._mentions[word] = [outline for outline in found if outline is not None]
        return self._mentions[word]

    def using(self, word: str) -> list[Outline]:
        """Those of `mentioning` where the word does not only stand in plain imports and as what `def` or `class` binds.

        By their text: the others, which are the most, need no look at their trees.
        """
        if not is_word(word):
            return self.mentioning(word)
        if word not in self._using:
            outlines = map(self.outline, self.project.marked("used", word))
            self._using[word] = [outline for outline in outlines if outline is not None]
        return self._using[word]

    def calling(self, word: str) -> list[Outline]:
        """Those of `mentioning` where a call by the name may stand, or by another name that an import gives it."""
        if not is_word(word):
            return self.mentioning(word)
        if word not in self._calling:
            outlines = map(self.outline, self.project.marked("called", word))
            self._calling[word] = [outline for outline in outlines if outline is not None]
        return self._calling[word]

    def methods(self, name: str) -> Sequence[tuple[Outline, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """Every method called `name`: what a call on an object of unknown class may run."""
        if name not in self._methods:
            self._methods[name] = [
                (outline, node)
                for outline, node in self._defined(name)
                if not isinstance(node, ast.ClassDef) and isinstance(outline.parents[node], ast.ClassDef)
            ]
        return self._methods[name]

    def called(
        self, outline: Outline, func: ast.expr
    ) -> Sequence[tuple[Outline, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The functions of the project that a call of `func` may run.

        Of an object whose class is not known that is every method of the name; of a foreign module, none.
        """
        found = self.resolver.functions(outline, func)
        if found or not isinstance(func, ast.Attribute) or self.resolver.is_foreign(outline, func):
            return found
        return self.methods(func.attr)

    def callers(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> _Calls:
        """The calls by its name that surely run a function of the project; none where it is not resolved."""
        return self._calls_of(function.name)[0].get(function, [])

    def callers_of_any_method(self, name: str) -> _Calls:
        """The calls `x.name(...)` on objects of unknown class, which may run every method of that name."""
        return self._calls_of(name)[1]

    def _calls_of(self, name: str) -> tuple[dict[ast.AST, _Calls], _Calls]:
        """Calls by `name`: of each function that they surely run, and those on objects of unknown class."""
        if name not in self._callers:
            known: dict[ast.AST, _Calls] = {}
            unknown: _Calls = []
            for outline in self.calling(name):
                for call in outline.calls.get(name, ()):
                    found = self.resolver.functions(outline, call.func)
                    for _, function in found:
                        known.setdefault(function, []).append((outline, call))
                    if found or not isinstance(call.func, ast.Attribute):
                        continue
                    if not self.resolver.is_foreign(outline, call.func):
                        unknown.append((outline, call))
            self._callers[name] = known, unknown
        return self._callers[name]

    def defined_at(
        self, path: str, line: int
    ) -> list[tuple[Outline, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The classes and functions whose `class` or `def` stands in this line of a file."""
        outline = self.outline(path)
        if outline is None:
            return []
        return [(outline, node) for node in outline.definitions_by_line.get(line, ())]

    def _defined(self, name: str) -> list[tuple[Outline, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
        if name and name not in self._definitions:
            # most files that have the word define nothing of that name, and are not worth an outline
            outlines = (self.outline(path) for path in self.project.may_define(name))
            self._definitions[name] = [
                (outline, node) for outline in outlines if outline for node in outline.definitions.get(name, ())
            ]
        return self._definitions.get(name, [])
