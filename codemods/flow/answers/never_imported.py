"""Files of definitions that no program, test or installed package of the repository imports: superseded code.

Only where that can be told: the repository has programs that import files of it, every Python file was read, nothing
imports modules by names that are put together, and no notebook may import them.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cached_property

from ..facts.records import FileFacts
from ..facts.test_code import is_test
from ..solve.solution import Solution
from .programs import Programs
from .surroundings import Surroundings

_ENTRY = frozenset({"hubconf.py"})  # files that something outside imports by their name


class NeverImported:
    """Answers for the files of one solution. `by_name`: those that code imports by a name it makes; -1: any."""

    def __init__(self, solution: Solution, surroundings: Surroundings, by_name: Set[int]) -> None:
        self.solution, self.surroundings, self.by_name = solution, surroundings, by_name

    def __call__(self, file: int) -> bool:
        """True when nothing runs the code of the file."""
        return file not in self._imported and bool(self._imported)

    @cached_property
    def _imported(self) -> set[int]:
        """The files that run, or may; empty where that can't be told."""
        program, named = self.solution.program, self._named
        if not self._all_is_read:
            return set()
        everywhere = set().union(*named)
        found = set(self.by_name)
        if -1 in found or not any(facts.runs and named[at] for at, facts in enumerate(program.facts)):
            return set()
        for file, facts in enumerate(program.facts):
            alone = bool(named[file]) and facts.path not in everywhere and not facts.path.endswith("__init__.py")
            if alone or self._is_root(facts):
                found.add(file)
        todo = list(found)
        while todo:
            for path in named[todo.pop()]:
                for each in self._with_packages(path):
                    if each not in found:
                        found.add(each)
                        todo.append(each)
        return found

    @cached_property
    def scripts(self) -> frozenset[int]:
        """The files that only start programs: nothing imports them, so no program runs two of them."""
        if not self._all_is_read or -1 in self.by_name:
            return frozenset()
        imported = {*set().union(*self._named), *(self.solution.program.files[file] for file in self.by_name)}
        facts_of = self.solution.program.facts_of
        return frozenset(
            file
            for file, facts in enumerate(self.solution.program.facts)
            if facts.runs and facts.path not in imported and not facts.path.endswith("__init__.py")
            if not is_test(facts.path, facts_of) and not self._may_be_imported(facts)
        )

    def _may_be_imported(self, facts: FileFacts) -> bool:
        """Code that is not here may import it: a text names it, or it is installed, and has no main guard."""
        definitions = {*(each.qualname for each in facts.functions), *(each.qualname for each in facts.classes)}
        if self.surroundings.is_named(facts.path, definitions):
            return True
        guarded = any(each.acts and "__name__" in each.reads for each in facts.statements)
        return not guarded and self.surroundings.is_installed(facts.path)

    @property
    def _all_is_read(self) -> bool:
        """All code of the repository that may import a file was read."""
        return not self.surroundings.notebooks and self.surroundings.python_files <= len(self.solution.program.files)

    @cached_property
    def _named(self) -> list[set[str]]:
        """Per file the files that its imports may mean."""
        programs = Programs(self.solution)
        return [set(self._named_in(programs, facts)) for facts in self.solution.program.facts]

    def _is_root(self, facts: FileFacts) -> bool:
        """It runs by itself: a program, a test, or what users of an installed package import.

        (So is what imports others and is imported by none: somebody calls what it defines.)
        """
        if facts.runs or facts.path.rpartition("/")[2] in _ENTRY or self.surroundings.is_installed(facts.path):
            return True
        return is_test(facts.path, self.solution.program.facts_of)

    def _named_in(self, programs: Programs, facts: FileFacts) -> Iterator[str]:
        """The files that the imports of a file may mean: `sys.path` may hold any folder."""
        yield from programs.imported(facts)
        named = [(module, name) for _, module, level, name in facts.imports if not level]
        for module, name in [*named, *((module, "") for module, level, _ in facts.star_imports if not level)]:
            if module.partition(".")[0] in self._by_stem:
                for stem in (module.rpartition(".")[2], name):
                    yield from self._by_stem.get(stem, ())

    def _with_packages(self, path: str) -> Iterator[int]:
        """A file, and those of the packages that it is in, which are imported first."""
        index = self.solution.program.file_index
        yield index[path]
        folder = path.rpartition("/")[0]
        while folder and (package := index.get(f"{folder}/__init__.py")) is not None:
            yield package
            folder = folder.rpartition("/")[0]

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        """The files by their names, packages by that of their folder; folders that are no packages too."""
        found: dict[str, list[str]] = {}
        for path in self.solution.program.files:
            *folders, last = path.removesuffix(".py").split("/")
            if last == "__init__" and folders:
                last = folders.pop()
            found.setdefault(last, []).append(path)
            for folder in folders:
                found.setdefault(folder, [])
        return found
