"""Items of a nested dict that nobody opens: of all that such a dict has, these may be the plain ones.

class Options(dict):
    def __init__(self, values):
        for name, value in values.items():
            self[name] = Options(value) if isinstance(value, dict) else value

Rows(options.data.folder)  # keeps `self.folder`, and asks for no part of it: a text, and no `Options`

All items of all objects of the class are one node, so what one of them is seems to be any.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ..solve.attributes import ITEMS
from ..solve.heap import FOREIGN, INSTANCE
from ..solve.solution import Solution
from .trace import Reasons, chain_of

# modules whose functions take paths and numbers
_WANT_TEXTS = frozenset({"os", "pathlib", "glob", "io", "shutil", "numpy", "cv2", "PIL", "h5py", "open"})
_TAKE_ANYTHING = frozenset({"str", "print", "repr"})  # which says nothing of what it is


class OpenedItems:
    """Answers for the traces of one solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._opened: dict[tuple[int, int], bool] = {}  # by value, and the node where it is taken out

    def unopened(self, number: int, reasons: Reasons) -> bool:
        """An item of a dict of its own class is kept on the way as it is, and no code looks into it."""
        return any(self._is_unopened(each, reasons) for each in chain_of(reasons, number))

    def _is_unopened(self, number: int, reasons: Reasons) -> bool:
        heap, hierarchy = self.solution.heap, self.solution.hierarchy
        value, node, parent = heap.values[number], reasons[number].node, reasons[number].parent
        if node < 0 or parent < 0 or value.kind != INSTANCE or heap.values[parent].kind != INSTANCE:
            return False
        if not hierarchy.is_bag(int(value.a)) or hierarchy.is_bag(int(heap.values[parent].a)):
            return False
        items = {self.solution.attributes.get(at, {}).get(ITEMS, -1) for at in hierarchy.order(int(value.a))} - {-1}
        way = [*heap.way(number, node)]
        behind = way[: next((at for at, each in enumerate(way) if each in items), 0)]
        taken = next((each for each in behind if each in self._taken), -1)
        return taken >= 0 and not self._is_opened(number, taken)

    @cached_property
    def _taken(self) -> frozenset[int]:
        """The nodes of what code takes out of an object."""
        constraints = self.solution.constraints
        loaded = (result for taken in constraints.loads.values() for _, result in taken)
        return frozenset((*loaded, *(result for taken in constraints.elements.values() for result, _ in taken)))

    def _is_opened(self, number: int, start: int) -> bool:
        """Some code asks for a part of the value, from the node `start` on."""
        known = self._opened.get((number, start))
        if known is None:
            known = self._opened[number, start] = self._look(number, start)
        return known

    @cached_property
    def _given_away(self) -> frozenset[int]:
        """The nodes of what a call gets by `**`, and of what code that is not in sight gets and may look into."""
        return self._given_to(lambda module: module not in _WANT_TEXTS | _TAKE_ANYTHING, stars=True)

    @cached_property
    def _shown(self) -> frozenset[int]:
        """The nodes of what is turned into a text, as any object may be."""
        return self._given_to(_TAKE_ANYTHING.__contains__)

    @cached_property
    def _texts(self) -> frozenset[int]:
        """The nodes of what code gets that wants texts and numbers."""
        return self._given_to(_WANT_TEXTS.__contains__)

    def _given_to(self, wanted: Callable[[str], bool], stars: bool = False) -> frozenset[int]:
        """The nodes of what calls get of things whose first name is `wanted`, and of what they get by `**`."""
        heap, program, found = self.solution.heap, self.solution.program, set[int]()
        for facts, offset in zip(program.facts, program.offsets, strict=True):
            for call in facts.calls:
                found.update(star + offset for star in call.double_stars if stars and star >= 0)
                held = (heap.values[number] for number in heap.holds[call.function + offset])
                names = [str(value.a) for value in held if value.kind == FOREIGN]
                if any(wanted(name.partition(".")[0]) for name in names):
                    given = (*call.arguments, *(node for _, node in call.keywords))
                    found.update(node + offset for node in given if node >= 0)
        return frozenset(found)

    def _look(self, number: int, start: int) -> bool:
        heap, constraints = self.solution.heap, self.solution.constraints
        todo, seen = [start], {start}
        while todo:
            node = todo.pop()
            if node in constraints.loads or node in constraints.elements or node in self._given_away:
                return True
            for target in heap.targets[node] or ():
                if target not in seen and number in heap.holds[target]:
                    seen.add(target)
                    todo.append(target)
        return not self._shown.isdisjoint(seen) and self._texts.isdisjoint(seen)
