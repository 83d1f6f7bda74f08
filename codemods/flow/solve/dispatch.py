"""A call of a value, by the kind of the value: to the repository's own code, to Python's functions, to foreign ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ...hazard_kind import HazardKind
from ...syntax.unpicklable_table import makes_object
from ..facts.records import NO_LITERALS, Call, PassedOn
from ..kinds import LOOKED_UP
from .attributes import LOADS, RECORD, SUBCLASSES, Attributes
from .calls import OwnCalls
from .constraints import Constraints
from .containers import DEFAULT_DICT
from .deferred_calls import DeferredCalls
from .foreign_objects import ForeignObjects
from .heap import BOUND, CLASS, CONTAINER, FOREIGN, FUNCTION, HAZARD, INSTANCE, OBJECT, Heap, Value
from .made_classes import is_nameless
from .program import Program
from .python_builtins import RECORDS, PythonBuiltins
from .sinks import Sinks

# Partials may hold each other. A call has the arguments of so many of them at most, and a partial hands on so many
# calls with them; without them after that.
_MAX_PARTIALS, _MAX_CALLS = 2, 100
# Calls that list a module and what is in it; True: with the names.
_PARTS = {
    f"torch.nn.Module().{name}": name.startswith("named_")
    for name in ("modules", "named_modules", "children", "named_children")
}


class StartMethod(NamedTuple):
    """What a call sets for the whole process, "" where that isn't a literal; `in_function`: not when it is imported."""

    method: str
    in_function: bool
    conditional: bool = False


@dataclass(slots=True)
class _GivenCall(Call):
    """A call with the arguments of the partials that it goes through: `partials` are their contents."""

    partials: tuple[int, ...] = ()
    written: Call | None = None  # without these arguments


