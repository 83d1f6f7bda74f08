"""The graph that the solver works on: nodes that hold abstract values, edges that copy them, containers with fields."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..facts.syntax import KEYS

MAX_CONTAINERS = 12  # in one node; beyond, a summary stands for them (else `**kwargs` through one builder is quadratic)
# Where more values than this meet (a builder that every model goes through), none of them is followed on.
MAX_VALUES = 16
MAX_HAZARDS = 400
MAX_CALLABLES = 2 * MAX_VALUES  # with functions and classes of the repository, see `has_room`
# The values in a node: a tuple of none or one, as in most nodes, or a dict, with the node that each came from.
Held = tuple[int, ...] | dict[int, int]
# Where the values of a node go: one node, or more, with the lines of the edges.
Targets = tuple[int] | dict[int, int]
NOTHING: Held = ()
STORED_BY = "stored by"  # begins the label of what a foreign object keeps; shortened traces show it
KEPT, PERHAPS_KEPT = "<object>", "<object?>"  # names of foreign objects of which only the contents matter
FUNCTION, CLASS, INSTANCE, BOUND, CONTAINER, FOREIGN, OBJECT, MODULE, HAZARD, SUPER = range(10)


class Value(NamedTuple):
    """An abstract value. What `a` and `b` are depends on `kind`:

    FUNCTION, CLASS, INSTANCE, HAZARD: a = index; BOUND: a = function, b = receiver (a value number);
    CONTAINER: a = node of what it holds under no known key; MODULE: a = file;
    FOREIGN (something outside the repo): a = dotted name, b = receiver; OBJECT (what a call of it gave): a = dotted
    name, b = node of what it holds, or -1; SUPER: a = class, b = receiver.
    """

    kind: int
    a: int | str
    b: int = -1


class Heap:
    """Nodes, values and edges. Each (node, value) pair remembers where it came from, so that its path can be shown."""

    def __init__(self, is_hazard: Callable[[Value], bool]) -> None:
        """`is_hazard` is true for values that are looked for, not only looked through."""
        self._is_hazard = is_hazard
        self.lines = array("i")
        self.labels: list[str] = []
        self.file_of = array("i")
        self.holds: list[Held] = []  # per node; `source` says where they came from
        self.came = array("i")  # per node with one value: the node that it came from, or -1
        self.alone: list[tuple[int]] = []  # per value: what nodes hold that hold nothing else
        self.plain: list[bool] = []  # per value: nothing but the number of values keeps it out of a node
        self._ours: list[bool] = []  # per value: it is no foreign one
        self._contents: list[int] = []  # per value: the node of what it holds, -1 where it is no container
        self.targets: list[Targets | None] = []  # per node; `line_between` gives the lines
        self._edge_lines = array("i")  # per node with one target: the line of the edge
        self.values: list[Value] = []
        self.numbers: dict[Value, int] = {}
        self.most: list[int] = []  # per value: it goes into no node that holds so many already
        self.sites: dict[tuple[int, int], list[int]] = {}  # of edges into and out of calls
        self.at_calls: set[int] = set()  # the nodes where these begin
        self._left_by: dict[int, dict[int, list[int]]] = {}  # see `_calls_back`
        self.work: deque[tuple[int, int]] = deque()
        self.pending: dict[
            int, list[tuple[int, int]]
        ] = {}  # node -> (holder, value) to add once the node holds anything
        self.fields: dict[int, dict[str, int]] = {}  # container -> key -> node
        self.all_of: dict[int, int] = {}  # container -> node of everything in it
        self.holders: dict[int, int] = {}  # node -> how many containers it holds
        self.summaries: dict[int, int] = {}  # node -> contents of the one container that stands for many
        self.copies: dict[int, list[int]] = {}  # container -> summaries and copies that follow it
        self.left_out: set[tuple[int, str]] = set()  # (copy, key that what it is a copy of may have)
        self.overflow: deque[tuple[int, int]] = deque()  # (node, container) to summarise
        self.wanted: dict[tuple[int, str], list[int]] = {}  # (container, key) that nothing is under yet -> its readers
        self.roomy: set[int] = set()  # nodes that may hold instances of more classes than MAX_VALUES
        self.modules_only: set[int] = set()  # parameters annotated as modules: a configuration that gets there is none
        # containers whose keys are attributes too -> the class of the repository that they are of, or -1
        self.bags: dict[int | str, int] = {}
        # contents of what a foreign call made -> attribute -> node of the argument that is known to be there
        self.given_as: dict[int, dict[str, int]] = {}

    def settle(self) -> None:
        """Let go of what only serves to add more: all is solved."""
        for waiting in (self.work, self.overflow, self.pending, self.wanted, self.copies, self.holders, self.given_as):
            waiting.clear()
        self.left_out.clear()
        self._left_by.clear()
        for nodes in (self.summaries, self.all_of, self.roomy, self.modules_only, self.alone, self.plain, self._ours):
            nodes.clear()

    def number(self, value: Value) -> int:
        """The number of an abstract value, the same for equal values."""
        known = self.numbers.get(value)
        if known is None:
            known = self.numbers[value] = len(self.values)
            self.values.append(value)
            self.alone.append((known,))
            kind = value.kind
            most = MAX_CALLABLES if kind in (FUNCTION, CLASS) else MAX_VALUES
            most = MAX_HAZARDS if self._is_hazard(value) else most
            self.most.append(most)
            self.plain.append(kind not in (CONTAINER, OBJECT) and (kind != INSTANCE or most == MAX_VALUES))
            self._ours.append(kind != FOREIGN)
            self._contents.append(int(value.a) if kind == CONTAINER else value.b if kind == OBJECT else -1)
        return known

    def has_room(self, held: Held) -> bool:
        """One more function or class of the repository goes in: what libraries have does not take its place."""
        return sum(map(self._ours.__getitem__, held)) < MAX_VALUES

    def add_file(self, file: int, lines: Iterable[int], labels: Iterable[str]) -> None:
        """New nodes, those of one file, without a value."""
        self.lines.extend(lines)
        self.labels += labels
        count = len(self.lines) - len(self.holds)
        self.file_of.extend(array("i", (file,)) * count)
        self.came.extend(array("i", (-1,)) * count)
        self._edge_lines.extend(array("i", (0,)) * count)
        self.holds += [NOTHING] * count
        self.targets += [None] * count

    def add_edges(self, offset: int, edges: Iterable[tuple[int, int, int]]) -> None:
        """Edges of a file whose first node is `offset`, before any of its nodes holds a value."""
        targets, edge_lines = self.targets, self._edge_lines
        for source, target, line in edges:
            source += offset
            target += offset
            out = targets[source]
            if out is None:
                targets[source] = (target,)
                edge_lines[source] = line
            elif target not in out:
                self._widen(source, out, target, line)

    def node(self, label: str, file: int, line: int) -> int:
        """A new node."""
        self.lines.append(line)
        self.labels.append(label)
        self.file_of.append(file)
        self.holds.append(NOTHING)
        self.targets.append(None)
        self.came.append(-1)
        self._edge_lines.append(0)
        return len(self.lines) - 1

    def line_between(self, source: int, target: int) -> int:
        """The line of the edge from `source` to `target`, 0 where there is none."""
        out = self.targets[source]
        if isinstance(out, dict):
            return out.get(target, 0)
        return self._edge_lines[source] if out is not None and target in out else 0

    def _widen(self, source: int, out: Targets, target: int, line: int) -> None:
        """One more target of `source`, beside those in `out`."""
        if isinstance(out, dict):
            out[target] = line
        else:
            self.targets[source] = {out[0]: self._edge_lines[source], target: line}

    def source(self, node: int, number: int) -> int:
        """The node from which the value `number` came to `node`; -1 where it is made there, or never gets there."""
        held = self.holds[node]
        if isinstance(held, dict):
            return held.get(number, -1)
        return self.came[node] if number in held else -1

    def led_to(self, nodes: Iterable[int]) -> set[int]:
        """The nodes, and all to which edges lead from them."""
        found = {*nodes}
        todo = [*found]
        while todo:
            new = {*(self.targets[todo.pop()] or ())} - found
            found |= new
            todo += new
        return found

    def way(self, number: int, node: int) -> Iterator[int]:
        """The nodes by which the value `number` came to `node`, from `node` back to where it is made."""
        seen = set[int]()
        while node >= 0 and node not in seen:
            seen.add(node)
            yield node
            node = self.source(node, number)

    def sources(self, node: int) -> Iterator[tuple[int, int]]:
        """The values in `node`, each with the node that it came from, or -1."""
        held = self.holds[node]
        if isinstance(held, dict):
            yield from held.items()
        elif held:
            yield held[0], self.came[node]

    def origins(self) -> dict[int, list[int]]:
        """Per value the nodes where it is made, or added without an edge."""
        found: dict[int, list[int]] = {}
        holds, targets, came = self.holds, self.targets, self.came
        for node, held in enumerate(holds):
            if not held:
                continue
            if isinstance(held, dict):
                for number, source in held.items():
                    if source < 0 or number not in holds[source] or node not in (targets[source] or ()):
                        found.setdefault(number, []).append(node)
            else:
                source = came[node]
                if source < 0 or held[0] not in holds[source] or node not in (targets[source] or ()):
                    found.setdefault(held[0], []).append(node)
        return found

    def put(self, node: int, number: int, source: int) -> None:
        """As `add`, of a value that is not in `node` yet, and of which is known that nothing keeps it out."""
        held = self.holds[node]
        if not held:  # most of them
            self.holds[node] = self.alone[number]
            self.came[node] = source
        elif isinstance(held, dict):
            held[number] = source
        else:
            self.holds[node] = {held[0]: self.came[node], number: source}

    def add(self, node: int, number: int, source: int = -1) -> None:
        """`node` holds the value `number`, which came from the node `source`."""
        held = self.holds[node]
        if number in held or len(held) >= self.most[number]:
            return
        if len(held) >= MAX_VALUES and (
            (self.values[number].kind == INSTANCE and node not in self.roomy)
            or (self.most[number] == MAX_CALLABLES and not self.has_room(held))
        ):
            return
        contents = self._contents[number]
        if contents >= 0:
            if node in self.modules_only and self.values[number].kind == CONTAINER:
                return
            if contents != self.summaries.get(node, -1) and self.most[number] == MAX_VALUES:
                if self.holders.get(node, 0) >= MAX_CONTAINERS:
                    self.overflow.append((node, contents))
                    return
                self.holders[node] = self.holders.get(node, 0) + 1
        if not held and node in self.pending:
            for holder, waiting in self.pending.pop(node):
                self.add(holder, waiting)
        self.put(node, number, source)
        self.work.append((node, number))

    def summarise(self, node: int, contents: int) -> None:
        """`node` has met too many containers: one container with a copy of their contents stands for the others."""
        summary = self.summaries.get(node, -1)
        if summary < 0:
            summary = self.summaries[node] = self.node("", self.file_of[node], self.lines[node])
            self.summaries[summary] = (
                summary  # what it holds too much of is poured out into it: no summaries of summaries
            )
        self.add_when_filled(node, Value(CONTAINER, summary), summary)
        self.copy_into(contents, summary, self.lines[node])

    def copy_into(self, contents: int, copy: int, line: int) -> None:
        """The container `copy` holds what `contents` does, under the same keys; what is put in `copy` stays there."""
        followers = self.copies.setdefault(contents, [])
        if copy not in followers and contents != copy:
            followers.append(copy)
            self.edge(contents, copy, line)
            for key, field in tuple(self.fields.get(contents, {}).items()):
                if (copy, key) not in self.left_out:
                    self.edge(field, self.field(copy, key), line)

    def edge(self, source: int, target: int, line: int, site: int = 0) -> None:
        """Everything in `source` is in `target` too.

        `site` tells calls apart: positive where a value goes into a call, the same number negated where it comes back.
        """
        if source == target:
            return
        if site:
            sites = self.sites.setdefault((source, target), [])
            self.at_calls.add(source)
            if site not in sites:
                sites.append(site)
        elif (source, target) in self.sites:
            self.sites[source, target].append(0)
        out = self.targets[source]
        if out is None:
            self.targets[source] = (target,)
            self._edge_lines[source] = line
        elif target in out:
            return
        else:
            self._widen(source, out, target, line)
        if held := self.holds[source]:
            add = self.add
            for number in tuple(held):
                add(target, number, source)

    def returns_to(self, node: int, site: int) -> bool:
        """The call at `site` calls the function whose result is in `node`. Asked for when no edge is added any more.

        Where it calls another, the value got here by an attribute, or as what an inner function captures.
        """
        return site in self._calls_back(node)

    def way_back(self, node: int, site: int) -> list[int] | None:
        """Where the result of a function in `node` goes after the call at `site`; None where it goes elsewhere too."""
        known = self._calls_back(node)
        return known.get(site) if 0 not in known else None

    def _calls_back(self, node: int) -> dict[int, list[int]]:
        """By site of a call that leaves by an edge from `node` its targets; under 0 those to which no call leaves."""
        known = self._left_by.get(node)
        if known is None:
            known = self._left_by[node] = {}
            for target in self.targets[node] or ():
                for site in self.sites.get((node, target), (0,)):
                    known.setdefault(max(-site, 0), []).append(target)
        return known

    def add_when_filled(self, holder: int, value: Value, contents: int) -> None:
        """`holder` holds the container `value` from the moment that one of its nodes holds something.

        Most containers of a repo hold numbers and strings only; keeping these out of the graph is what keeps it small.
        """
        number = self.number(value)
        for node in (contents, *self.fields.get(contents, {}).values()):
            if self.holds[node]:
                self.add(holder, number)
                return
        for node in (contents, *self.fields.get(contents, {}).values()):
            self.pending.setdefault(node, []).append((holder, number))

    def field(self, contents: int, key: str) -> int:
        """The node of what a container holds under a literal key."""
        known = self.fields.setdefault(contents, {}).get(key, -1)
        if known >= 0:
            return known
        first = self._new_field(contents, key)
        todo = [(first, iter(self.copies.get(contents, ())))]  # copies of copies: a chain may be long
        while todo:
            node, copies = todo[-1]
            for copy in copies:
                if (copy, key) in self.left_out:
                    continue
                found = self.fields.setdefault(copy, {}).get(key, -1)
                if found < 0:
                    todo.append((self._new_field(copy, key), iter(self.copies.get(copy, ()))))
                    break
                self.edge(node, found, self.lines[node])
            else:
                todo.pop()
                if todo:
                    self.edge(todo[-1][0], node, self.lines[todo[-1][0]])
        return first

    def _new_field(self, contents: int, key: str) -> int:
        label = "put in a tuple" if key[0] == "#" else f"put in a dict as `{key}`"
        node = self.node(label, self.file_of[contents], self.lines[contents])
        self.fields[contents][key] = node
        if self.summaries.get(contents) == contents:
            self.summaries[node] = contents
        if contents in self.all_of:
            self.edge(node, self.all_of[contents], self.lines[node])
        if contents in self.pending:
            self.pending.setdefault(node, []).extend(self.pending[contents])
        for result in self.wanted.pop((contents, key), ()):
            self.edge(node, result, self.lines[result])
        return node

    def read(self, contents: int, key: str, result: int) -> None:
        """`result` is what a container holds under `key`, or under no known key."""
        self._read_field(contents, key, result)
        self.edge(contents, result, self.lines[result])

    def read_keys(self, contents: int, result: int) -> None:
        """`result` is a key of the dict."""
        self._read_field(contents, KEYS, result)

    def _read_field(self, contents: int, key: str, result: int) -> None:
        node = self.fields.get(contents, {}).get(key, -1)
        if node >= 0:
            self.edge(node, result, self.lines[result])
        else:
            self.wanted.setdefault((contents, key), []).append(result)

    def every(self, contents: int) -> int:
        """The node of everything that a container holds."""
        node = self.all_of.get(contents, -1)
        if node < 0:
            node = self.all_of[contents] = self.node("", self.file_of[contents], self.lines[contents])
            for part in (contents, *self.fields.get(contents, {}).values()):
                self.edge(part, node, self.lines[part])
        return node
