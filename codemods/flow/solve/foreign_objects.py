"""What calls of foreign callables give: objects that keep their arguments, pipelines, datasets, variants of a class."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ..boundaries import Table, Variant
from ..facts.hooks import HOOKS_KEPT, PATCHED
from ..facts.records import WHOLE_BODY, Call
from .attributes import KEPT_AS
from .constraints import Constraints
from .containers import DEFAULT_DICT, HOLDERS, Containers
from .heap import CONTAINER, KEPT, MAX_HAZARDS, OBJECT, PERHAPS_KEPT, STORED_BY, Heap, Value
from .sinks import Sinks, arguments_by_name

_NAMED = frozenset({"functools.partial", DEFAULT_DICT})
_MODULES = "torch.nn."
_SPLIT, _PART = "torch.utils.data.random_split", "torch.utils.data.Subset"  # a list of these
_NAMESPACES = ("types.SimpleNamespace", "argparse.Namespace")  # each keyword is an attribute

_MOST_CLASSES = 6  # of options that one parser gives objects of


class ForeignObjects:
    """Adds these objects to the heap. `offset` is always that of the file with the call."""

    def __init__(
        self, table: Table, heap: Heap, constraints: Constraints, containers: Containers, sinks: Sinks
    ) -> None:
        self.table, self.heap, self.constraints = table, heap, constraints
        self.containers, self.sinks = containers, sinks
        self._unpacked: dict[tuple[int, str], list[int]] = {}  # see `_arguments`
        self.partials: dict[int, tuple[int, Call]] = {}  # contents -> the call of `functools.partial`, and its offset

    def make(self, name: str, value: Value, receiver: Value | None, offset: int, call: Call) -> None:
        """Add what the call of `name` (canonical) gives; `receiver` is the object whose method it is."""
        self._make(self.variant(name, offset, call), value, receiver, offset, call)

    def call_selective(self, name: str, value: Value, receiver: Value | None, offset: int, call: Call) -> bool:
        """Handle a call about an object that keeps the arguments of some methods only; False for all other calls."""
        heap = self.heap
        result, line = call.result + offset, call.position[0]
        if name in self.table.selective:
            name = self.variant(name, offset, call)
            contents = self.containers.of_result.get(result, -1)
            if contents < 0:
                contents = self.containers.of_result[result] = heap.node("", heap.file_of[result], line)
                heap.add(result, heap.number(Value(OBJECT, name, contents)))
                if self.table.selective[name].instances:
                    self._hold_instances(contents, offset, call)
            return True
        maker, _, method = name.rpartition("().")
        selective = self.table.selective.get(maker)
        if selective is None or receiver is None or receiver.kind != OBJECT or receiver.b < 0:
            return False
        if method in selective.keeping:
            label = f"{STORED_BY} the object of `.{method}(...)`"
            kept = self.containers.of_result.setdefault(result, -1)
            if kept < 0:
                kept = self.containers.of_result[result] = heap.node(label, heap.file_of[result], line)
                self.containers.keep(kept, offset, call)
            heap.edge(kept, receiver.b, line)
        if method in selective.same:
            heap.add(result, value.b)
        if method in selective.gives:
            given = Value(CONTAINER, receiver.b) if selective.instances else receiver
            heap.add_when_filled(result, given, receiver.b)
        return True

    def _hold_instances(self, contents: int, offset: int, call: Call) -> None:
        """`contents` holds objects of the classes that the call gets, one or several in a tuple or list."""
        given = [argument + offset for argument in call.arguments[:1] if argument >= 0]
        given += [value + offset for word, value in call.keywords if word == "dataclass_types" and value >= 0]
        for argument in given:
            for place in range(_MOST_CLASSES):
                classes = self.heap.node("", self.heap.file_of[argument], call.position[0])
                self.constraints.add(self.constraints.made, classes, self.heap.field(contents, f"#{place}"))
                self.containers.pass_elements(argument, classes, f"#{place}")
                if place == 0:
                    self.heap.edge(argument, classes, call.position[0])

    def variant(self, name: str, offset: int, call: Call) -> str:
        """The name of what this call makes; what depends on an object passed to it is added when that is known."""
        heap = self.heap
        for variant in self.table.variants.get(name, ()):
            if call.literals.get(variant.parameter, call.literals.get(variant.place)) in variant.values:
                return variant.becomes
            for argument in self._arguments(variant, offset, call) if variant.made_by else ():
                waiting = (variant, offset, call)
                if waiting not in self.constraints.variants.get(argument, ()):
                    self.constraints.add(self.constraints.variants, argument, waiting)
                    for number in tuple(heap.holds[argument]):
                        self.make_variant(heap.values[number], *waiting)
        return name

    def _arguments(self, variant: Variant, offset: int, call: Call) -> list[int]:
        """The nodes of what decides, also in `**kwargs`."""
        placed = call.arguments[variant.place] if 0 <= variant.place < len(call.arguments) else -1
        argument = dict(call.keywords).get(variant.parameter, placed)
        if argument >= 0:
            return [argument + offset]
        key = (call.result + offset, variant.parameter)
        if key not in self._unpacked:
            stars = [star + offset for star in call.double_stars if star >= 0]
            self._unpacked[key] = [self.heap.node("", self.heap.file_of[star], call.position[0]) for star in stars]
            for star, node in zip(stars, self._unpacked[key], strict=True):
                self.containers.pass_elements(star, node, variant.parameter)
        return self._unpacked[key]

    def make_variant(self, made: Value, variant: Variant, offset: int, call: Call) -> None:
        if made.kind == OBJECT and made.a in variant.made_by:
            self.sinks.call(variant.becomes, offset, call, -1)
            self._make(variant.becomes, made, None, offset, call)

    def _make(self, name: str, value: Value, receiver: Value | None, offset: int, call: Call) -> None:
        heap = self.heap
        result, line, file = call.result + offset, call.position[0], heap.file_of[call.result + offset]
        if name == _SPLIT:
            parts = self.containers.contents_of(result, line)
            self._make(_PART, value, receiver, offset, replace(call, result=parts - offset))
            return
        if receiver is not None and self.table.fluent(name):
            heap.add(result, value.b)
            if receiver.kind == OBJECT and receiver.b >= 0:
                if result not in self.containers.of_result:
                    label = f"{STORED_BY} the pipeline stage `.{name.rpartition('.')[2]}(...)`"
                    self.containers.of_result[result] = heap.node(label, file, line)
                    self.containers.keep(self.containers.of_result[result], offset, call)
                heap.edge(self.containers.of_result[result], receiver.b, line)
            return
        keeps = self.table.keeps(name)
        if keeps and not (name == DEFAULT_DICT and self._loses_factory(offset, call)):
            contents = self.containers.of_result.get(result, -1)
            if contents < 0:
                contents = self.containers.of_result[result] = heap.node(
                    f"{STORED_BY} `{call.text or name}(...)`", file, line
                )
                self._give_by_name(name, contents, offset, call)
            last = name.rpartition(".")[2]
            named = (
                self.table.fluent(name)
                or name in ("functools.partial", DEFAULT_DICT)
                or name in self.table.sending_themselves
                or last in HOLDERS
                or last.endswith("]")
            )
            kept = KEPT if self.table.surely_keeps(name) else PERHAPS_KEPT
            if name == "functools.partial" and call.arguments[:1] > (-1,):
                self.partials[contents] = (offset, call)
            made = Value(OBJECT, name if named else kept, contents)
            if "dataset" in name.lower():  # a builder may make dozens, and all are for loaders
                heap.most[heap.number(made)] = MAX_HAZARDS
            if self.table.fluent(name) or self._filled_later(result) or (name.startswith(_MODULES) and self._hooks):
                heap.add(result, heap.number(made))
            else:
                heap.add_when_filled(result, made, contents)
            self.containers.keep(contents, offset, call, name)
        boundary = self.table.boundary(name)
        if boundary is not None and "result[]" in boundary.pickles:  # a shared list: what is put in it later, too
            contents = self.containers.of_result.setdefault(result, -1)
            if contents < 0:
                contents = self.containers.of_result[result] = heap.node("", file, line)
                self.sinks.contents(contents, boundary, offset, call)
            heap.add(result, heap.number(Value(OBJECT, name, contents)))
        elif self.table.concerns(name):
            heap.add(result, heap.number(Value(OBJECT, self.table.family(name))))

    def _give_by_name(self, name: str, contents: int, offset: int, call: Call) -> None:
        """Tell which arguments are attributes: `loader.dataset` is not all that the loader keeps."""
        heap, boundary = self.heap, self.table.boundary(name)
        given = arguments_by_name(boundary, call) if boundary is not None else dict(call.keywords)
        parameters = boundary.parameters if boundary is not None and not call.stars else ()
        for attribute in sorted({*given, *parameters}):  # an argument that is left out is none of the others
            argument = given.get(attribute, -1)
            is_known = boundary is not None or name in _NAMESPACES
            if attribute in KEPT_AS or (is_known and argument >= 0):
                node = heap.node(heap.labels[contents], heap.file_of[contents], heap.lines[contents])
                heap.given_as.setdefault(contents, {})[attribute] = node
                if argument >= 0:
                    heap.edge(argument + offset, node, call.position[0])
                for star in call.double_stars:
                    if star >= 0 and attribute not in given:
                        self.containers.pass_elements(star + offset, node, attribute)

    def _loses_factory(self, offset: int, call: Call) -> bool:
        """`counts.default_factory = None` stands below, and nothing gets the dict before."""
        result = call.result + offset
        facts = self.sinks.program.facts[self.heap.file_of[result]]
        held = {node - offset for node in (result, *(self.heap.targets[result] or ()))}
        ends = [
            line
            for base, attribute, line, last, function in facts.cleared
            if attribute == "default_factory" and base in held and last == WHOLE_BODY and function == call.scope
        ]
        if not ends or any(name == "default_factory" and base in held for base, name, *_ in facts.stores):
            return False
        return not any(
            call.position[0] < other.position[0] < min(ends) and not held.isdisjoint(other.arguments)
            for other in facts.calls
        )

    @cached_property
    def _hooks(self) -> bool:
        """Some code puts a hook or another `forward` on a module of torch that it is given."""
        return any(name == PATCHED or name.endswith(HOOKS_KEPT) for name in self.constraints.stored_on_others)

    def _filled_later(self, result: int) -> bool:
        """Something is stored on what a call gives, under the name that it gets: `data.transform = ...`."""
        heap = self.heap
        return any(
            node in self.constraints.stores or node in self.constraints.puts
            for node in (result, *(heap.targets[result] or ()))
        )
