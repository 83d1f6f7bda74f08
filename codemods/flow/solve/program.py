"""The facts of all files side by side: one numbering of nodes, functions and classes for the whole repository."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...hazard_kind import HazardKind
from ...syntax.modules import Modules
from ..boundaries import Table
from ..facts.records import Class, FileFacts, Function, Position


class Hazard(NamedTuple):
    """A value that plain pickle rejects whatever holds it: `kind` and where it is made."""

    kind: HazardKind
    path: str
    position: Position


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
