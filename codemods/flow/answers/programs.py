"""Which lines one program can run: scripts, and the files that they import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ..facts.records import FileFacts
from ..facts.test_code import is_test
from ..solve.heap import MODULE
from ..solve.solution import Solution


class Programs:
    """Answers for the files of one solution. A script is a file that no other file imports, tests aside."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._importing: dict[str, frozenset[str]] = {}

    def start_method(self, path: str) -> tuple[str, str] | None:
        """A method and the `path:line` that sets it, where half the scripts that run `path` or more set one."""
        scripts = self.scripts(path)
        setting: set[str] = set()
        first: tuple[str, str] | None = None
        for start in self._starts:
            runs = frozenset({start[0]}) if not start[3] else self.scripts(start[0]) | {start[0]}
            if runs & scripts:
                setting |= runs & scripts
                first = first or (start[2], f"{start[0]}:{start[1]}")
        return first if 2 * len(setting) >= len(scripts) else None

    def forks(self, path: str) -> str:
        """`path:line` of a call that chooses fork for every program that runs `path`; "" where there is none.

        It stands in a package that `path` is in, which is imported first, or each script makes it or imports one.
        """
        if not self._forking:
            return ""
        scripts = self.scripts(path)
        if any((self.scripts(start[0]) | {start[0]}) & scripts for start in self._starts):
            return ""
        if place := self._forks_in_package((path,)):
            return place
        places = [self._forks_in_script(script) for script in sorted(scripts)]
        return places[0] if all(places) else ""

    def _forks_in_script(self, path: str) -> str:
        if path in self._forking:
            return f"{path}:{self._forking[path][0]}"
        facts = self.solution.program.facts_of(path)
        always = frozenset(facts.module_names.values())
        return self._forks_in_package(self.imported(facts, always))

    def _forks_in_package(self, paths: Iterable[str]) -> str:
        """The call in a package that one of `paths` is in."""
        for path in paths:
            for file, (line, in_function) in self._forking.items():
                package = file.removesuffix("__init__.py")
                if package.endswith("/") and path.startswith(package) and not in_function:
                    return f"{file}:{line}"
        return ""

    @cached_property
    def _forking(self) -> dict[str, tuple[int, bool]]:
        """Calls that choose fork whatever the arguments and the machine, by file: line, whether in a function."""
        return {
            path: (line, start.in_function)
            for (path, line), start in sorted(self.solution.start_methods.items(), reverse=True)
            if start.method == "fork" and not start.conditional
            if not is_test(path, self.solution.program.facts_of)
        }

    @cached_property
    def _starts(self) -> list[tuple[str, int, str, bool]]:
        """Calls that choose spawn or forkserver, outside of tests: path, line, method, whether in a function."""
        return [
            (path, line, start.method, start.in_function)
            for (path, line), start in sorted(self.solution.start_methods.items())
            if start.method in ("spawn", "forkserver") and not is_test(path, self.solution.program.facts_of)
        ]

    def scripts(self, path: str) -> frozenset[str]:
        """The scripts that import `path`, directly or not; `path` itself where there is none."""
        known = self._importing.get(path)
        if known is None:
            seen, todo = {path}, [path]
            while todo:
                for importer in self._importers.get(todo.pop(), ()):
                    if importer not in seen:
                        seen.add(importer)
                        todo.append(importer)
            tops = {top for top in seen if not self._importers.get(top)}
            known = self._importing[path] = frozenset(tops or {path})
        return known

    @cached_property
    def _importers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for facts in self.solution.program.facts:
            if not is_test(facts.path, self.solution.program.facts_of):
                for target in self.imported(facts):
                    found.setdefault(target, set()).add(facts.path)
        return found

    def modules_at(self, node: int) -> set[int]:
        """The modules that a node holds, and those that they take names from."""
        program = self.solution.program
        held = (self.solution.heap.values[number] for number in self.solution.heap.holds[node])
        todo = [int(value.a) for value in held if value.kind == MODULE]
        found = set(todo)
        while todo:
            for path in self.imported(program.facts[todo.pop()]):
                if (file := program.file_index[path]) not in found:
                    found.add(file)
                    if path.endswith("__init__.py"):
                        todo.append(file)
        return found

    def imported(self, facts: FileFacts, among: frozenset[int] | None = None) -> Iterator[str]:
        """The files that the imports of a file name; `among`: the imports that bind one of these nodes."""
        modules = self.solution.program.modules
        named = [(level, module, name) for node, module, level, name in facts.imports if among is None or node in among]
        named += [(level, module, "") for module, level, _ in facts.star_imports]
        for level, module, name in named:
            dotted = [module, f"{module}.{name}" if module else name] if name not in ("", "*") else [module]
            for inner in dotted:
                target = modules.relative(facts.path, level, inner) if level else modules.absolute(facts.path, inner)
                if target is not None and target != facts.path:
                    yield target
