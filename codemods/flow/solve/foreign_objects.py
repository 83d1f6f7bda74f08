"""What calls of foreign callables give: objects that keep their arguments, pipelines, datasets, variants of a class."""

from __future__ import annotations

from collections import defaultdict

from ..boundaries import Variant
from ..facts.records import Call
from .calls import Calls
from .heap import KEPT, MAX_HAZARDS, OBJECT, PERHAPS_KEPT, Value
from .members import HOLDERS

_ITERATED = frozenset({"ModuleList", "ModuleDict"})  # keep what is in the argument, not the argument


class ForeignObjects:
    """Adds these objects to a graph."""

    def __init__(self, graph: Calls) -> None:
        self.graph = graph
        self.variants_at: dict[int, list[tuple[Variant, int, Call]]] = defaultdict(list)  # an argument -> calls
        self.partials: dict[int, tuple[int, int]] = {}  # contents -> (what a partial calls, how many it gives first)

    def make(self, name: str, value: Value, receiver: Value | None, offset: int, call: Call) -> None:
        """Add what the call of `name` (canonical) gives; `receiver` is the object whose method it is."""
        self._make(self._variant(name, offset, call), value, receiver, offset, call)

    def call_selective(self, name: str, value: Value, receiver: Value | None, offset: int, call: Call) -> bool:
        """Handle a call about an object that keeps the arguments of some methods only; False for all other calls."""
        graph = self.graph
        result, line = call.result + offset, call.position[0]
        if name in graph.table.selective:
            contents = graph.site_contents.get(result, -1)
            if contents < 0:
                contents = graph.site_contents[result] = graph.node("", graph.file_of[result], line)
                graph.add(result, graph.number(Value(OBJECT, name, contents)))
            return True
        maker, _, method = name.rpartition("().")
        selective = graph.table.selective.get(maker)
        if selective is None or receiver is None or receiver.kind != OBJECT or receiver.b < 0:
            return False
        if method in selective.keeping:
            label = f"kept by the object of `.{method}(...)`"
            kept = graph.site_contents.setdefault(result, -1)
            if kept < 0:
                kept = graph.site_contents[result] = graph.node(label, graph.file_of[result], line)
                graph.keep(kept, offset, call)
            graph.edge(kept, receiver.b, line)
        if method in selective.same:
            graph.add(result, value.b)
        return True

    def _variant(self, name: str, offset: int, call: Call) -> str:
        """The name of what this call makes; what depends on an object given to it is made when that is known."""
        graph = self.graph
        for variant in graph.table.variants.get(name, ()):
            if call.literals.get(variant.parameter) in variant.values:
                return variant.becomes
            argument = dict(call.keywords).get(variant.parameter, -1)
            if argument >= 0 and variant.made_by:
                waiting = (variant, offset, call)
                if waiting not in self.variants_at[argument + offset]:
                    self.variants_at[argument + offset].append(waiting)
                    for number in tuple(graph.holds[argument + offset]):
                        self.make_variant(graph.values[number], *waiting)
        return name

    def make_variant(self, made: Value, variant: Variant, offset: int, call: Call) -> None:
        if made.kind == OBJECT and made.a in variant.made_by:
            self._make(variant.becomes, made, None, offset, call)

    def _make(self, name: str, value: Value, receiver: Value | None, offset: int, call: Call) -> None:
        graph = self.graph
        result, line, file = call.result + offset, call.position[0], graph.file_of[call.result + offset]
        if receiver is not None and graph.table.fluent(name):
            graph.add(result, value.b)
            if receiver.kind == OBJECT and receiver.b >= 0:
                if result not in graph.site_contents:
                    label = f"kept by the pipeline stage `.{name.rpartition('.')[2]}(...)`"
                    graph.site_contents[result] = graph.node(label, file, line)
                    graph.keep(graph.site_contents[result], offset, call)
                graph.edge(graph.site_contents[result], receiver.b, line)
            return
        keeps = graph.table.keeps(name)
        if keeps:
            contents = graph.site_contents.get(result, -1)
            if contents < 0:
                contents = graph.site_contents[result] = graph.node(f"kept by `{call.text or name}(...)`", file, line)
            last = name.rpartition(".")[2]
            named = graph.table.fluent(name) or name == "functools.partial" or last in HOLDERS or last.endswith("]")
            kept = KEPT if graph.table.surely_keeps(name) else PERHAPS_KEPT
            if name == "functools.partial" and call.arguments[:1] > (-1,):
                self.partials[contents] = (call.arguments[0] + offset, len(call.arguments) - 1)
            made = Value(OBJECT, name if named else kept, contents)
            if "dataset" in name.lower():  # a builder may make dozens, and all are for loaders
                graph.most[graph.number(made)] = MAX_HAZARDS
            if graph.table.fluent(name) or self._filled_later(result):
                graph.add(result, graph.number(made))
            else:
                graph.add_when_filled(result, made, contents)
            if last in _ITERATED:
                for argument in call.arguments:
                    if argument >= 0:
                        graph.pass_elements(argument + offset, contents)
            else:
                graph.keep(contents, offset, call)
        boundary = graph.table.boundary(name)
        if boundary is not None and "result[]" in boundary.pickles:  # a shared list: what is put in it later, too
            contents = graph.site_contents.setdefault(result, -1)
            if contents < 0:
                contents = graph.site_contents[result] = graph.node("", file, line)
                graph.boundary_arguments.contents(contents, boundary, offset, call)
            graph.add(result, graph.number(Value(OBJECT, name, contents)))
        elif graph.table.concerns(name):
            graph.add(result, graph.number(Value(OBJECT, graph.table.family(name))))

    def _filled_later(self, result: int) -> bool:
        """Something is stored on what a call gives, under the name that it gets: `data.transform = ...`."""
        graph = self.graph
        return any(
            node in graph.stores_at or node in graph.puts_at for node in (result, *(graph.targets[result] or ()))
        )
