"""What becomes of all unpicklable attributes of a class together: one fix, or a reason for each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...finding import Edit, Fix, Refused, Trace
from ...flow.answers.crossings import flow_of
from ...flow.answers.destructors import ended_copy, ended_with, writes_a_file
from ...flow.answers.tried import tried
from ...nodes import end_place
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.resolver import Class
from ...syntax.unpicklable_table import GENERATOR, MODULE, Remedy, advice, kind_of_class
from .by_name import by_its_name
from .classes import Method, Shape
from .data import names
from .existing_state import check_bases, check_existing, check_filled_first, check_slots_below
from .own_reducers import check_no_reducer, check_nobody_asks, check_nobody_takes_state
from .remaking.state_methods import Form, Treatment, edits
from .remaking.treatment import treatment_of
from .search import Search
from .shared_instances import check_new_objects
from .slots import slots_of
from .uses.attribute_uses import AttributeUses, Hazard
from .uses.ended import check_not_ended
from .uses.hashed_early import check_not_hashed_early
from .uses.listed_once import is_listed_once
from .uses.own_processes import kept_beside
from .uses.walked import leaves_early, read_late

_PER_TASK = re.compile(r"(?:submit|map|apply|put)\w*$")  # boundaries that pickle an object with each task
_DEPTH = 3  # of calls that are looked into


class Plan:
    """What is decided about one class: a fix or a reason per attribute."""

    def __init__(self) -> None:
        self.fixes: dict[str, Fix] = {}
        self.reasons: dict[str, str] = {}
        self.state: tuple[str, ...] = ()  # the attributes that the state methods look after
        self.parts: tuple[Fix, ...] = ()  # the fixes of the base classes and the own one, which go together
        self.writes: frozenset[str] = frozenset()


class Planner:
    """Plans for the classes that `search` has found; each is made once."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.project, self.repo = search.project, search.repo
        self.family, self.recogniser = search.family, search.recogniser
        self.plans: dict[ast.ClassDef, Plan] = {}
        self._known_tried: dict[Shape, str | None] = {}

    def plan(self, shape: Shape) -> Plan:
        """What to do with all attributes of a class together, made once."""
        if shape.node in self.plans:
            return self.plans[shape.node]
        plan = self.plans[shape.node] = Plan()
        self._decide(shape, plan)
        if plan.reasons and (reason := self._tried(shape)) is not None:
            plan.reasons = {name: f"{said}; besides, {reason}" for name, said in plan.reasons.items()}
        return plan

    def _decide(self, shape: Shape, plan: Plan) -> None:
        """A fix or a reason for each attribute."""
        bases = [other for other in self.family.line(shape) if other is not shape and self.search.hazards_of(other)]
        below = [self.plan(base) for base in bases]
        uses: dict[str, AttributeUses] = {}
        treatments: dict[str, Treatment] = {}
        for name, hazards in self.search.hazards_of(shape).items():
            try:
                for hazard in hazards:
                    kind = hazard.made.kind
                    if kind.remedy is Remedy.REPORT and kind.carries != "numbers":
                        raise Refused(self._by_hand(shape, name, hazard))
                    known = kind is MODULE or kind.remedy is Remedy.NAMED
                    if known and (fix := by_its_name(self.family, shape, hazard.store)) is not None:
                        plan.fixes[name] = fix
                    elif kind.remedy is Remedy.EXHAUST:
                        plan.fixes[name] = self._as_list(shape, name, hazard)
                if name not in plan.fixes:
                    uses[name] = AttributeUses(self.family, self.recogniser, shape, name, tuple(hazards))
                    treatment = treatment_of(uses[name])
                    check_not_ended(uses[name], self.search.crossing(shape)[1])
                    self._check_joins(shape, treatment)
                    treatments[name] = treatment
            except Refused as refused:
                plan.reasons[name] = str(refused)
                plan.fixes.pop(name, None)
        try:
            self._open_together(treatments, uses)
            self._open_to_the_end(treatments, uses)
        except Refused as refused:
            plan.reasons.update(dict.fromkeys(treatments, str(refused)))
            return
        self._join(shape, list(treatments.values()), plan, bases, below)

    def _check_joins(self, shape: Shape, treatment: Treatment) -> None:
        """Raises Refused where each task would add one more handler to the logger of its worker."""
        joins = treatment.again.joins if treatment.again is not None else ""
        if joins and _PER_TASK.search(self.search.crossing(shape)[2]):
            raise Refused(
                f"the object is pickled with each task, and each would do `{joins}` once more in its worker, where the "
                "same line is then written several times; do that in the pool's `initializer`"
            )

    def _open_together(self, treatments: dict[str, Treatment], uses: dict[str, AttributeUses]) -> None:
        """What is made from something that is opened on demand is opened with it, or neither is. May raise Refused."""
        for name, part in sorted(treatments.items(), key=lambda item: item[1].line):
            lazy = {other for other, its in treatments.items() if its.form is Form.LAZY and its.empty == "None"}
            lines = "\n".join(part.again.lines) if part.again is not None else ""
            if not (needed := {other for other in lazy if re.search(rf"\bself\.{other}\b", lines)}):
                continue
            uses[name] = replace(uses[name], companions=frozenset(needed))
            treatments[name] = treatment_of(uses[name])
            for other in needed if treatments[name].form is not Form.LAZY else ():
                uses[other] = replace(uses[other], on_demand=False)
                treatments[other] = treatment_of(uses[other])

    def _open_to_the_end(self, treatments: dict[str, Treatment], uses: dict[str, AttributeUses]) -> None:
        """What others are made from is open while they are made, though closed by then. May raise Refused."""
        for name, part in sorted(treatments.items(), key=lambda item: item[1].line):
            lines = "\n".join(part.again.lines) if part.again is not None else ""
            for other, its in treatments.items():
                if not _is_maybe(its) or not re.search(rf"\bself\.{other}\b", lines) or other == name:
                    continue
                uses[other] = replace(uses[other], needed=True)
                treatments[other] = treatment_of(uses[other])
                line = uses[other].closed_early()
                if _is_maybe(treatments[other]) and line is not None and line > part.line:
                    raise Refused(
                        f"`self.{name}` is built from `self.{other}`, which line {line} closes; make it in a method "
                        "that opens and closes that itself"
                    )

    def _check_filters(self, shape: Shape, treatments: list[Treatment]) -> None:
        """Raises Refused where a `__getstate__` may leave out by a test what is to be made anew, or what that needs."""
        methods = {name for other in self.family.line(shape) for name in other.methods}
        for each in treatments:
            again = each.again
            lines = [*each.first, *each.otherwise, each.open_test, *(again.lines if again is not None else ())]
            needed = {name: None for line in lines for name in re.findall(r"\bself\.(\w+)", line)}
            needed |= {stash.name: None for stash in (again.stashes if again is not None else ())}
            for owner, state in self.search.state_filters(shape):
                for name in [each.attribute, *(name for name in needed if name not in methods)]:
                    made = next((hazard.made for hazard in self.search.hazards_of(shape).get(name, ())), None)
                    if self.search.by_test(shape, owner, state, name, made) is not False:
                        method = owner.methods["__getstate__"]
                        why = "" if name == each.attribute else ", which a copy would need"
                        raise Refused(
                            f"the `__getstate__` of `{owner.node.name}` ({owner.outline.path}:{method.lineno}) leaves "
                            f"attributes out by a test, perhaps `self.{name}`{why}; name there what it leaves out"
                        )

    def _join(
        self, shape: Shape, treatments: list[Treatment], plan: Plan, bases: list[Shape], below: list[Plan]
    ) -> None:
        """One fix for all attributes of the class, or a reason for each."""
        if not treatments:
            return
        names = [treatment.attribute for treatment in treatments]
        try:
            check_no_reducer(self.family, shape)
            place = shape.outline.path, shape.node.lineno
            crossing = flow_of(self.project).instances(*place)
            boundary, trace = (crossing.boundary, crossing.trace) if crossing is not None else ("", ())
            is_saved = crossing is not None and all(map(writes_a_file, flow_of(self.project).boundaries(*place)))
            ended = None if is_saved else ended_copy(self.project, *place)
            ended = ended or ended_with(self.project, trace, boundary)
            if ended is not None:
                raise Refused(ended)
            self._check_others(shape, plan)
            self._check_processes(shape, trace)
            slotted = slots_of(self.family, shape) is not None and not bases
            self._check_filters(shape, treatments)
            check_bases((other for other in self.family.line(shape) if other is not shape), slotted)
            below_it = [other for other in self.family.derived(shape) if not self.search.hazards_of(other)]
            check_existing(shape, below_it, names, slotted)
            check_slots_below(() if slotted else self.family.derived(shape))
            self._check_siblings(shape)
            check_new_objects(self.repo, [*self.family.line(shape), *self.family.derived(shape)])
            check_filled_first(self.family.line(shape), self.family.foreign(shape))
            check_not_hashed_early(self.family.line(shape))
            if "__getstate__" not in shape.methods and (kind := kind_of_class(self.family.foreign(shape))) is not None:
                raise Refused(f"the object itself is {kind.what}, which can't be pickled; let it have one instead")
            inherited, unknown = self.family.state_methods(shape)
            for base, item in zip(bases, below, strict=True):
                if item.reasons:
                    raise Refused(f"its base class `{base.node.name}` has an attribute that can't be fixed")
                inherited |= item.writes
            unsafe = None
            if unknown is not None:
                unsafe = (
                    f"its base class `{unknown}` is not in this repository; should that have a `__getstate__` or "
                    "`__setstate__`, these would replace it"
                )
            unsafe = self._tried(shape) or unsafe
            own = tuple(edits(self.family, shape, treatments, inherited))
            check_nobody_asks(self.family, shape, [edit.text for edit in own])
            check_nobody_takes_state(self.family, shape)
            plan.writes = frozenset(("__getstate__", "__setstate__"))
            if all(treatment.again is None for treatment in treatments):
                plan.writes = frozenset(("__getstate__",))
        except Refused as refused:
            plan.reasons.update(dict.fromkeys(names, str(refused)))
            return
        listed = ", ".join(f"`self.{name}`" for name in names)
        anew = any(treatment.again is not None for treatment in treatments)
        title = f"Leave {listed} of `{shape.node.name}` out of the pickle" + (
            " and make it anew in the copy" if anew else ""
        )
        plan.parts = (*self._of_bases(shape, below), Fix(title, own, unsafe=unsafe))
        plan.state = tuple(names)
        plan.fixes.update(dict.fromkeys(names, _together(plan.parts)))

    def _of_bases(self, shape: Shape, below: list[Plan]) -> Iterable[Fix]:
        """The fixes of base classes, by their plans, from the nearest one on: each class of the hierarchy once."""
        if all(len(self.family.bases(other)[0]) < 2 for other in self.family.line(shape)):
            return next((item.parts for item in below if item.parts), ())  # of a chain, each has those of all above it
        return dict.fromkeys(part for item in reversed(below) for part in item.parts)

    def _tried(self, shape: Shape) -> str | None:
        """The program does something else where objects of the class, or of one below, can't be pickled or copied."""
        for other in [shape, *self.family.derived(shape)]:
            if other not in self._known_tried:
                self._known_tried[other] = tried(self.project, other.outline.path, other.node.lineno)
            if (reason := self._known_tried[other]) is not None:
                return reason
        return None

    def _check_siblings(self, shape: Shape) -> None:
        """A class below has another base with state methods: one pair of them would be called only."""
        known = set(self.family.line(shape))  # those and all above them are no such bases
        for below in self.family.derived(shape):
            todo = [below]
            for other in todo:  # grows as it goes
                todo += [base for base in self.family.bases(other)[0] if base not in known and base not in todo]
                if other is below:
                    continue
                known.add(other)
                stateful = self.search.hazards_of(other) or {"__getstate__", "__setstate__"} & other.methods.keys()
                if stateful and not self.family.below(other, shape):
                    raise Refused(
                        f"`{below.node.name}` ({below.outline.path}:{below.node.lineno}) derives from "
                        f"`{other.node.name}` as well, whose state methods would not be called; write them there"
                    )

    def _check_others(self, shape: Shape, plan: Plan) -> None:
        """A class is fixed as a whole."""
        for name in plan.reasons:
            if any(
                not hazard.made.kind.later and not hazard.made.kind.inherited
                for hazard in self.search.hazards_of(shape)[name]
            ):
                line = self.search.hazards_of(shape)[name][0].store.statement.lineno
                raise Refused(
                    f"`self.{name}` (line {line}) can't be fixed, and the object can't be pickled with it: what is "
                    "said there comes first"
                )

    def _check_processes(self, shape: Shape, trace: Trace) -> None:
        """Raises Refused where the object keeps a process as well, which would be what fails then."""
        line, early = self.family.line(shape), self.family.pre_transfer_methods(shape)
        for other in line if not any("__getstate__" in each.methods for each in line) else ():
            beside = kept_beside(self.repo, Class(other.outline, other.node), early, trace)
            if beside is not None:
                path, place = beside
                raise Refused(
                    f"`{ast.unparse(place)}` ({path}:{place.lineno}) keeps a process, and the object can't be pickled "
                    "with that either, once it was started: keep it in a variable where it is joined, or leave it out "
                    f"in a `__getstate__` of `{shape.node.name}` together with the rest"
                )

    def _by_hand(self, shape: Shape, name: str, hazard: Hazard) -> str:
        """What a person can do about what no rewrite mends, where it is not done already."""
        kind, value = hazard.made.kind, hazard.store.value
        outline = hazard.store.owner.outline
        at_top = isinstance(value, ast.Name) and outline.lookup(value, value.id)[0] is outline.module
        if kind.module_level and isinstance(value, ast.Name) and at_top:
            return f"leave it out of the object, and use `{value.id}` of the module{kind.module_level}"
        if kind.used:
            for _, method, use in self._uses(shape, name):
                if method is not hazard.store.method:
                    return f"`{method.name}` reads it (line {use.lineno}): {kind.used}"
        return advice(kind, f"self.{name}")

    def _as_list(self, shape: Shape, name: str, hazard: Hazard) -> Fix:
        """`list(...)` around a generator, `map` or `filter`."""
        node, outline = hazard.made.node, hazard.made.outline
        is_generator = hazard.made.kind is GENERATOR
        kept = "generator" if is_generator else "iterator"
        if hazard.made.given:
            given = f"it is passed in ({hazard.made.given})"
            if self._endless(outline, node):
                raise Refused(f"{given} and may never end; pass what it is made from, and make it in the worker")
            raise Refused(f"{given}; pass a list there, unless others read on from the same {kept}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "iter":
            raise Refused("what it walks over may never end; call `iter` where the items are used, in `__iter__`")
        for user, method, use in self._uses(shape, name):
            above = user.outline.parents[use]
            if _is_iterator_of(user, method, use):
                raise Refused(
                    f"line {use.lineno} gives it to `__iter__`, which has to return an iterator, and a list is none; "
                    f"make the {kept} there"
                )
            if any(isinstance(item, ast.Call) and last_name(item.func) == "next" for item in _around(user, use)):
                raise Refused(
                    f"line {use.lineno} takes one item after the other with `next`; make the {kept} where it is used"
                )
            if isinstance(above, ast.Attribute) and above.attr in ("send", "throw", "close", "__next__"):
                raise Refused(f"line {use.lineno} needs {hazard.made.kind.what}; make it where it is used")
        if self._endless(outline, node) or self._goes_on(shape, node):
            raise Refused(f"it may never end; make the {kept} where it is used, or in `__iter__`")
        early = next((use for user, _, use in self._uses(shape, name) if leaves_early(user.outline, use)), None)
        if early is not None:
            raise Refused(
                f"the walk of line {early.lineno} may end early: the next one goes on behind its last item, where a "
                f"list begins again; make the {kept} where it is used"
            )
        for where in self.repo.mentioning(name):
            for use in where.attributes.get(name, ()):
                taken = where.parents[use]
                if where.is_self(use.value):
                    continue  # one of this class is looked at above, and another class has another attribute
                if isinstance(taken, ast.Call) and use in taken.args and last_name(taken.func) == "next":
                    raise Refused(f"{where.path}:{use.lineno} takes one item with `next`, which a list has not")
        source = self.project.source(outline.path)
        assert source is not None
        start = source.offset(node.lineno, node.col_offset)
        end = source.offset(*end_place(node))
        if isinstance(node, ast.GeneratorExp) and source.text[start] == "(" and source.text[end - 1] == ")":
            changes = (Edit(outline.path, start, start + 1, "["), Edit(outline.path, end - 1, end, "]"))
        else:
            changes = (Edit(outline.path, start, start, "list("), Edit(outline.path, end, end, ")"))
        if is_listed_once(self.repo, shape, self.family.hierarchy(shape), name, hazard.made):
            return Fix(f"Store a list in `self.{name}`", changes)
        unsafe = (
            "a list holds everything at once and can be walked again and again, a generator only once"
            if is_generator
            else "a list calls the function at once and can be walked again and again, an iterator only once"
        )
        if (late := read_late(self.repo, outline, node)) is not None:
            unsafe += f". It reads `self.{late[0]}` item by item, which is set at {late[1]} too"
        return Fix(f"Store a list in `self.{name}`", changes, unsafe=unsafe)

    def _uses(self, shape: Shape, name: str) -> Iterator[tuple[Shape, Method, ast.Attribute]]:
        for user in self.family.hierarchy(shape):
            yield from ((user, method, use) for method, use in user.selves.get(name, ()))

    def _goes_on(self, shape: Shape, node: ast.AST) -> bool:
        """It walks over an attribute of the object that never ends: `(f(i) for i in self.counter)`."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute) and shape.outline.is_self(inner.value):
                stores = [store for user in self.family.hierarchy(shape) for store in user.stores(inner.attr)]
                if any(store.value is not None and self._endless(shape.outline, store.value) for store in stores):
                    return True
        return False

    def _endless(self, outline: Outline, node: ast.AST, depth: int = 0) -> bool:
        """Something that it calls counts or circles, or loops without a condition."""
        for call in ast.walk(node):
            if not isinstance(call, ast.Call):
                continue
            if self.recogniser.origin(outline, call.func) in names("endless"):
                return True
            for where, function in self.repo.called(outline, call.func) if depth < _DEPTH else ():
                own = where.own(function)
                if any(isinstance(item, ast.While) and getattr(item.test, "value", False) for item in own):
                    return True
                if any(self._endless(where, item, depth + 1) for item in own if isinstance(item, ast.Call)):
                    return True
        return False


def _is_iterator_of(shape: Shape, method: Method, use: ast.Attribute) -> bool:
    """`__iter__` returns it: itself, by a name, or as what another method or a property returned."""
    value: ast.AST = use
    statement, walks = shape.outline.statement(use), shape.methods.get("__iter__")
    for above in shape.outline.ancestors(use):
        if not isinstance(above, (ast.IfExp, ast.BoolOp, ast.NamedExpr)):
            break
        value = above
    own = shape.outline.own(walks) if walks is not None else ()
    returned = [node.value for node in own if isinstance(node, ast.Return) and node.value is not None]
    if not isinstance(statement, (ast.Return, ast.Assign)) or statement.value is not value or not returned:
        return False
    names = {last_name(each.func if isinstance(each, ast.Call) else each) for each in returned}
    if method is not walks:
        return isinstance(statement, ast.Return) and method.name in names
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return not targets or any(isinstance(each, ast.Name) and each.id in names for each in targets)


def _is_maybe(treatment: Treatment) -> bool:
    """It may be closed, or missing, when the object crosses."""
    return treatment.form is Form.MAYBE or (treatment.form is Form.FILLED and treatment.empty == "None")


def _together(parts: Sequence[Fix]) -> Fix:
    """One fix of several that need each other."""
    return Fix(
        "; ".join(part.title for part in parts),
        tuple(edit for part in parts for edit in part.edits),
        unsafe=next((part.unsafe for part in reversed(parts) if part.unsafe), None),
    )


def _around(shape: Shape, node: ast.AST) -> Iterator[ast.AST]:
    """What holds `node` within its statement."""
    for above in shape.outline.ancestors(node):
        if isinstance(above, ast.stmt):
            return
        yield above
