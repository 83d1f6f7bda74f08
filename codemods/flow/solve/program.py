"""The facts of all files side by side: one numbering of nodes, functions and classes for the whole repository."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from ...hazard_kind import HazardKind
from ...syntax.modules import Modules
from ..boundaries import Table
from ..facts.records import Class, FileFacts, Function, Position
from ..kinds import FunctionKind


class Hazard(NamedTuple):
    """A value that plain pickle rejects whatever holds it: `kind` and where it is made."""

    kind: HazardKind
    path: str
    position: Position


_Place = tuple[int, int]  # line and column


class Nested:
    """Stretches of one file, of which two are in each other or apart: beginning, end, and what stands there."""

    def __init__(self, spans: Iterable[tuple[_Place, _Place, int]]) -> None:
        self._spans = sorted(spans)
        self._outer: list[int] = []  # by each the one around it, -1 for none
        open_ones: list[int] = []  # those that have not ended yet
        for number, (_, end, _) in enumerate(self._spans):
            while open_ones and self._spans[open_ones[-1]][1] < end:
                open_ones.pop()
            self._outer.append(open_ones[-1] if open_ones else -1)
            open_ones.append(number)

    def around(self, start: _Place, end: _Place) -> int:
        """The innermost one that begins at `start` or before and ends at `end` or behind; -1 for none."""
        at = bisect_right(self._spans, start, key=itemgetter(0)) - 1
        while at >= 0 and self._spans[at][1] < end:
            at = self._outer[at]
        return self._spans[at][2] if at >= 0 else -1


@dataclass(frozen=True)
class Program:
    """What is known of a repository before anything is solved.

    Files, functions, classes and hazards go by their index in these lists. A number that belongs to one file (see
    `FileFacts`) plus the file's offset is the number in the whole repository.
    """

    table: Table
    modules: Modules
    files: list[str]
    facts: list[FileFacts]
    file_index: dict[str, int]
    offsets: list[int]  # per file: its first node
    functions: list[tuple[int, Function]]  # with the file
    function_offset: list[int]  # per file: its first function
    classes: list[tuple[int, Class]]  # with the file
    class_offset: list[int]  # per file: its first class
    hazards: list[Hazard]
    hazard_offset: list[int]  # per file: its first hazard
    entered: dict[Hazard, int] = field(default_factory=dict)  # hazards that show only when names are resolved
    _methods: dict[int, Nested] = field(default_factory=dict)  # per file that is asked for

    def enter(self, kind: HazardKind, file: int, position: Position) -> int:
        """The index of a hazard: a call, in one of the files, that makes something of the kind."""
        made = Hazard(kind, self.files[file], position)
        known = self.entered.get(made)
        if known is None:
            known = self.entered[made] = len(self.hazards)
            self.hazards.append(made)
        return known

    def parameters(self, function: int) -> set[int]:
        """The nodes of the parameters of a function."""
        file, made = self.functions[function]
        return {parameter.node + self.offsets[file] for parameter in made.parameters}

    @cached_property
    def own_parameters(self) -> dict[int, int]:
        """By method the node of its first parameter, `self` or another."""
        return {
            index: function.parameters[0].node + self.offsets[file]
            for index, (file, function) in enumerate(self.functions)
            if function.owner >= 0 and function.parameters
        }

    def method_around(self, file: int, line: int) -> int:
        """The innermost method of a file, of those with parameters, in which a line stands; -1 for none."""
        if file not in self._methods:
            functions = enumerate(self.facts[file].functions, self.function_offset[file])
            self._methods[file] = Nested(
                ((made.position[0], 0), (made.position[2], 0), index)
                for index, made in functions
                if made.kind is FunctionKind.METHOD and made.parameters
            )
        return self._methods[file].around((line, 0), (line, 0))

    def facts_of(self, path: str) -> FileFacts:
        """The facts of one of the files."""
        return self.facts[self.file_index[path]]


def lay_out(facts: Mapping[str, FileFacts], table: Table) -> Program:
    """The files of `facts` (by path), in their order."""
    files = list(facts)
    program = Program(
        table, Modules(files, table.packages), files, list(facts.values()),
        {path: index for index, path in enumerate(files)}, [], [], [], [], [], [], [],
    )  # fmt: skip
    nodes = 0
    for index, own in enumerate(program.facts):
        program.offsets.append(nodes)
        nodes += len(own.lines)
        program.function_offset.append(len(program.functions))
        program.functions.extend((index, function) for function in own.functions)
        program.class_offset.append(len(program.classes))
        program.classes.extend((index, made) for made in own.classes)
        program.hazard_offset.append(len(program.hazards))
        program.hazards.extend(Hazard(kind, own.path, position) for _, kind, position in own.hazards)
    return program
