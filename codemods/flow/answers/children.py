"""What only a child makes, or only a child puts on the objects that it gets.

def work(self):
    self.rule = lambda x: x  # the parent never has it
    self.rows.append(open(PATH))  # nor this, in the list that it made itself

Process(target=self.work).start()
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..facts.records import Position
from ..facts.worker_side import functions_on
from ..kinds import FunctionKind, MethodBinding
from ..solve.deferred_calls import ELSEWHERE, IN_THREAD
from ..solve.heap import FUNCTION
from ..solve.paths import Paths
from ..solve.solution import Solution
from .callers import Callers
from .places import Places
from .trace import Reasons

_ANYWHERE = ("stored as", "assigned to")


class _Nodes:
    """The nodes of what main processes run, and those of attributes and variables, which are in no one function."""

    def __init__(self, solution: Solution, lines: dict[int, frozenset[int]]) -> None:
        """`lines`: per file those that only children run."""
        self.lines_of, self.file_of, self.labels, self.lines = (
            solution.heap.lines, solution.heap.file_of, solution.heap.labels, lines,
        )  # fmt: skip

    def __contains__(self, node: object) -> bool:
        if not isinstance(node, int):
            return False
        lines = self.lines.get(self.file_of[node])
        return lines is None or self.lines_of[node] not in lines or self.labels[node].startswith(_ANYWHERE)


class Children:
    """Answers for the boundaries of one solution."""

    def __init__(self, places: Places, callers: Callers) -> None:
        self.solution, self.places, self.callers = places.solution, places, callers
        self._paths: dict[int, Paths] = {}
        self._by_main: dict[int, set[int]] = {}  # see `_run_by_main`

    def made(self, path: str, position: Position, node: int, line: int) -> bool:
        """What is made at `position` is made in processes that the boundary starts, or in others like these."""
        sink = self.solution.sink_at.get((node, line))
        if sink is None or not self._entries:
            return False
        around = self._innermost(path, position)
        return around in self._alone and sink.function not in self._in_children

    def filled(self, number: int, reasons: Reasons) -> bool:
        """Only children put the value, or an object that it is in, where the parent's boundary finds it."""
        root = reasons.root(number)
        sink = self.solution.sink_at.get((root.node, root.hop.line)) if root.hop is not None else None
        if sink is None or not self._lines or sink.function in self._in_children:
            return False
        heap = self.solution.heap
        while (parent := reasons[number].parent) >= 0:
            node = reasons[number].node
            captured = heap.values[parent].kind == FUNCTION  # the nodes of such names belong to both functions
            way = () if captured else heap.way(number, node)
            if any(each not in self._nodes for each in way) and not self._gets_to(number, node):
                return True
            number = parent
        return False

    def _gets_to(self, number: int, node: int) -> bool:
        """True when the value gets to the node by what main processes run, or by too many ways to say."""
        paths = self._paths.get(number)
        if paths is None:
            origins = self.places.origins.get(number, ())
            paths = self._paths[number] = Paths(self.solution.heap, number, origins, self._nodes)
        return paths.meet({node}) or not paths.complete

    def made_beside(self, path: str, position: Position, node: int, line: int) -> tuple[tuple[str, int], ...]:
        """Path and line of the calls, beside the boundary in its function, by which what is made at `position` is not
        made in children alone: `return work(0)` where there is one job only. None where it is made elsewhere too."""
        sink = self.solution.sink_at.get((node, line))
        around = self._innermost(path, position) if sink is not None and self._entries else -1
        if sink is None or around not in self._in_children or sink.function in self._in_children:
            return ()
        caller = sink.function if sink.function >= 0 else self._module(sink.path)
        if around in self._run_by_main(caller):
            return ()
        calls = self._calls.get(caller, ())
        return tuple((sink.path, at) for callee, at in calls if around in self._reached_from({callee}))

    def _innermost(self, path: str, position: Position) -> int:
        """The function around a place, without the one that begins there; -1 at module level."""
        program = self.solution.program
        file = program.file_index[path]
        around = [
            (function.position[:2], index)
            for index, function in enumerate(program.facts[file].functions, program.function_offset[file])
            if function.position[:2] < position[:2] and position[2:] <= function.position[2:]
        ]
        return max(around)[1] if around else -1

    def _module(self, path: str) -> int:
        """The number of what a module itself calls."""
        return -1 - self.solution.program.file_index[path]

    @cached_property
    def _calls(self) -> dict[int, list[tuple[int, int]]]:
        """Per function, or module, the functions that it calls, each with the line."""
        found: dict[int, list[tuple[int, int]]] = {}
        heap, files = self.solution.heap, self.solution.program.files
        for callee in range(len(self.solution.program.functions)):
            for offset, call, _ in self.callers.of(callee):
                if call.text != ELSEWHERE:
                    around, path = self.callers.around(offset, call), files[heap.file_of[call.result + offset]]
                    around = self._innermost(path, call.position) if call.text == IN_THREAD else around
                    around = self._module(path) if around < 0 else around
                    found.setdefault(around, []).append((callee, call.position[0]))
        for around, callee, line in self._property_reads():
            found.setdefault(around, []).append((callee, line))
        return found

    def _property_reads(self) -> Iterator[tuple[int, int, int]]:
        """Where a property may be read, which calls it: the function or module there, the property and the line."""
        program = self.solution.program
        named: dict[str, list[int]] = {}
        for index, (_, function) in enumerate(program.functions):
            if function.binding is MethodBinding.PROPERTY:
                named.setdefault(function.name, []).append(index)
        for facts in program.facts if named else ():
            reads = [(name, facts.lines[result]) for _, name, result in facts.loads if name in named]
            readers = functions_on(facts, {line for _, line in reads})
            offset = program.function_offset[program.file_index[facts.path]]
            for name, line in reads:
                around = readers[line] + offset if readers[line] >= 0 else self._module(facts.path)
                for callee in named[name]:
                    yield around, callee, line

    @cached_property
    def _entries(self) -> set[int]:
        """Functions that a process begins with."""
        program = self.solution.program
        found = {
            index
            for index in range(len(program.functions))
            if any(call.text == ELSEWHERE for _, call, _ in self.callers.of(index))
        }
        runs = (
            index
            for index, (_, function) in enumerate(program.functions)
            if function.worker_side and function.name == "run" and function.kind is FunctionKind.METHOD
        )
        return found.union(runs)

    @cached_property
    def _in_children(self) -> set[int]:
        """Functions that may run in a child."""
        return self._reached_from(self._entries)

    @cached_property
    def _alone(self) -> set[int]:
        """Functions that run in a child only: nothing else calls them."""
        return self._in_children - self._reached_from(self._started_with)

    @cached_property
    def _lines(self) -> dict[int, frozenset[int]]:
        """Per file the lines that only children run; not those where a function begins."""
        found: dict[int, set[int]] = {}
        program = self.solution.program
        for index in self._alone if self._entries else ():
            file, function = program.functions[index]
            found.setdefault(file, set()).update(range(function.position[0] + 1, function.position[2] + 1))
        return {file: frozenset(lines) for file, lines in found.items()}

    @cached_property
    def _nodes(self) -> _Nodes:
        return _Nodes(self.solution, self._lines)

    @cached_property
    def _started_with(self) -> set[int]:
        """Functions, and modules, that the main process begins with."""
        called = {callee for calls in self._calls.values() for callee, *_ in calls}
        roots = {index for index in range(len(self.solution.program.functions)) if index not in called}
        return roots - self._entries | {around for around in self._calls if around < 0}

    @cached_property
    def _callees(self) -> dict[int, frozenset[int]]:
        return {around: frozenset(callee for callee, _ in calls) for around, calls in self._calls.items()}

    def _run_by_main(self, without: int) -> set[int]:
        """The functions that the main process comes to, but by the calls in `without` of what runs in children.

        The same boundary is asked about for all that crosses there.
        """
        if without not in self._by_main:
            self._by_main[without] = self._reached_from(self._started_with, without)
        return self._by_main[without]

    def _reached_from(self, roots: set[int], without: int | None = None) -> set[int]:
        """The functions that are called from `roots`; of what the function `without` calls, only the main process's."""
        found, callees = set(roots), self._callees
        todo = list(found)
        while todo:
            at = todo.pop()
            new = callees.get(at, frozenset()) - found
            if at == without:
                new -= self._in_children
            found |= new
            todo += new
        return found