class Dispatch:
    """Applies calls. `offset` is always that of the file with the call."""

    def __init__(
        self, program: Program, heap: Heap, constraints: Constraints, attributes: Attributes, own: OwnCalls,
        python: PythonBuiltins, foreign: ForeignObjects, deferred: DeferredCalls, sinks: Sinks,
    ) -> None:  # fmt: skip
        self.program, self.heap, self.constraints, self.attributes = program, heap, constraints, attributes
        self.own, self.python, self.foreign, self.deferred, self.sinks = own, python, foreign, deferred, sinks
        self.start_methods: dict[tuple[str, int], StartMethod] = {}  # by path and line
        self._marked: dict[int, int] = {}  # result of a call -> see `_looked_up`
        self._initialised: set[tuple[int, int]] = set()  # see `_initialise_otherwise`
        self._elsewhere: dict[tuple[int, int], int] = {}  # see `_in_file_of`

    def call(self, node: int, value: Value, number: int, offset: int, call: Call) -> None:
        """`call` calls `value`, whose number is `number`, in the node `node`."""
        kind = value.kind
        if kind in (FUNCTION, BOUND, CLASS) and self.attributes.is_looked_up(node, number):
            if not self.own.takes(value, call):
                return
            call = self._looked_up(offset, call)
        if kind == FUNCTION:
            self.own.call_function(int(value.a), offset, call, self.python.takes_class.get(int(value.a), -1))
        elif kind == BOUND:
            self.own.call_function(int(value.a), offset, call, value.b)
        elif kind == CLASS:
            self.own.construct(int(value.a), offset, call)
            if "__init__" in self.constraints.stored_on_others:
                self._initialise_otherwise(int(value.a), offset, call)
        elif kind == FOREIGN:
            self._call_foreign(node, value, offset, call)
        elif kind == OBJECT and value.a == "functools.partial" and value.b >= 0:
            self._call_partial(value.b, offset, call)
        elif kind == OBJECT and value.a in RECORDS:
            self.own.record(offset, call)
        elif kind == HAZARD and self.program.hazards[int(value.a)].kind is HazardKind.MADE_CLASS:
            self.heap.add(call.result + offset, number)  # its objects can't be pickled either
        elif kind == INSTANCE:
            function = self.attributes.method(int(value.a), "__call__")
            if function >= 0:
                self.own.call_function(function, offset, call, number)

    def _initialise_otherwise(self, index: int, offset: int, call: Call) -> None:
        """A decorator gave the class, or one of its bases, another initialiser: `cls.__init__ = init`."""
        heap, result, line = self.heap, call.result + offset, call.position[0]
        if (index, result) in self._initialised:
            return
        self._initialised.add((index, result))
        me, nothing = heap.node("", heap.file_of[result], line), heap.node("", heap.file_of[result], line)
        heap.add(me, heap.number(Value(INSTANCE, index)))
        literals = {key + 1 if isinstance(key, int) else key: value for key, value in call.literals.items()}
        given = replace(call, arguments=(me - offset, *call.arguments), literals=literals, result=nothing - offset)
        for at in self.attributes.hierarchy.order(index):
            node = self.attributes.of_class(at, "__init__", result)
            self._call_later(node, offset, given)

    def _looked_up(self, offset: int, call: Call) -> Call:
        """`call`, with a mark on what it gives: which function it calls is not known."""
        result = call.result + offset
        if result not in self._marked:
            made = self._marked[result] = self.heap.node(LOOKED_UP, self.heap.file_of[result], call.position[0])
            self.heap.edge(made, result, call.position[0])
        return replace(call, result=self._marked[result] - offset)

    def _call_partial(self, contents: int, offset: int, call: Call) -> None:
        """`call` calls a partial, which holds `contents`: what it was given goes first."""
        at, made = self.foreign.partials.get(contents, (-1, call))
        if at < 0:
            self._call_later(contents, offset, call)
            return
        function = made.arguments[0] + at
        before, written = (call.partials, call.written) if isinstance(call, _GivenCall) else ((), call)
        if contents in before or len(before) == _MAX_PARTIALS or len(self.constraints.calls[function]) >= _MAX_CALLS:
            self._call_later(function, offset, written or call)
        else:
            given = self._with_given(at, made, offset, call)
            given.partials, given.written = (*before, contents), written
            self._call_later(function, offset, given)

    def _with_given(self, at: int, made: Call, offset: int, call: Call) -> _GivenCall:
        """`call` with what `made`, a call of `functools.partial` in the file with the offset `at`, gives beside it."""
        here = partial(self._in_file_of, call.result + offset, at, offset)
        given = {name for name, _ in call.keywords} | {key for key in call.literals if isinstance(key, str)}
        shift = len(made.arguments) - 1
        literals: dict[str | int, object] = {}
        for key, value in made.literals.items():
            if isinstance(value, PassedOn):  # by the function around the partial, not by that around its call
                continue
            if isinstance(key, str) and key not in given:
                literals[key] = value
            elif isinstance(key, int) and key > 0:
                literals[key - 1] = value
        literals |= {key + shift if isinstance(key, int) else key: value for key, value in call.literals.items()}
        return _GivenCall(
            call.function,
            arguments=(*(here(node) for node in made.arguments[1:]), *call.arguments),
            keywords=(*((name, here(node)) for name, node in made.keywords if name not in given), *call.keywords),
            stars=(*(here(node) for node in made.stars), *call.stars),
            double_stars=(*(here(node) for node in made.double_stars), *call.double_stars),
            result=call.result,
            position=call.position,
            text=call.text,
            literals=literals or NO_LITERALS,
            scope=call.scope,
            conditional=call.conditional,
        )

    def _in_file_of(self, result: int, at: int, offset: int, node: int) -> int:
        """A node of the file with the offset `at` as one of that with `offset`, which the node `result` is in."""
        if node < 0 or at == offset:
            return node
        key = (node + at, offset)
        if key not in self._elsewhere:
            line, file = self.heap.lines[node + at], self.heap.file_of[result]
            self._elsewhere[key] = self.heap.node("", file, line)
            self.heap.edge(node + at, self._elsewhere[key], line)
        return self._elsewhere[key] - offset

    def _call_later(self, node: int, offset: int, call: Call) -> None:
        """`call` is a call of whatever gets to `node`."""
        if (offset, call) not in self.constraints.calls.get(node, ()):
            self.constraints.add(self.constraints.calls, node, (offset, call))
            for number in tuple(self.heap.holds[node]):
                self.call(node, self.heap.values[number], number, offset, call)

    def _call_foreign(self, node: int, value: Value, offset: int, call: Call) -> None:
        written = str(value.a)
        table = self.program.table
        name = table.canonical(written)
        receiver = self.heap.values[value.b] if value.b >= 0 else None
        if written.startswith("<container>."):
            if receiver is not None:
                self.python.call_container_method(written[12:], int(receiver.a), offset, call)
            return
        if written.startswith(RECORD):
            if receiver is not None and receiver.kind == INSTANCE:
                self.own.fill(int(receiver.a), int(written[len(RECORD) :]), offset, call)
            return
        if written == LOADS:
            if receiver is not None and receiver.kind == CLASS:
                self.attributes.make(int(receiver.a), call.result + offset)
            return
        if written == SUBCLASSES:
            self.own.list_subclasses(int(receiver.a) if receiver is not None else -1, offset, call)
            return
        if written in _PARTS and value.b >= 0:
            self._list_parts(written, value.b, offset, call)
        self.sinks.call(name, offset, call, value.b)
        started = self.deferred.started(name, offset, call)
        if started is not None:
            self._call_later(started[0], offset, started[1])
        if makes_object(written):
            self._add_hazard(HazardKind.OBJECT, offset, call)
        if is_nameless(self.program, self.heap, name, offset, call):
            self._add_hazard(HazardKind.MADE_CLASS, offset, call)
        if self.foreign.call_selective(name, value, receiver, offset, call):
            return
        if name == "importlib.import_module" or (name == "__import__" and _gives_module(call)):
            self.attributes.module_names.import_by_name(
                call.literals.get(0, call.literals.get("name")), call.result + offset
            )
        if name in table.starters:
            self._set_start_method(node, name, call)
        if name.endswith("().__init__"):
            if receiver is not None and receiver.kind == INSTANCE:
                self.own.hand_to_base(name[: -len("().__init__")], int(receiver.a), offset, call)
        elif not self.python.call(name, node, offset, call):
            made = self.deferred.made_by(name, offset, call)
            if made is None or name == DEFAULT_DICT:  # it keeps what it calls, too
                self.foreign.make(name, value, receiver, offset, call)
                if receiver is not None and receiver.kind == INSTANCE:
                    self.own.keep_stage(name, int(receiver.a), offset, call)
            for function, inner in made or ():
                self._call_later(function, offset, inner)

    def _list_parts(self, name: str, module: int, offset: int, call: Call) -> None:
        """`call` lists the parts of the value `module`: what is stored on one of these is stored on the whole."""
        contents = self.own.containers.contents_of(call.result + offset, call.position[0])
        if _PARTS[name]:
            pair = self.heap.node("", self.heap.file_of[contents], call.position[0])
            self.heap.add(self.heap.field(pair, "#1"), module)
            self.heap.add(contents, self.heap.number(Value(CONTAINER, pair)))
        else:
            self.heap.add(contents, module)

    def _add_hazard(self, kind: HazardKind, offset: int, call: Call) -> None:
        """The call makes a hazard of that kind."""
        result = call.result + offset
        hazard = self.program.enter(kind, self.heap.file_of[result], call.position)
        self.heap.add(result, self.heap.number(Value(HAZARD, hazard)))

    def _set_start_method(self, node: int, name: str, call: Call) -> None:
        method, parameter = self.program.table.starters[name]
        wanted = method or call.literals.get(parameter, call.literals.get(0))
        place = self.program.files[self.heap.file_of[node]], call.position[0]
        self.start_methods[place] = StartMethod(
            wanted if isinstance(wanted, str) else "", call.scope >= 0, call.conditional
        )


def _gives_module(call: Call) -> bool:
    """`__import__(name)` gives the module of that name, and not the package that it is in."""
    fromlist = len(call.arguments) > 3 or any(name == "fromlist" for name, _ in call.keywords)
    return fromlist or "." not in str(call.literals.get(0, "."))
