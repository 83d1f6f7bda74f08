"""Objects that a registry seems to give, and that lack what the code reads of them beside it.

    self.task = build_task(args)  # one of several classes
    self.rows = self.task.rows  # so it is none of those that have no `rows`

Only where another object that may be meant has the attribute, and the code reads it of any: under no condition.
"""

from __future__ import annotations

from ..solve.heap import INSTANCE
from ..solve.solution import Solution

_PLAIN_BASES = frozenset(
    {"object", "abc.ABC", "typing.Generic", "torch.utils.data.Dataset", "torch.utils.data.IterableDataset"}
)
_BY_NAME = frozenset({"__getattr__", "__getattribute__", "__slots__"})


class Lacking:
    """Answers for one solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._known: dict[tuple[int, str], bool] = {}
        self._always: dict[int, set[int]] = {}  # per file

    def read_beside(self, number: int, way: list[int], keeper: int) -> bool:
        """True where the object `number` is kept on its way by a method that reads of it what it has not.

        `keeper`: what keeps it at the end of the way (at its first node); its constructor counts too.
        """
        heap = self.solution.heap
        kept = keeper >= 0 and heap.values[keeper].kind == INSTANCE
        order = self.solution.hierarchy.order(int(heap.values[keeper].a)) if kept else ()
        for at in way:
            if heap.labels[at].startswith("stored as") and any(
                self._lacks(number, name) and self._another_has(at, name) for name in self._read(at, order)
            ):
                return True
            order = ()
        return False

    def _read(self, at: int, order: tuple[int, ...]) -> set[str]:
        """The attributes that the method which stores what is in the node reads of it, or a constructor of `order`."""
        heap, program, loads = self.solution.heap, self.solution.program, self.solution.constraints.loads
        stores = program.method_around(heap.file_of[at], heap.lines[at])
        found = set[str]()
        for node in heap.targets[at] or ():
            for name, result in loads.get(node, ()):
                if name.startswith("__") or not self._is_always_read(result):
                    continue
                index = program.method_around(heap.file_of[result], heap.lines[result])
                if index >= 0 and (index == stores or self._constructs(index, order)):
                    found.add(name)
        return found

    def _constructs(self, index: int, order: tuple[int, ...]) -> bool:
        """The method is the `__init__` of one of these classes."""
        program = self.solution.program
        file, method = program.functions[index]
        return method.name == "__init__" and program.class_offset[file] + method.owner in order

    def _is_always_read(self, result: int) -> bool:
        """Whenever the method runs."""
        file, program = self.solution.heap.file_of[result], self.solution.program
        if file not in self._always:
            self._always[file] = set(program.facts[file].always_read)
        return result - program.offsets[file] in self._always[file]

    def _another_has(self, at: int, name: str) -> bool:
        heap = self.solution.heap
        held = (heap.values[number] for number in heap.holds[at])
        mentioning = self.solution.hierarchy.mentioning.get(name, set())
        return any(
            value.kind == INSTANCE and not mentioning.isdisjoint(self.solution.hierarchy.order(int(value.a)))
            for value in held
        )

    def _lacks(self, number: int, name: str) -> bool:
        """Neither the class of the object nor other code mentions the attribute for it."""
        if (number, name) not in self._known:
            hierarchy, index = self.solution.hierarchy, int(self.solution.heap.values[number].a)
            order = hierarchy.order(index)
            self._known[number, name] = (
                hierarchy.mentioning.get(name, set()).isdisjoint(order)
                and not hierarchy.is_set_elsewhere(name)
                and _PLAIN_BASES.issuperset(hierarchy.all_foreign_bases(index))
                and not any(hierarchy.defines(at, frozenset({each})) for at in order for each in _BY_NAME)
            )
        return self._known[number, name]
