"""What the code of the repository does with the values of a node, to be applied to each value that gets there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeVar

from ..boundaries import Variant
from ..facts.records import Call, FileFacts
from ..kinds import FunctionKind, MethodBinding

T = TypeVar("T")


class Constraints:
    """Tables by node. `watched`: the nodes that are in one of them."""

    def __init__(self) -> None:
        self.watched: set[int] = set()
        self.loads: dict[int, list[tuple[str, int]]] = defaultdict(list)  # x -> (attribute, result of `x.attribute`)
        # x -> (attribute, node of the value, line, whether a worker runs the code), of `x.attribute = value`
        self.stores: dict[int, list[tuple[str, int, int, bool]]] = defaultdict(list)
        self.elements: dict[int, list[tuple[int, str]]] = defaultdict(list)  # x -> (result, key): iteration, subscript
        self.puts: dict[int, list[tuple[int, int, str]]] = defaultdict(
            list
        )  # x -> (value, line, key): `x[key] = value`
        self.calls: dict[int, list[tuple[int, Call]]] = defaultdict(list)  # callee -> (offset of the file, call)
        # a name of a class body -> (result, receiver, class): where it is read as an attribute
        self.members: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        self.supers: dict[int, list[tuple[int, int]]] = defaultdict(list)  # self -> (class, result of `super()`)
        # x -> (result, what it is unless x is a container, or -1) of `dict(x)`; SPREAD in its place for `**x`
        self.copies: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.types: dict[int, list[int]] = defaultdict(list)  # x -> result of `type(x)`
        self.made: dict[int, list[int]] = defaultdict(list)  # x -> result of `object.__new__(x)`
        self.namespaces: dict[int, list[int]] = defaultdict(list)  # x -> what `vars(x)` gives where x is a module
        # an argument -> calls whose result depends on it
        self.variants: dict[int, list[tuple[Variant, int, Call]]] = defaultdict(list)
        self.left_out: dict[int, list[str]] = defaultdict(list)  # result of a copy -> keys that it does not have
        self.stored_on_others: set[str] = set()  # attributes that code stores on something else than `self`

    def settle(self) -> None:
        """Let go of all but `loads`, `elements` and `calls`, which are asked for when all is solved."""
        self.left_out.clear()
        for table in (self.stores, self.puts, self.members, self.supers, self.copies, self.types, self.variants):
            table.clear()
        self.made.clear()
        self.namespaces.clear()
        self.watched.clear()

    def add(self, table: dict[int, list[T]], node: int, entry: T) -> None:
        """Enter something in one of the tables. It is up to the caller to apply it to what `node` holds already."""
        table[node].append(entry)
        self.watched.add(node)

    def add_file(self, offset: int, facts: FileFacts, hooked: bool) -> None:
        """Enter what the facts of one file say; `offset` is its first node. `hooked`: no hook is removed again."""
        for base, attribute, result in facts.loads:
            self.loads[base + offset].append((attribute, result + offset))
        stores = [*facts.stores, *facts.hooked] if hooked else facts.stores
        own = _own_objects(facts) if stores else frozenset[int]()
        for base, attribute, value, line, function in stores:
            if base not in own:
                self.stored_on_others.add(attribute)
            worker = function >= 0 and facts.functions[function].worker_side
            self.stores[base + offset].append((attribute, value + offset, line, worker))
        for container, result, key in facts.elements:
            if container >= 0:
                self.elements[container + offset].append((result + offset, key))
        lazy = _filled_in_workers(facts) if facts.puts else ()
        for container, value, line, key in facts.puts:
            if container not in lazy:
                self.puts[container + offset].append((value + offset, line, key))
        for container, copy, other in facts.copies:
            self.copies[container + offset].append((copy + offset, other + offset))
        for copy, key in facts.left_out:
            self.left_out[copy + offset].append(key)
        for call in facts.calls:
            self.calls[call.function + offset].append((offset, call))
        tables: tuple[Iterable[Any], ...] = (facts.loads, stores, facts.elements, facts.puts, facts.copies)
        for made in tables:
            self.watched.update(entry[0] + offset for entry in made)
        self.watched.update(call.function + offset for call in facts.calls)


def _own_objects(facts: FileFacts) -> frozenset[int]:
    """The nodes of `self` of all methods; what is stored on `cls` is on something else."""
    methods = (each for each in facts.functions if each.kind is FunctionKind.METHOD and each.parameters)
    return frozenset(
        each.parameters[0].node for each in methods if each.binding in (MethodBinding.INSTANCE, MethodBinding.PROPERTY)
    )


def _filled_in_workers(facts: FileFacts) -> set[int]:
    """`self.files` where a worker fills it, `self.files[at] = open(...)`: what it puts there is not sent."""
    workers = {
        function.parameters[0].node
        for function in facts.functions
        if function.worker_side and function.kind is FunctionKind.METHOD and function.parameters
    }
    return {result for base, _, result in facts.loads if base in workers} if workers else set()
