"""Inclusion-based points-to analysis over the facts of a repo: which values can be in which node.

Field-sensitive for attributes of the repo's own classes (one abstract instance per class) and for literal keys of
dicts, one content node per container or foreign object otherwise; flow- and context-insensitive. Each (node, value)
pair is handled once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ..boundaries import Table
from ..facts.records import Call, FileFacts
from .calls import Calls
from .deferred_calls import ELSEWHERE, RUNS
from .foreign_objects import ForeignObjects
from .heap import (
    BOUND,
    CLASS,
    CONTAINER,
    FOREIGN,
    FUNCTION,
    INSTANCE,
    MAX_VALUES,
    OBJECT,
    PERHAPS_KEPT,
    SUPER,
    Value,
)
from .python_builtins import RECORDS, PythonBuiltins

MAX_STEPS = 3_000_000  # pairs handled before the analysis stops looking; 10 a node in larger repos (seen: 1 to 2)

_MAX_ARGUMENTS = 20  # of a call through partials


class StartMethod(NamedTuple):
    """What a call sets for the whole process, "" where that isn't a literal; `in_function`: not when it is imported."""

    method: str
    in_function: bool


class Solver(Calls):
    """Solves on construction. Node and value numbers are valid for this solver only."""

    def __init__(self, facts: Mapping[str, FileFacts], table: Table) -> None:
        super().__init__(facts, table)
        self.start_methods: dict[tuple[str, int], StartMethod] = {}  # by path and line
        self.python_builtins = PythonBuiltins(self)
        self.foreign_objects = ForeignObjects(self)
        self.runs: set[tuple[str, int]] = set()  # calls that call something elsewhere: name, result
        self.outside: dict[int, set[int]] = {}  # file -> its nodes that hold what its functions are given
        self.steps = 0
        self.limit = max(MAX_STEPS, 10 * len(self.lines))
        self._run(names_only=True)
        self.hierarchy.resolve(self._bases_of)
        for index, own in enumerate(self.facts):
            self._seed_objects(index, own)
        for node in [*self.calls_at, *self.loads_at, *self.stores_at]:
            self.work.extend((node, number) for number in self.holds[node])
        self._run(names_only=False)
        self._seed_unknown()
        self._run(names_only=False)
        self.sinks = self.boundary_arguments.found
        # these refer to us, and no garbage collector runs: a circle would never be freed
        del self.boundary_arguments, self.foreign_objects, self.module_names, self.python_builtins

    def _seed_unknown(self) -> None:
        """What nothing is known of, but that it gets something of ours as an attribute, is an object that keeps it."""
        for base in [node for node in self.stores_at if not self.holds[node]]:
            stored = next((store for store in self.stores_at[base] if self.holds[store[1]]), None)
            if stored is not None:
                contents = self.node(f"stored as `{stored[0]}`", self.file_of[base], stored[2])
                self.add(base, self.number(Value(OBJECT, PERHAPS_KEPT, contents)))

    @property
    def complete(self) -> bool:
        """False when the analysis stopped early: some paths may be missing."""
        return self.steps <= self.limit

    def _run(self, names_only: bool) -> None:
        work, values, targets, all_held = self.work, self.values, self.targets, self.holds
        pending = self.pending
        while work or self.overflow:
            if not work:
                self.summarise(*self.overflow.popleft())
                continue
            node, number = work.popleft()
            self.steps += 1
            if self.steps > self.limit:
                work.clear()
                return
            out = targets[node]
            value = values[number]
            if out is not None:
                most = self.most[number]
                plain = value.kind not in (CONTAINER, OBJECT) and (value.kind != INSTANCE or most == MAX_VALUES)
                for target in tuple(out):
                    held = all_held[target]
                    if number not in held and len(held) < most:
                        if plain and (held or target not in pending):
                            if held:
                                held[number] = node
                            else:
                                all_held[target] = {number: node}
                            work.append((target, number))
                        else:
                            self.add(target, number, node)
            if node in self.loads_at:
                for attribute, result in tuple(self.loads_at[node]):
                    self._load(value, number, attribute, result)
            if not names_only:
                self._handle(node, number, value)

    def _handle(self, node: int, number: int, value: Value) -> None:
        if node in self.bound_targets:
            for result, receiver, owner in tuple(self.bound_targets[node]):
                self._bind_member(node, number, result, receiver, owner)
        if node in self.stores_at:
            for attribute, stored, line, worker in tuple(self.stores_at[node]):
                self._store(node, value, attribute, stored, line, worker)
        if node in self.elements_at:
            for result, key in tuple(self.elements_at[node]):
                self._element(value, result, key)
        if node in self.puts_at:
            for stored, line, key in tuple(self.puts_at[node]):
                self._put(value, stored, line, key)
        if node in self.calls_at:
            for offset, call in tuple(self.calls_at[node]):
                self._call(node, value, number, offset, call)
        if node in self.python_builtins.supers_at and value.kind in (INSTANCE, CLASS):
            for owner, result in self.python_builtins.supers_at[node]:
                self.add(result, self.number(Value(SUPER, owner, number)))
        if node in self.python_builtins.copies_at:
            for result in self.python_builtins.copies_at[node]:
                self.python_builtins.copy(value, result)
        if node in self.foreign_objects.variants_at:
            for waiting in tuple(self.foreign_objects.variants_at[node]):
                self.foreign_objects.make_variant(value, *waiting)
        if node in self.python_builtins.types_at and value.kind == INSTANCE:
            for result in self.python_builtins.types_at[node]:
                self.add(result, self.number(Value(CLASS, value.a)))

    # calls

    def _call(self, node: int, value: Value, number: int, offset: int, call: Call) -> None:
        kind = value.kind
        if kind == FUNCTION:
            self._call_function(int(value.a), offset, call, -1)
        elif kind == BOUND:
            self._call_function(int(value.a), offset, call, value.b)
        elif kind == CLASS:
            self._construct(int(value.a), offset, call)
        elif kind == FOREIGN:
            self._call_foreign(node, value, offset, call)
        elif kind == OBJECT and value.a == "functools.partial" and value.b >= 0:
            function, given = self.foreign_objects.partials.get(value.b, (value.b, 0))
            if len(call.arguments) + given <= _MAX_ARGUMENTS:  # a partial of itself, `f = partial(f, x)`, has no end
                call = replace(call, arguments=(-1,) * given + call.arguments)
            self._call_later(function, offset, call)
        elif kind == OBJECT and value.a in RECORDS:
            self._record(offset, call)
        elif kind == INSTANCE:
            function = self._member_function(int(value.a), "__call__")
            if function >= 0:
                self._call_function(function, offset, call, number)

    def _call_later(self, node: int, offset: int, call: Call) -> None:
        """`call` is a call of whatever gets to `node`."""
        if (offset, call) not in self.calls_at[node]:
            self.calls_at[node].append((offset, call))
            for number in tuple(self.holds[node]):
                self._call(node, self.values[number], number, offset, call)

    def _run_elsewhere(self, name: str, offset: int, call: Call) -> None:
        """`Process(target=f, args=(x,))` calls `f(x)`."""
        run, key = RUNS.get(name), (name, call.result + offset)
        if run is None or key in self.runs:
            return
        self.runs.add(key)
        given = {**({} if run.rest else dict(call.keywords)), **dict(zip(run.parameters, call.arguments, strict=False))}
        function, file, line = given.get(run.function, -1), self.file_of[key[1]], call.position[0]
        if function < 0 or function in self._from_outside(file):
            return  # `def in_thread(target, args)`: which function goes with which arguments is not told here
        made = Call(function, (), (), (), (), self.node("", file, line) - offset, call.position, ELSEWHERE)
        if run.rest:
            made = replace(
                call, function=function, arguments=call.arguments[1:], result=made.result, text=ELSEWHERE, literals={}
            )
        elif run.each:
            element = self.node("", file, line)
            if given.get(run.each, -1) >= 0:
                self.pass_elements(given[run.each] + offset, element)
            inside = (element - offset,)
            made = replace(made, stars=inside) if run.unpacked else replace(made, arguments=inside)
        else:
            stars, double_stars = (
                tuple(node for node in [given.get(each, -1)] if node >= 0) for each in (run.stars, run.double_stars)
            )
            made = replace(made, arguments=(-1,) * run.first, stars=stars, double_stars=double_stars)
        self._call_later(function + offset, offset, made)

    def _from_outside(self, file: int) -> set[int]:
        """The file's nodes that hold what functions are given, as far as variables tell."""
        known = self.outside.get(file)
        if known is None:
            facts, leads = self.facts[file], dict[int, list[int]]()
            for source, target, _ in facts.edges:
                leads.setdefault(source, []).append(target)
            todo = [parameter.node for function in facts.functions for parameter in function.parameters]
            known = self.outside[file] = set(todo)
            while todo:
                new = set(leads.get(todo.pop(), ())) - known
                known |= new
                todo += new
        return known

    # calls of what lies outside the repo

    def _call_foreign(self, node: int, value: Value, offset: int, call: Call) -> None:
        written = str(value.a)
        name = self.table.canonical(written)
        receiver = self.values[value.b] if value.b >= 0 else None
        if written.startswith("<container>."):
            if receiver is not None:
                self.python_builtins.call_container_method(written[12:], int(receiver.a), offset, call)
            return
        self.boundary_arguments.call(name, offset, call, value.b)
        self._run_elsewhere(name, offset, call)
        if self.foreign_objects.call_selective(name, value, receiver, offset, call):
            return
        if name in self.table.starters:
            method, parameter = self.table.starters[name]
            asked = method or call.literals.get(parameter, call.literals.get(0))
            self.start_methods[self.files[self.file_of[node]], call.position[0]] = StartMethod(
                asked if isinstance(asked, str) else "", call.scope >= 0
            )
        if name.endswith("().__init__"):
            if receiver is not None and receiver.kind == INSTANCE:
                self._hand_to_base(name[: -len("().__init__")], int(receiver.a), offset, call)
        elif not self.python_builtins.call(name, node, offset, call):
            self.foreign_objects.make(name, value, receiver, offset, call)
