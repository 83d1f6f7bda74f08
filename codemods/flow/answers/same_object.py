"""Checks that the object on which a value is stored can be the one that crosses.

The solver keeps one instance per class, and does not tell the calls of a factory apart. So a value that one object
keeps seems to be on every object of the class, and what a registry builds here seems to get wherever it builds any.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ..facts.records import Position
from ..solve.attributes import ITEMS
from ..solve.heap import CLASS, CONTAINER, INSTANCE, MAX_VALUES, Value
from ..solve.paths import Paths
from .at_home import AtHome
from .contents import inside
from .factories import Factories, Makes
from .lacking import Lacking
from .outside_stores import OutsideStores
from .places import Places
from .property_reads import PropertyReads
from .registries import Registries
from .seeds import EVERY
from .trace import Reasons

MAX_MEANT = 2  # a name that stands for instances of more classes than this is no evidence for any of them
_ANY_CALL = (0,)
_TRIVIAL_BASES = frozenset({"object", "abc.ABC", "ABC", "typing.Generic", "Generic", "typing.Protocol", "Protocol"})


class _Step(NamedTuple):
    """Where constructors get a value: the argument, and the results of those that make the object in question."""

    node: int
    made: set[int]  # none: only others get it


class SameObject:
    """Answers `merged` for the steps of one solution's traces."""

    def __init__(self, places: Places, registries: Registries) -> None:
        self.solution, self.places, self.registries = places.solution, places, registries
        self._kinds: dict[int, int] = {}
        self._paths: dict[tuple[int, int, tuple[int, ...]], Paths] = {}
        self._doubts: dict[tuple[int, int], bool] = {}
        self._steps: dict[tuple[int, int, int], _Step | None] = {}
        self._lacking, self._outside = Lacking(self.solution), OutsideStores(self.solution)

    def merged(self, number: int, reasons: Reasons) -> bool:
        """True when a step from the value `number` to its boundary may join two objects."""
        stored: list[tuple[int, int]] = []  # values and places of the steps since the last object
        paths: Paths | None = None  # of an object that such a call made as gives it what it keeps
        while True:
            reason = reasons[number]
            value = self.solution.heap.values[number]
            if reason.node >= 0 and self.registries.another(number, [*self.solution.heap.way(number, reason.node)]):
                return True
            if value.kind == INSTANCE and reason.node >= 0 and self._mixed(number, reasons):
                return True
            kept = reason.parent >= 0 and self.solution.heap.values[reason.parent].kind == INSTANCE
            if not kept and self._may_be_in_another_bag(number, reason.node, reasons.nodes):
                return True
            if reason.parent < 0:
                return False
            parent = self.solution.heap.values[reason.parent]
            stored.append((number, reason.node))
            if parent.kind == INSTANCE:
                if any(self._overridden(held, node, reason.parent) for held, node in stored):
                    return True
                owner, crosses_at = int(parent.a), reasons[reason.parent].node
                if self.doubtful(owner, reason.node):
                    return True
                if crosses_at >= 0 and self.other_object(
                    number, reason.node, reason.parent, crosses_at, reasons.nodes, paths
                ):
                    return True
                if self._outside.on_another(number, reasons, self.constructed.get(owner, set()), self._gets_to):
                    return True
                if self._stored_on_another_kind(number, reason.node, reason.parent):
                    return True
                if self._made_by_replaced_code(number, reason.node, reason.parent, reasons[reason.parent].parent):
                    return True
                paths = self._paths_of_keeper(number, reason.node, reason.parent, paths)
            else:
                paths = None
            if parent.kind != CONTAINER:
                stored.clear()
            number = reason.parent

    def _stored_on_another_kind(self, number: int, attribute: int, instance: int) -> bool:
        """It is stored on what a registry gave that lacks the class of `instance`: `build(cfg, MODELS).hook = hook`."""
        heap = self.solution.heap
        stores = self.solution.stored_by.get(attribute, ())
        bases = {base for base, stored in stores if number in heap.holds[stored] and instance in heap.holds[base]}
        return bool(bases) and all(self.registries.another(instance, [*heap.way(instance, base)]) for base in bases)

    # what a method puts into the dict or list that its object is

    def _may_be_in_another_bag(self, number: int, node: int, nodes: set[int]) -> bool:
        """A method put the value into `self`, an object that may get to none of `nodes`: `self[name] = value`."""
        way = (node, *self.way(number, node)) if self._items else ()
        owner = next((self._items[at] for at in way if at in self._items), -1)
        if owner < 0:
            return False
        hierarchy, heap = self.solution.hierarchy, self.solution.heap
        family = {at for base in hierarchy.order(owner) for at in (base, *hierarchy.below.get(base, ()))}
        made = [(heap.number(Value(INSTANCE, at)), result) for at in family for result in self.constructed.get(at, ())]
        return len(made) > 1 and not all(self._gets_to(*each, nodes) for each in made)

    @cached_property
    def _items(self) -> dict[int, int]:
        """The nodes of what methods put into `self`, each with the class."""
        return {nodes[ITEMS]: owner for owner, nodes in self.solution.attributes.items() if ITEMS in nodes}

    # what a method of a base class stores

    def _overridden(self, number: int, node: int, instance: int) -> bool:
        """A method of a base class put the value there, which the class of `instance` replaces and doesn't call."""
        heap = self.solution.heap
        source = heap.source(node, number)
        line = heap.line_between(source, node) if source >= 0 else 0
        return source >= 0 and self._replaced(heap.file_of[source], line, instance)

    def _made_by_replaced_code(self, number: int, attribute: int, instance: int, keeper: int) -> bool:
        """The objects of the class of `instance` that get the value are made by code that `keeper` never runs.

        That is a method of its base class, which its own class replaces: `keeper` has another object in that place.
        """
        heap = self.solution.heap
        if keeper < 0 or heap.values[keeper].kind != INSTANCE:
            return False
        made, source = set[int](), attribute
        for node in self.way(number, attribute):
            made = made or self._made_with(number, node, source, instance)
            source = node
        return bool(made) and all(self._replaced(heap.file_of[each], heap.lines[each], keeper) for each in made)

    def _replaced(self, file: int, line: int, instance: int) -> bool:
        """The line stands in a method of a base class that the class of `instance` replaces and doesn't call."""
        program, heap = self.solution.program, self.solution.heap
        index = program.method_around(file, line)
        if index < 0:
            return False
        file, function = program.functions[index]
        owner = program.class_offset[file] + function.owner
        order = self.solution.hierarchy.order(int(heap.values[instance].a))
        nearer = order[: order.index(owner)] if owner in order else ()
        held = heap.holds[function.parameters[0].node + program.offsets[file]]
        if instance in held or len(held) >= MAX_VALUES:
            return False
        return any(function.name in program.classes[at][1].members for at in nearer)

    def at_home(self, number: int, reasons: Reasons, home: AtHome) -> bool:
        """True when the value is on objects that stay, though others of their class are made to cross."""
        while reasons[number].parent >= 0:
            reason = reasons[number]
            kept = self.solution.heap.values[reason.parent].kind == INSTANCE
            if kept and reasons[reason.parent].node < 0:  # nothing but its class says that the object crosses
                made = [(reason.parent, result) for result in self.made_to_keep(number, reason.node, reason.parent)]
                made = made or self._others_that_keep(number, reason.node, reason.parent)
                return bool(made) and all(home.stays(instance, result) for instance, result in made)
            number = reason.parent
        return False

    @cached_property
    def _parameters(self) -> dict[int, int]:
        """The parameters of initialisers, each with the class; -1 for that of a function in a method."""
        program = self.solution.program
        return {
            node: program.class_offset[file] + function.owner if function.owner >= 0 else -1
            for index, (file, function) in enumerate(program.functions)
            if function.name == "__init__"
            for node in program.parameters(index)
        }

    def made_to_keep(self, number: int, attribute: int, instance: int) -> set[int]:
        """Results of the constructors that get the value, which gets from there to the attribute."""
        source = attribute
        for node in self.way(number, attribute):
            made = self._made_with(number, node, source, instance)
            if made:
                return made
            source = node
        return set()

    def gets_to(self, instance: int, made: Iterable[int], node: int) -> bool:
        """True when one of these results of constructors gets to the node, or to too many to say."""
        return any(self._gets_to(instance, each, {node}) for each in made)

    # what is stored on objects of unknown class

    def doubtful(self, owner: int, node: int) -> bool:
        """True for an attribute that only code stores which may mean many classes, and none of `owner` mentions.

        (`optimizer.optimizer = x` where all that a registry builds seems to be an `optimizer`.)
        """
        known = self._doubts.get((owner, node))
        if known is None:
            known = self._doubts[owner, node] = self._doubtful(owner, node)
        return known

    def _doubtful(self, owner: int, node: int) -> bool:
        stored = self.solution.stored_by.get(node)
        if not stored or any(self._instances_at(base) <= MAX_MEANT for base, _ in stored):
            return False
        order, mentioning = self.solution.hierarchy.order(owner), self.solution.hierarchy.mentioning
        names = {name for at, name in self._attributes_at.get(node, ()) if at in order}
        return all(mentioning[name].isdisjoint(order) for name in names if name in mentioning)

    @cached_property
    def _attributes_at(self) -> dict[int, list[tuple[int, str]]]:
        """By node the attributes that it is, each with its class."""
        found: dict[int, list[tuple[int, str]]] = {}
        for at, nodes in self.solution.attributes.items():
            for name, node in nodes.items():
                found.setdefault(node, []).append((at, name))
        return found

    def _instances_at(self, node: int) -> int:
        values = self.solution.heap.values
        return sum(1 for number in self.solution.heap.holds[node] if values[number].kind == INSTANCE)

    # what holds objects of many kinds

    def _mixed(self, number: int, reasons: Reasons) -> bool:
        """An object came by an attribute or the result of a function that holds unrelated kinds of objects.

        Not where the call that makes the keeper gives it that object; nor where most of what the function gives gets to
        the boundary, whichever kind it is.
        """
        labels, node, nodes = self.solution.heap.labels, reasons[number].node, reasons.nodes
        several = labels[node].startswith("stored as") and self._unrelated(node) > MAX_MEANT
        way = [*self.solution.heap.way(number, node)]
        if (
            several
            and not self._comes_whole(node, way)
            and not self._given_to_keeper(number, node, reasons[number].parent, nodes)
        ):
            return True
        if self._lacking.read_beside(number, way, reasons[number].parent):
            return True
        makes = self._factories.makes(number, way)
        if makes is Makes.ANOTHER:
            return not self._made_by_another_call(number, way, nodes)
        for place, at in enumerate(way[1:], 1):
            if labels[at].startswith("stored as") and self._unrelated(at) > MAX_MEANT:
                return True
            several = labels[at].startswith("returned by") and self._unrelated(at) > 1
            told = makes is Makes.THIS or not several or self._property_reads.of_keeper(way, place)
            if not told and not self._most_get_to(number, at, nodes):
                return True
        return False

    def _comes_whole(self, attribute: int, way: list[int]) -> bool:
        """All objects at the attribute are those that one function gives: whether that mixes is asked of its calls."""
        heap = self.solution.heap
        held = {each for each in heap.holds[attribute] if heap.values[each].kind == INSTANCE}
        return any(heap.labels[at].startswith("returned by") and held <= {*heap.holds[at]} for at in way[1:])

    def _given_to_keeper(self, number: int, attribute: int, keeper: int, nodes: set[int]) -> bool:
        """A call that makes a `keeper` which gets to `nodes` is given the object by itself, for this attribute."""
        source = attribute
        for node in self.way(number, attribute) if keeper >= 0 else ():
            if made := self._made_with(number, node, source, keeper):
                return self._unrelated(node) <= 1 and any(self._gets_to(keeper, result, nodes) for result in made)
            source = node
        return False

    def _made_by_another_call(self, number: int, way: list[int], nodes: set[int]) -> bool:
        """Another call of the function that made the object may give it, and gets to `nodes`."""
        labels, heap = self.solution.heap.labels, self.solution.heap
        at = max(place for place, node in enumerate(way) if labels[node].startswith("returned by"))
        return any(
            self._factories.makes(number, [result, *way[at:]]) in (Makes.THIS, Makes.ANY)
            and self._gets_to(number, result, nodes)
            for result in heap.targets[way[at]] or ()
        )

    @cached_property
    def _property_reads(self) -> PropertyReads:
        return PropertyReads(self.solution, self._attributes_at)

    @cached_property
    def _factories(self) -> Factories:
        return Factories(self.solution, self._kinds_of)

    def _most_get_to(self, number: int, returned: int, nodes: set[int]) -> bool:
        """More than half of the calls of a function are for what gets to `nodes`.

        What the objects in question keep is no evidence: they may be none that cross.
        """
        heap = self.solution.heap
        others = nodes - {node for each in heap.holds[returned] for node in self._kept(each)}
        results = [
            target
            for target in heap.targets[returned] or ()
            if any(site < 0 for site in heap.sites.get((returned, target), ()))
        ]
        wanted, left = len(results) // 2 + 1, len(results)
        for result in results:
            if not 0 < wanted <= left:
                break  # what the others do makes no difference
            wanted, left = wanted - self._gets_to(number, result, others), left - 1
        return wanted == 0

    def _kept(self, number: int) -> list[int]:
        """The nodes of what an object keeps; none for other values."""
        return inside(self.solution, number, EVERY) if self.solution.heap.values[number].kind == INSTANCE else []

    def way(self, number: int, node: int) -> Iterator[int]:
        """The nodes by which the value came to `node`, from there back, without `node`."""
        return islice(self.solution.heap.way(number, node), 1, None)

    def _unrelated(self, node: int) -> int:
        """How many kinds of objects a node holds that have no base class in common."""
        known = self._kinds.get(node)
        if known is None:
            values = (self.solution.heap.values[number] for number in self.solution.heap.holds[node])
            known = self._kinds[node] = self._kinds_of(int(value.a) for value in values if value.kind == INSTANCE)
        return known

    def _kinds_of(self, classes: Iterable[int]) -> int:
        """How many of the classes have no base class in common."""
        groups: list[set[int | str]] = []
        hierarchy = self.solution.hierarchy
        for each in classes:
            foreign = hierarchy.all_foreign_bases(each)
            bases: set[int | str] = {*hierarchy.order(each), *(base for base in foreign if base not in _TRIVIAL_BASES)}
            apart = [group for group in groups if group.isdisjoint(bases)]
            groups = [*apart, bases.union(*(group for group in groups if not group.isdisjoint(bases)))]
        return len(groups)

    # what one object got, and another did not

    def other_object(
        self, number: int, attribute: int, instance: int, crosses_at: int, nodes: set[int], paths: Paths | None = None
    ) -> bool:
        """The value got to the attribute as an argument of constructors, and nothing that these made crosses.

        `paths`: the only ones that the value takes.
        """
        step = (
            self._step(number, attribute, instance)
            if paths is None
            else self._find_step(number, attribute, instance, paths)
        )
        if step is None or not step.made:
            return step is not None
        if instance not in self.solution.heap.holds[crosses_at]:  # a bound method of it is there
            return False
        made = step.made
        sites = self._entering(number, step.node)
        if any(self._gets_to(instance, result, nodes, sites) for result in made):
            return False
        others = self.constructed.get(int(self.solution.heap.values[instance].a), set()) - made
        origins = [origin for origin in self.places.origins.get(instance, ()) if origin not in made]
        return all(origin in others or not self._gets_to(instance, origin, nodes) for origin in origins)

    def _step(self, number: int, attribute: int, instance: int) -> _Step | None:
        """As `_find_step`, by whatever paths: asked for along every way by which the object crosses."""
        key = (number, attribute, instance)
        if key not in self._steps:
            self._steps[key] = self._find_step(number, attribute, instance, None)
        return self._steps[key]

    def _find_step(self, number: int, attribute: int, instance: int, paths: Paths | None) -> _Step | None:
        """The last step to the attribute by which constructors of `instance`, or of others alone, get the value.

        `paths`: the only ones that the value takes.
        """
        source = attribute
        for node in self.way(number, attribute):
            if made := self._made_with(number, node, source, instance, paths):
                return _Step(node, made)
            if source in self._parameters and self._only_for_others(number, node, source, instance):
                return _Step(node, set())
            source = node
        return None

    def _paths_of_keeper(self, number: int, attribute: int, instance: int, paths: Paths | None) -> Paths | None:
        """Those of the objects that constructors make which get the value; None where it gets there otherwise."""
        source = attribute
        for node in self.way(number, attribute):
            if made := self._made_with(number, node, source, instance, paths):
                return self._paths_in(instance, sorted(made), self._entering(number, node))
            source = node
        return None

    def arguments_of_others(self, instance: int, nodes: set[int]) -> set[int]:
        """What the calls get that construct such objects, where none of these gets to `nodes`."""
        heap, found = self.solution.heap, set[int]()
        for parameter in self._parameters:
            for source in self._arguments.get(parameter, ()):
                results = {site - 1 for site in heap.sites[source, parameter] if site > 0}
                own = {result for result in results if instance in heap.holds[result]}
                if own and own == results and not any(self._gets_to(instance, result, nodes) for result in own):
                    found.add(source)
        return found

    def made_at(self, instance: int) -> list[tuple[int, str, Position]]:
        """The results of the calls that make objects of the class of `instance`, with their path and line."""
        heap, files = self.solution.heap, self.solution.program.files
        made = sorted(self.constructed.get(int(heap.values[instance].a), ()))
        return [(node, files[heap.file_of[node]], (heap.lines[node], 0, heap.lines[node], 0)) for node in made]

    def _made_with(
        self, number: int, argument: int, parameter: int, instance: int, paths: Paths | None = None
    ) -> set[int]:
        """Results of the calls that construct `instance`, and that give `number` to `parameter`; none: no such step."""
        if argument not in self._arguments.get(parameter, ()):
            return set()
        holds = self.solution.heap.holds
        sources = [source for source in self._arguments[parameter] if number in holds[source]]
        if len(sources) > 1:  # what one call of a function gives it does not come out of another call
            paths = paths or self.places.paths(number)
            sources = [source for source in sources if paths.lead_to(source) or not paths.complete] or sources
        return {
            site - 1
            for source in sources
            for site in self.solution.heap.sites[source, parameter]
            if site > 0 and instance in holds[site - 1]
        }

    def _others_that_keep(self, number: int, attribute: int, instance: int) -> list[tuple[int, int]]:
        """Objects of other classes, each with the result of its constructor, that get the value through their base."""
        source = attribute
        for node in self.way(number, attribute):
            if source in self._parameters and (others := self._only_for_others(number, node, source, instance)):
                return others
            source = node
        return []

    def _only_for_others(self, number: int, argument: int, parameter: int, instance: int) -> list[tuple[int, int]]:
        """The objects that get `number` by this parameter of a constructor, where all are of other classes.

        None where the constructor is that of a class with which this one has nothing in common, like a helper, which
        gets nothing else, or is made by a method of this one.
        """
        heap, order = self.solution.heap, self.solution.hierarchy.order
        owner, given = self._parameters[parameter], self._arguments.get(parameter, ())
        made = {
            site - 1: [value for value in heap.holds[site - 1] if heap.values[value].kind == INSTANCE]
            for source in given
            if number in heap.holds[source]
            for site in heap.sites[source, parameter]
            if site > 0
        }
        own = order(int(heap.values[instance].a))
        unlike = owner < 0 or set(order(owner)).isdisjoint(own)
        if unlike and all(number in heap.holds[source] for source in given):
            return []
        if unlike and any(self._stands_in(at, own) for at in made):
            return []
        if argument not in given or any(instance in made[at] or not made[at] for at in made):
            return []
        return [(value, at) for at, values in made.items() for value in values]

    def _stands_in(self, node: int, classes: Collection[int]) -> bool:
        """A method of one of the classes has the node."""
        program, heap = self.solution.program, self.solution.heap
        index = program.method_around(heap.file_of[node], heap.lines[node])
        if index < 0:
            return False
        file, function = program.functions[index]
        return program.class_offset[file] + function.owner in classes

    @cached_property
    def constructed(self) -> dict[int, set[int]]:
        """Per class the results of the calls that make its objects."""
        found: dict[int, set[int]] = {}
        for node, calls in self.solution.constraints.calls.items():
            for number in self.solution.heap.holds[node]:
                value = self.solution.heap.values[number]
                if value.kind == CLASS:
                    found.setdefault(int(value.a), set()).update(call.result + offset for offset, call in calls)
        return found

    @cached_property
    def _arguments(self) -> dict[int, list[int]]:
        """Per parameter the nodes of arguments that calls give to it."""
        found: dict[int, list[int]] = {}
        for (source, target), sites in self.solution.heap.sites.items():
            if any(site > 0 for site in sites):
                found.setdefault(target, []).append(source)
        return found

    def _entering(self, number: int, parameter: int) -> tuple[int, ...]:
        """The calls that give the value to a parameter of the function around them; (0,) where it comes otherwise."""
        heap = self.solution.heap
        sources = [source for source in self._arguments.get(parameter, ()) if number in heap.holds[source]]
        sites = {site for source in sources for site in heap.sites[source, parameter]}
        otherwise = any(number in heap.holds[source] for source in self._without_a_call.get(parameter, ()))
        if otherwise or not sites or min(sites) <= 0 or parameter in self.places.origins.get(number, ()):
            return _ANY_CALL
        return tuple(sorted(sites))

    @cached_property
    def _without_a_call(self) -> dict[int, list[int]]:
        """Per parameter the nodes whose values it gets by no call: its default, what is assigned to its name."""
        program, heap = self.solution.program, self.solution.heap
        parameters = {node for index in range(len(program.functions)) for node in program.parameters(index)}
        found: dict[int, list[int]] = {}
        for source, targets in enumerate(heap.targets):
            for target in targets or ():
                if target in parameters and (source, target) not in heap.sites:
                    found.setdefault(target, []).append(source)
        return found

    def _gets_to(self, instance: int, origin: int, nodes: set[int], sites: tuple[int, ...] = _ANY_CALL) -> bool:
        """True when the object that is made at `origin` gets to one of `nodes`, or to too many to say.

        `sites`: the calls of the function around it in which it is made.
        """
        key = (instance, origin, sites)
        known = self._paths.get(key)
        if known is None:
            known = self._paths[key] = self._paths_in(instance, (origin,), sites)
        return known.meet(nodes) or not known.complete

    def _paths_in(self, number: int, origins: Iterable[int], sites: tuple[int, ...]) -> Paths:
        kept_at = self._kept_at if sites != _ANY_CALL else frozenset()
        return Paths(self.solution.heap, number, origins, sites=sites, kept_at=kept_at)

    @cached_property
    def _kept_at(self) -> frozenset[int]:
        """The nodes of attributes, and of what is in containers."""
        heap = self.solution.heap
        attributes = (node for nodes in self.solution.attributes.values() for node in nodes.values())
        contents = (int(value.a) for value in heap.values if value.kind == CONTAINER)
        return frozenset(
            (*attributes, *contents, *(node for fields in heap.fields.values() for node in fields.values()))
        )
