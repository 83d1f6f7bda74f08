"""What an object does not keep at the moment it crosses: attributes that were set to None or a plain function before.

def start(self):
    self.log = None  # this object has no file any more
    Process(target=self.work).start()
    self.found = defaultdict(lambda: [])  # and this one comes too late
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ..facts.records import WHOLE_BODY, Call, Late, Position
from ..facts.syntax import MAKE_CONTAINERS
from ..facts.test_code import is_test
from ..kinds import FunctionKind
from ..solve.deferred_calls import ELSEWHERE, STANDS_NOWHERE
from ..solve.heap import CLASS, CONTAINER, FOREIGN, FUNCTION, INSTANCE
from ..solve.sinks import Sink
from ..solve.solution import Solution
from .callers import Callers
from .once import Once
from .one_object import OneObject, Ways

_START = "multiprocessing.Process().start"
_PROCESS = "multiprocessing.Process"
_NONE: frozenset[int] = frozenset()
_MAX_DEPTH = 3  # functions that call each other
_SEVERAL = 2  # calls; more make no difference


class Moments:
    """Answers for the boundaries of one solution."""

    def __init__(self, solution: Solution, callers: Callers) -> None:
        self.solution, self.callers = solution, callers
        self._before: dict[tuple[int, int], frozenset[int]] = {}
        self._stores: dict[int, set[int]] = {}
        self._later: dict[Sink, frozenset[int]] = {}
        self._once, self._ways = Once(solution, callers), Ways(solution)

    # attributes that are cleared

    def absent(self, node: int, line: int) -> frozenset[int]:
        """The nodes of attributes that hold nothing when the boundary on `line` gets what is in `node`."""
        sink = self.solution.sink_at.get((node, line))
        if sink is None:
            return _NONE
        late = self._set_later(sink)
        if not self._cleared:
            return late
        return late | self._at(self._body(self.solution.program.file_index[sink.path], sink.function), sink.line, 0)

    def never_there(self, number: int) -> frozenset[int]:
        """The nodes of attributes that hold nothing at every boundary that gets the value."""
        found = [self.absent(sink.node, sink.line) for sink in self._getting.get(number, ()) if sink.crosses]
        return frozenset.intersection(*found) if found else _NONE

    @cached_property
    def _getting(self) -> dict[int, list[Sink]]:
        found: dict[int, list[Sink]] = {}
        for sink in self.solution.sinks if self._cleared or self._late else ():
            for number in self.solution.heap.holds[sink.node]:
                found.setdefault(number, []).append(sink)
        return found

    # attributes that are set later

    @cached_property
    def _late(self) -> dict[tuple[int, int], list[Late]]:
        """By function and line of a `Process(...)`, or of its start, what is set below the start."""
        program, found = self.solution.program, dict[tuple[int, int], list[Late]]()
        for file, facts in enumerate(program.facts):
            for late in facts.late:
                found.setdefault((program.function_offset[file] + late.function, late.sent), []).append(late)
        return found

    def _set_later(self, sink: Sink) -> frozenset[int]:
        """The nodes of attributes that are set nowhere but below the start of the process, by code that runs once for
        the one object that gets there."""
        late = self._late.get((sink.function, sink.line), ()) if sink.boundary in (_PROCESS, _START) else ()
        if not late:
            return _NONE
        if sink not in self._later:
            found = self._only_later(sink, late) if self._once.runs(sink.function) else _NONE
            self._later[sink] = found if found and OneObject(self.solution, self._ways, found).sent(sink) else _NONE
        return self._later[sink]

    def _only_later(self, sink: Sink, late: Iterable[Late]) -> frozenset[int]:
        """The nodes of attributes that nothing but these sets."""
        program = self.solution.program
        own = program.file_index[sink.path]
        places = {(own, each.line, each.attribute, program.function_offset[own] + each.function) for each in late}
        names = {each.attribute for each in late}
        found, others = set[int](), set[int]()
        for file, facts in enumerate(program.facts):
            for base, name, _, line, function in facts.stores:
                if name in names:
                    place = (file, line, name, program.function_offset[file] + function)
                    (found if place in places else others).update(self._nodes(base + program.offsets[file], name))
        return frozenset(found - others)

    def _at(self, function: int, line: int, depth: int) -> frozenset[int]:
        """The nodes that hold nothing when the function, or the module, comes to the line."""
        key = (function, line)
        if key not in self._before:
            self._before[key] = _NONE  # holds while a circle of calls is followed
            found = {
                node for node, at in self._cleared_in(function, line, depth) if not self._set(function, node, at, line)
            }
            if depth < _MAX_DEPTH and function >= 0:
                found |= {node for node in self._at_calls(function, depth) if not self._set(function, node, 0, line)}
            self._before[key] = frozenset(found if self._is_method(function) else found - self._of_several)
        return self._before[key]

    def _cleared_in(self, function: int, line: int, depth: int) -> Iterator[tuple[int, int]]:
        """Nodes that are cleared before the line, on every way to it, each with the line where that is."""
        for node, at, last in self._cleared.get(function, ()):
            if at < line <= last:
                yield node, at
        if depth >= _MAX_DEPTH:
            return
        for callee, at in self._called.get(function, ()):
            if at < line and callee != function:
                end = self._end(callee) + 1
                for node, cleared in self._cleared_in(callee, end, depth + 1):
                    if not self._set(callee, node, cleared, end):
                        yield node, at

    def _is_method(self, function: int) -> bool:
        return function >= 0 and self.solution.program.functions[function][1].owner >= 0

    @cached_property
    def _of_several(self) -> set[int]:
        """Nodes of attributes of classes that several calls make objects of: another object may be the one to cross."""
        heap, calls, times = self.solution.heap, dict[int, int](), dict[int, int]()  # by class, and by node
        for callee, made in self.solution.constraints.calls.items():
            for number in heap.holds[callee]:
                if heap.values[number].kind == CLASS:
                    owner = int(heap.values[number].a)
                    calls[owner] = calls.get(owner, 0) + sum(self._times(*call) for call in made)
        cleared = {node for rows in self._cleared.values() for node, *_ in rows}
        for owner, count in calls.items():
            for at in self.solution.hierarchy.order(owner):
                for node in cleared.intersection(self.solution.attributes.get(at, {}).values()):
                    times[node] = times.get(node, 0) + count
        return {node for node, count in times.items() if count > 1}

    def _times(self, offset: int, call: Call, depth: int = 0) -> int:
        """How many calls lead to this one, itself for those that are in no function that is called; at most `_SEVERAL`
        are looked for."""
        function = self.callers.around(offset, call)
        calls = self.callers.of(function) if function >= 0 and depth < _MAX_DEPTH else []
        count = 0
        for given in calls:
            if count < _SEVERAL and self.callers.around(given.offset, given.call) != function:
                count += self._times(given.offset, given.call, depth + 1)
        return max(1, count)

    def _end(self, function: int) -> int:
        """The last line of a function; a module has none."""
        return -1 if function < 0 else self.solution.program.functions[function][1].position[2]

    def _at_calls(self, function: int, depth: int) -> frozenset[int]:
        """The nodes that hold nothing wherever the function is called."""
        heap, program = self.solution.heap, self.solution.program
        found: list[frozenset[int]] = []
        for offset, call, _ in self.callers.of(function):
            if call.text in STANDS_NOWHERE:
                return _NONE
            if not is_test(program.files[heap.file_of[call.result + offset]], program.facts_of):
                found.append(self._at(self._around(offset, call), call.position[0], depth + 1))
            if found and not found[-1]:
                return _NONE
        return frozenset.intersection(*found) if found else _NONE

    def _set(self, function: int, node: int, after: int, before: int) -> bool:
        """Between the two lines, the function or one that it calls there may set the attribute."""
        if any(at == node and after < line < before for at, line in self._stored.get(function, ())):
            return True
        called = (callee for callee, line in self._every_call.get(function, ()) if after < line < before)
        return any(node in self._all_stores(callee) for callee in called)

    def _all_stores(self, function: int) -> set[int]:
        """The nodes of attributes that the function sets, or one that it calls."""
        if function not in self._stores:
            found, todo, seen = set[int](), [function], {function}
            while todo:
                at = todo.pop()
                found |= {node for node, _ in self._stored.get(at, ())}
                new = {callee for callee, _ in self._every_call.get(at, ())} - seen
                seen |= new
                todo += new
            self._stores[function] = found
        return self._stores[function]

    @cached_property
    def _cleared(self) -> dict[int, list[tuple[int, int, int]]]:
        """Per function the nodes of attributes that it clears: with the line, and the end of the block."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        program = self.solution.program
        for file, facts in enumerate(program.facts):
            given = {row[:2] + row[3:]: row[2] + program.offsets[file] for row in facts.stores} if facts.cleared else {}
            for base, name, line, last, function in facts.cleared:
                stored = given.get((base, name, line, function), -1)
                if stored >= 0 and not (self._is_plain(stored) or self._is_harmless(stored)):
                    continue
                at = self._body(file, program.function_offset[file] + function if function >= 0 else -1)
                nodes = self._nodes(base + program.offsets[file], name)
                if nodes:
                    found.setdefault(at, []).extend((node, line, last) for node in nodes)
        return found

    def _is_plain(self, node: int) -> bool:
        """What is there is found by its name: functions of modules, builtins."""
        program, heap = self.solution.program, self.solution.heap
        held = [heap.values[number] for number in heap.holds[node]]
        functions = [program.functions[int(value.a)][1] for value in held if value.kind == FUNCTION]
        return (
            bool(held)
            and all(value.kind in (FUNCTION, FOREIGN) for value in held)
            and not any(function.kind is not FunctionKind.TOP or function.decorators for function in functions)
        )

    def _is_harmless(self, node: int) -> bool:
        """What is there is containers, and nothing that is known is in them."""
        heap, made = self.solution.heap, self._remade
        if not heap.holds[node]:
            return node in made
        todo, seen = [node], {node}
        while todo:
            for number in heap.holds[todo.pop()]:
                value = heap.values[number]
                if value.kind != CONTAINER:
                    return False
                inner = {int(value.a), *heap.fields.get(int(value.a), {}).values()} - seen
                seen |= inner
                todo += inner
        return True

    @cached_property
    def only_in_init(self) -> frozenset[int]:
        """Nodes of attributes that the initialiser sets and clears, whatever happens, and nothing sets after that."""
        program, ends = self.solution.program, dict[int, tuple[int, int]]()
        for function, rows in self._cleared.items():
            if function >= 0 and program.functions[function][1].name == "__init__":
                ends |= {node: (function, line) for node, line, last in sorted(rows) if last == WHOLE_BODY}
        before = set[int]()
        for function, stores in self._stored.items() if ends else ():
            for node, line in stores:
                if node in ends and (function != ends[node][0] or line > ends[node][1]):
                    del ends[node]
                elif node in ends and line < ends[node][1]:
                    before.add(node)
        sending = self._sending if before else _NONE
        return frozenset(node for node in before & ends.keys() if ends[node][0] not in sending)

    @cached_property
    def _sending(self) -> frozenset[int]:
        """The functions with boundaries, and those that call them."""
        callers: dict[int, list[int]] = {}
        for around, calls in self._every_call.items():
            for callee, _ in calls:
                callers.setdefault(callee, []).append(around)
        todo = list({sink.function for sink in self.solution.sinks})
        seen = set(todo)
        while todo:
            new = set(callers.get(todo.pop(), ())) - seen
            seen |= new
            todo += new
        return frozenset(seen)

    @cached_property
    def _remade(self) -> set[int]:
        """Where lists and dicts are written out, and the results of calls of `sorted`, `list` and the like."""
        heap, program, found = self.solution.heap, self.solution.program, set[int]()
        for facts, offset in zip(program.facts, program.offsets, strict=True):
            found.update(whole + offset for whole, *_ in facts.containers)
        for callee, calls in self.solution.constraints.calls.items():
            if any(heap.values[number].kind == FOREIGN and heap.values[number].a in MAKE_CONTAINERS
                   for number in heap.holds[callee]):  # fmt: skip
                found.update(call.result + offset for offset, call in calls)
        return found

    @cached_property
    def _stored(self) -> dict[int, list[tuple[int, int]]]:
        """Per function the nodes of attributes that it sets, each with the line."""
        found: dict[int, list[tuple[int, int]]] = {}
        program = self.solution.program
        names = {name for facts in program.facts for _, name, *_ in facts.cleared}
        for file, facts in enumerate(program.facts):
            for base, name, _, line, function in facts.stores:
                if name in names:
                    at = self._body(file, program.function_offset[file] + function if function >= 0 else -1)
                    nodes = self._nodes(base + program.offsets[file], name)
                    found.setdefault(at, []).extend((node, line) for node in nodes)
        return found

    def _nodes(self, base: int, name: str) -> Iterable[int]:
        """The nodes of an attribute of the objects in `base`."""
        values = self.solution.heap.values
        held = (values[number] for number in self.solution.heap.holds[base])
        return {node for value in held if value.kind == INSTANCE for node in self.attribute(int(value.a), name)}

    def attribute(self, owner: int, name: str) -> set[int]:
        """The nodes of an attribute of objects of a class."""
        order = self.solution.hierarchy.order(owner) if owner >= 0 else ()
        nodes = (self.solution.attributes.get(at, {}).get(name, -1) for at in order)
        return {node for node in nodes if node >= 0}

    @cached_property
    def _every_call(self) -> dict[int, list[tuple[int, int]]]:
        """Per function those that it calls, each with the line."""
        return {around: [(callee, line) for callee, line, _ in calls] for around, calls in self._calls.items()}

    @cached_property
    def _called(self) -> dict[int, list[tuple[int, int]]]:
        """Per function those that it calls whatever happens, each with the line; only where one alone can be meant."""
        found: dict[int, list[tuple[int, int]]] = {}
        for around, calls in self._calls.items():
            by_line: dict[int, list[int]] = {}
            for callee, line, certain in calls:
                if certain and self.solution.program.functions[callee][1].name != "__init__":  # of a new object
                    by_line.setdefault(line, []).append(callee)
            found[around] = [(callees[0], line) for line, callees in by_line.items() if len(callees) == 1]
        return found

    @cached_property
    def _calls(self) -> dict[int, list[tuple[int, int, bool]]]:
        """Per function or module the functions that it calls, with the line, and whether it surely does."""
        found: dict[int, list[tuple[int, int, bool]]] = {}
        for callee in range(len(self.solution.program.functions)):
            for offset, call, _ in self.callers.of(callee):
                if call.text != ELSEWHERE:
                    row = (callee, call.position[0], not call.conditional)
                    found.setdefault(self._around(offset, call), []).append(row)
        return found

    def _around(self, offset: int, call: Call) -> int:
        """The function that a call stands in, or the module."""
        return self._body(self.solution.heap.file_of[call.result + offset], self.callers.around(offset, call))

    @staticmethod
    def _body(file: int, function: int) -> int:
        """The function; a number below 0 for the code of the module itself, where there is none."""
        return function if function >= 0 else -1 - file

    def is_not_started(self, path: str, position: Position, number: int, boundary: str) -> bool:
        """What is made at `position` is made where the object `number` gets another `start` than that of processes."""
        program, holds = self.solution.program, self.solution.heap.holds
        offset = program.offsets[program.file_index[path]]
        return boundary == _START and any(
            number in holds[base + offset] and first <= position[0] <= last
            for base, first, last in program.facts_of(path).not_started
        )
