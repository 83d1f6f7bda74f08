"""Whether an object stays in the process that makes it: it is looped over, indexed or measured there, and no more.

A Dataset is mostly made for workers, so what it keeps is taken to cross. A program that only loops over one shows that
this one does not. What an object keeps stays where that object does.
"""

from __future__ import annotations

from functools import cached_property

from ..facts.records import Call
from ..facts.test_code import is_test
from ..solve.heap import BOUND, CLASS, CONTAINER, FOREIGN, FUNCTION, INSTANCE
from ..solve.paths import Paths
from ..solve.solution import Solution
from .callers import Callers

_LOOKS = frozenset(  # they look at what an object gives, and pass it to nobody
    [
        "tqdm", "trange", "track", "enumerate", "iter", "next", "len", "print", "isinstance", "type", "id", "str",
        "repr", "hasattr", "sorted", "list", "tuple", "set", "reversed", "zip", "sum", "min", "max", "islice", "format",
        "info",
    ]
)  # fmt: skip

_COMPUTES = "numpy."  # a package that starts no process
_GIVES_PARTS = frozenset(["__getitem__"])
_MAX_STEPS = 1_000


class AtHome:
    """Answers for the objects of one solution."""

    def __init__(self, solution: Solution, callers: Callers) -> None:
        self.solution, self.callers = solution, callers
        self._known: dict[tuple[int, int], bool] = {}

    def whole_class(self, index: int) -> bool:
        """True when the program makes objects of the class, tests aside, and all of them stay."""
        number = self.solution.number_of_instance(index)
        made = [node for node in self._constructed.get(index, ()) if number in self.solution.heap.holds[node]]
        return bool(made) and all(self.stays(number, node) for node in made)

    def stays(self, number: int, origin: int) -> bool:
        """True when the object `number` that is made at the node `origin` is seen to be used, and to go nowhere."""
        key = (number, origin)
        if key not in self._known:
            self._known[key] = False  # holds while a method of it is followed
            self._known[key] = self._stays(number, origin, must_be_used=True)
        return self._known[key]

    def _stays(self, number: int, origin: int, must_be_used: bool) -> bool:
        heap, constraints = self.solution.heap, self.solution.constraints
        paths = Paths(heap, number, (origin,))
        paths.meet(frozenset())  # follows them to their ends
        if not paths.complete or not all(map(self._keeper_stays, paths.found)):
            return False
        used = not must_be_used
        for node in paths.found:
            if node in self._returned and not heap.targets[node]:
                return False
            for callee, offset, call in self.callers.taking(node):
                if not self._stays_in_call(callee, offset, call):
                    return False
                used = True
            parts = [result for result, _ in constraints.elements.get(node, ())]
            if any(self._is_sent(part, number) for part in parts):
                return False
            used = used or bool(parts)
            for attribute, result in constraints.loads.get(node, ()):
                used = used or not attribute.startswith("__")
                for held in tuple(heap.holds[result]):
                    bound = heap.values[held]
                    if bound.kind == BOUND and bound.b == number and not self._stays(held, result, must_be_used=False):
                        return False
        return used

    def _is_sent(self, part: int, whole: int) -> bool:
        """What is taken out of `whole` gets to a boundary: `DataLoader(rows[train])`: a part may be a Dataset, too.

        A tuple that has such a part is not followed.
        """
        value = self.solution.heap.values[whole]
        unknown = value.kind == INSTANCE and not self.solution.hierarchy.defines(int(value.a), _GIVES_PARTS)
        seen, todo = {part}, [part]
        while todo and len(seen) < _MAX_STEPS:
            for target in self.solution.heap.targets[todo.pop()] or ():
                if unknown and target in self._containers:
                    return True
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return bool(todo) or not seen.isdisjoint(self._sent)

    @cached_property
    def _sent(self) -> set[int]:
        return {sink.node for sink in self.solution.sinks if sink.crosses and not sink.says}

    def _stays_in_call(self, callee: int, offset: int, call: Call) -> bool:
        """The call leads into code of the repository, looks at its arguments, or is known not to pickle them."""
        held = [self.solution.heap.values[number] for number in self.solution.heap.holds[callee]]
        if held and all(value.kind in (FUNCTION, CLASS, BOUND) for value in held):
            return True
        path = self.solution.program.files[self.solution.heap.file_of[call.result + offset]]
        if (path, call.position[0]) in self._not_pickled:
            return True
        names = [str(value.a) for value in held if value.kind == FOREIGN] or [call.text]
        return all(name.rpartition(".")[2] in _LOOKS or name.startswith(_COMPUTES) for name in names)

    @cached_property
    def _not_pickled(self) -> set[tuple[str, int]]:
        """Calls of boundaries that pickle nothing as they are called: a DataLoader without workers."""
        crossing = {(sink.path, sink.line) for sink in self.solution.sinks if sink.crosses}
        return {(sink.path, sink.line) for sink in self.solution.sinks if not sink.crosses} - crossing

    def _keeper_stays(self, node: int) -> bool:
        """What is in the node is kept by no object or container but those that stay as well."""
        if node in self._owners:
            return self.whole_class(self._owners[node])
        if node not in self._containers:
            return True
        number, origin = self._containers[node]
        key = (number, origin)
        if key not in self._known:
            self._known[key] = False  # as in `stays`
            unpacked = origin >= 0 and not self.solution.heap.targets[origin]  # `self.a, self.b = x, y`
            self._known[key] = origin >= 0 and self._stays(number, origin, must_be_used=not unpacked)
        return self._known[key]

    @cached_property
    def _owners(self) -> dict[int, int]:
        """By node of an attribute the class whose objects have it."""
        return {node: owner for owner, nodes in self.solution.attributes.items() for node in nodes.values()}

    @cached_property
    def _containers(self) -> dict[int, tuple[int, int]]:
        """By node of what a container holds its number, and the node where it is written, -1 where a call makes it."""
        heap, program = self.solution.heap, self.solution.program
        written = {
            contents + offset: result + offset
            for facts, offset in zip(program.facts, program.offsets, strict=True)
            for result, contents, _ in facts.containers
        }
        found: dict[int, tuple[int, int]] = {}
        for number, value in enumerate(heap.values):
            if value.kind == CONTAINER:
                contents = int(value.a)
                origin = written.get(contents, -1)
                found.update(dict.fromkeys((contents, *heap.fields.get(contents, {}).values()), (number, origin)))
        for fields in heap.fields.values():
            found.update({node: (-1, -1) for node in fields.values() if node not in found})
        return found

    @cached_property
    def _returned(self) -> set[int]:
        program = self.solution.program
        return {function.returns + program.offsets[file] for file, function in program.functions}

    @cached_property
    def _constructed(self) -> dict[int, list[int]]:
        """Per class the results of the calls that make its objects, tests aside."""
        found: dict[int, list[int]] = {}
        values, holds = self.solution.heap.values, self.solution.heap.holds
        for callee, calls in self.solution.constraints.calls.items():
            made = [int(values[number].a) for number in holds[callee] if values[number].kind == CLASS]
            for offset, call in calls if made else ():
                if not self._in_test(call.result + offset):
                    for index in made:
                        found.setdefault(index, []).append(call.result + offset)
        return found

    def _in_test(self, node: int) -> bool:
        program = self.solution.program
        return is_test(program.files[self.solution.heap.file_of[node]], program.facts_of)
