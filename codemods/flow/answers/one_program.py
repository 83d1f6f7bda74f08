"""Whether all steps of a crossing happen in one program: what one script does is not done in another one.

The solver keeps one object per class, and one of what a module holds: what one script puts there seems to be in the
object of the same class that another script sends.
"""

from __future__ import annotations

from ..solve.heap import BOUND
from ..solve.paths import Paths
from .places import Places
from .reached import Reached
from .trace import Reasons


class _Without:
    """The nodes outside of some files."""

    def __init__(self, places: Places, files: frozenset[int]) -> None:
        self.file_of, self.files = places.solution.heap.file_of, files

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and self.file_of[node] not in self.files


class OneProgram:
    """Answers for the crossings of one solution."""

    def __init__(self, places: Places, reached: Reached) -> None:
        self.places, self.reached = places, reached
        self._paths: dict[tuple[int, frozenset[int]], Paths] = {}

    def apart(self, number: int, reasons: Reasons) -> bool:
        """True when only one script puts the value where it crosses, and only others send what it is in."""
        if len(self.reached.scripts) < 2:
            return False
        script, values = -1, self.places.solution.heap.values
        bound: dict[int, list[int]] | None = None  # per object what of its methods crosses
        while reasons[number].node >= 0:
            node, parent = reasons[number].node, reasons[number].parent
            if parent >= 0 and values[parent].kind == BOUND:  # the method gets to the node, and brings its object
                number = parent
                continue
            script = script if script >= 0 else self._script(number, node)
            others = self.reached.scripts - {script}
            if script >= 0:
                bound = self._bound(reasons) if bound is None else bound
                sent = (number, *bound.get(number, ()))
                if not any(self._gets_to(each, reasons.nodes, others) for each in sent):
                    return True
            if parent < 0:
                return False
            number = parent
        return False

    def _bound(self, reasons: Reasons) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        values = self.places.solution.heap.values
        for number in reasons:
            if values[number].kind == BOUND:
                found.setdefault(values[number].b, []).append(number)
        return found

    def _script(self, number: int, node: int) -> int:
        """The script without which the value does not get to the node; -1 where there is none."""
        heap = self.places.solution.heap
        for script in dict.fromkeys(heap.file_of[each] for each in heap.way(number, node)):
            if script in self.reached.scripts and not self._gets_to(number, {node}, frozenset({script})):
                return script
        return -1

    def _gets_to(self, number: int, nodes: set[int], without: frozenset[int]) -> bool:
        """True when the value gets to one of the nodes by other files than `without`, or by too many ways to say."""
        paths = self._paths.get((number, without))
        if paths is None:
            origins = self.places.origins.get(number, ())
            paths = Paths(self.places.solution.heap, number, origins, _Without(self.places, without))
            self._paths[number, without] = paths
        return paths.meet(nodes) or not paths.complete
