"""Which attributes of which classes of a repository hold what can't be pickled, and how the objects cross."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import starmap

from ...finding import Confidence, Trace
from ...flow.answers.crossing import only_in_children
from ...flow.answers.crossings import flow_of
from ...flow.answers.never_made import never_made
from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...nodes import end_line
from ...project import Project
from ...questions import asked
from ...syntax.binding_rules import takes_self
from ...syntax.names import without_arguments
from ...syntax.never_asked import NeverAsked
from ...syntax.outline import Outline, outline_of
from ...syntax.pickled_state import StateFilter, constant, filters_always, named_by, names_for_all, takes_all
from ...syntax.python_floor import old_python
from ...syntax.repo import Repo
from ...syntax.unpicklable import Made, Recogniser, class_of_container
from ...syntax.unpicklable_table import (
    ObjectKind,
    base_methods,
    canonical,
    kinds,
    making,
    modules,
    table_uses,
    words,
    wrong_context,
)
from ...tree.source import Source
from .asked_while_loading import Asked, fails_while_loading, fails_while_pickling
from .by_name import counts_older, python_below
from .classes import Shape, Store
from .decorated import decorated_class
from .exception_arguments import Passed, passed_on
from .family import Family, line_at
from .injected import GIVES_GENERATOR, Given, Taken, place_of
from .new_arguments import required
from .own_reducers import is_reduced, registered
from .remaking.containers import cached, fields, fillings, given_fields, keeps_parts, set_by_text
from .types_tested import is_of
from .uses.attribute_uses import Hazard
from .uses.own_processes import own_processes
from .uses.replaced_at_once import is_replaced_at_once
from .uses.used_before import used_before
from .uses.used_by_keeper import used_by_keeper
from .uses.worker_flags import kept_by_workers

_OUTSIDE = re.compile(r"\n[ \t]*(?!self\.(?!__init__\b))\w+\.\w+ *=[^=]")  # in the first line nothing has a value yet
# These begin with the word, or each of their branches does: found many times faster.
_KEEPER = re.compile(
    r"self\.(?<!\wself\.)\w|field(?<!\wfield)\s*(?:\(|as\b)|@(?:dataclass|attr)"
    r"|cached_property(?<!\wcached_property)(?!\w)|setattr(?:__)?\("
)
_YIELDS = re.compile(r"yield(?<!\wyield)(?!\w)")
_EXCEPTION = re.compile(r"class(?<!\wclass)\s+\w+\s*\(.*(?:Error|Exception|Warning)\b")
_STARTS = re.compile(r"DataLoader(?<!\wDataLoader)\s*(?:\(|as\b)")
_FACTORIES = ("factory", "defaultdict")  # each match of the pattern begins with one: looked for much faster
_FACTORY = re.compile(
    r"factory\s*=|defaultdict\s*\(\s*(?!(?:int|float|str|bool|list|dict|set|lambda)\b)\w"
)  # a lambda calls what it makes
_ITERATES = r"(?:map|filter|zip|enumerate|iter)\("
_GENERATES = (  # together they take a tenth of the time of one pattern
    _YIELDS,
    re.compile(rf"=\s*(?:\((?s:.{{0,200}}?)\bfor\b|{_ITERATES})"),
    re.compile(rf"return(?<!\wreturn)\s*{_ITERATES}"),
)
_LISTS = re.compile(r"self\.\w+\s*(?::[^=\n]{0,300})?=.{0,300}\.(?:named_)?(?:parameters|buffers|modules|children)\(")
_KEEPS = re.compile(r"self\.(?<!\wself\.)\w+\s*(?::[^=\n]{0,300})?=\s*(\w+)\b")
_TAKES = re.compile(r"self\.(?<!\wself\.)\w+\s*(?::[^=\n]{0,300})?=\s*(?:[\w.]+(?:\[|\.get\()|[\[({])")
_IN_DISPLAY = re.compile(r"[:\[(,]\s*(\w+)\s*(?=[,\])}])")
_IMPORTS = re.compile(r"^[ \t]*import\s+(.*)$", re.M)
_DERIVES = re.compile(rf"class[ \t]+\w+[ \t]*\([^)]*\b(?:{'|'.join(words())})\b")
_ASKED = re.compile(r"__getattr__(?:(?<=def[ \t]__getattr__)|[ \t]*=[ \t]*\w+\.)")
_PLAIN = [name.split(".") for kind in kinds().values() if kind.plain for name in kind.constructors]
_PARTS = [(name.partition(".")[0], name.rpartition(".")[2]) for name in modules()]
Attributes = dict[str, list[Hazard]]


class Search:
    """Answers for one run over a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.repo = Repo(project)
        self.family = Family(self.repo)
        self.recogniser = Recogniser(
            self.repo, self.family.values, self.family.foreign_bases, partial(_iterates, project)
        )
        self.given = Given(self.repo, self.family, self.recogniser, partial(handed, project))
        self._asked = NeverAsked(self.repo, lambda path: not is_test(path, facts_lookup(project)))
        self._known_hazards: dict[Shape, Attributes] = {}
        self._known_crossings: dict[tuple[Shape, str, str], tuple[Confidence, Trace, str]] = {}
        self._instances: dict[Shape, tuple[Confidence, Trace, str] | None] = {}
        self._looked_at: dict[str, bool] = {}
        self._state_filters: dict[Shape, list[tuple[Shape, StateFilter]]] = {}

    def paths(self) -> list[str]:
        """The files in which something is found, sorted."""
        return [path for path in self.project.python_paths if is_found_in(self.project, path)]

    def keepers(self, path: str) -> Iterator[Shape]:
        """The classes of a file whose objects keep something, and may cross at a confidence that is asked for."""
        asked = self.project.bar_of(path) is Confidence.POSSIBLE
        lines = () if asked else may_cross_in(self.project, path)
        looked = (asked or lines) and self.project.holds(path, _KEEPER) and self._is_looked_at(path)
        outline = self.repo.outline(path) if looked else None
        for node in outline.of_kind(ast.ClassDef) if outline is not None else ():
            if outline is not None and (asked or node.lineno in lines):
                shape = self.family.shape(outline, node)
                if self.hazards_of(shape) and (asked or crosses(self.project, path, node.lineno)):
                    yield shape

    def hazards_of(self, shape: Shape) -> Attributes:
        """The values that the objects of a class keep and pickle refuses, by attribute."""
        known = self._known_hazards.get(shape)
        if known is None:
            looked = self._is_looked_at(shape.outline.path)
            known = self._known_hazards[shape] = self._hazards(shape) if looked else {}
        return known

    def _is_looked_at(self, path: str) -> bool:
        known = self._looked_at.get(path)
        if known is None:
            source = self.project.source(path)
            known = source is not None and _KEEPER.search(source.text) is not None
            known = known and source is not None and (self._worth_a_look(source) or path in _of_takers(self.project))
            self._looked_at[path] = known
        return known

    def derived(self, path: str) -> Iterator[tuple[Shape, ast.expr, ObjectKind]]:
        """Classes that derive from something unpicklable outside of the repository and say nothing of their state."""
        named = table_uses(self.project, path).names and self.project.holds(path, _DERIVES)
        outline = self.repo.outline(path) if named else None
        for node in outline.of_kind(ast.ClassDef) if outline is not None else ():
            if outline is not None:
                for base in node.bases:
                    kind = kinds().get(f"{canonical(self.recogniser.origin(outline, without_arguments(base)))}()")
                    shape = self.family.shape(outline, node)
                    if kind is not None and "__getstate__" not in shape.methods and not self.decides(shape):
                        yield shape, base, kind

    def asked_while_loading(self, path: str) -> Iterator[tuple[Shape, Asked]]:
        """Classes of objects that are pickled, and whose `__getattr__` fails when they are pickled or unpickled."""
        outline = self.repo.outline(path) if self.project.holds(path, _ASKED) else None
        for node in outline.of_kind(ast.ClassDef) if outline is not None else ():
            if outline is not None:
                shape = self.family.shape(outline, node)
                asked = fails_while_loading(self.family, shape) if "__getattr__" in shape.methods else None
                if asked is None and (found := fails_while_pickling(self.family, shape)) is not None:
                    asked = found if old_python(self.project, path, 11) is not None else None
                if asked is not None:
                    yield shape, asked

    def needing(self, path: str) -> Iterator[tuple[Shape, list[str]]]:
        """Classes of objects that are seen to cross, and what their `__new__` must be given."""
        for shape in self._may_cross(path, "__new__"):
            if (needed := required(self.family, shape)) and crosses(self.project, path, shape.node.lineno):
                yield shape, needed

    def exceptions(self, path: str) -> Iterator[tuple[Shape, Passed]]:
        """Exceptions that are seen to cross, and are made anew with something else than they were made with."""
        for shape in self._may_cross(path, _EXCEPTION):
            passed = passed_on(self.family, shape)
            if passed is not None and crosses(self.project, path, shape.node.lineno):
                yield shape, passed

    def _may_cross(self, path: str, pattern: re.Pattern[str] | str) -> Iterator[Shape]:
        lines = may_cross_in(self.project, path) if self.project.holds(path, pattern) else ()
        outline = self.repo.outline(path) if lines else None
        for node in outline.nodes if outline is not None else ():
            if isinstance(node, ast.ClassDef) and outline is not None and node.lineno in lines:
                yield self.family.shape(outline, node)

    def handed_on(self, path: str) -> Iterator[tuple[Outline, ast.Call, ast.expr, Made]]:
        """Calls that send such a thing to other processes themselves: `DataLoader(LSUN(root), num_workers=4)`."""
        outline = self.repo.outline(path) if self._makes(path) and self.project.holds(path, _STARTS) else None
        for call in outline.calls_of("DataLoader") if outline is not None else ():
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            value = given.get("dataset", call.args[0] if call.args else None)
            if outline is None or value is None or getattr(given.get("num_workers"), "value", "0") in (0, "0"):
                continue
            for made in self.recogniser.made(outline, value)[:1]:
                if made.kind.hidden and not (made.nested or made.unsure):
                    yield outline, call, value, made

    def set_from_outside(self, path: str) -> Iterator[tuple[Outline, ast.Assign, ast.Attribute, Shape, Made]]:
        """`dataset.lock = Lock()`, with the class of `dataset`."""
        outline = self.repo.outline(path) if self._makes(path) and self.project.holds(path, _OUTSIDE) else None
        for node in outline.of_kind(ast.Assign) if outline is not None else ():
            if len(node.targets) != 1 or outline is None:
                continue
            target = node.targets[0]
            if not isinstance(target, ast.Attribute) or outline.is_self(target.value):
                continue
            owner = self._class_of(outline, target.value)
            owners = [owner] if owner is not None else decorated_class(self.repo, outline, target.value)
            for shape in starmap(self.family.shape, owners):
                for made in self.recogniser.made(outline, node.value):
                    stays = made.kind.inherited or made.kind.later or not self.counts(made.kind)
                    if not (stays or self.decides(shape) or self.left_out(shape, target.attr, made)):
                        yield outline, node, target, shape, made
                        break

    def _class_of(self, outline: Outline, node: ast.expr) -> tuple[Outline, ast.ClassDef] | None:
        """The class of the repository that a local name's only value is made from."""
        if not isinstance(node, ast.Name):
            return None
        value = outline.only_value(node)
        classes = self.repo.resolver.classes(outline, value.func) if isinstance(value, ast.Call) else []
        return classes[0] if len(classes) == 1 else None

    def _makes(self, path: str) -> bool:
        """The file calls something of the table, or gives it as a factory."""
        uses = table_uses(self.project, path)
        if uses.makes or uses.makes_older:
            return True
        return any(self.project.holds(path, word) for word in _FACTORIES) and self.project.holds(path, _FACTORY)

    def _worth_a_look(self, source: Source) -> bool:
        """A file without these makes nothing unpicklable and keeps it; saves most of the time."""
        text = source.text
        generates = (pattern.search(text) for pattern in _GENERATES)
        if self._makes(source.path) or any(generates) or _LISTS.search(text):
            return True
        kept = set(_KEEPS.findall(text)) if _KEEPS.search(text) else set()
        imported = {name for line in _IMPORTS.findall(text) for name in re.findall(r"\w+", line)}
        imported |= {last for root, last in _PLAIN if root in text}
        imported |= {last for root, last in _PARTS if root in text}
        if _TAKES.search(text):
            kept |= set(_IN_DISPLAY.findall(text))
        return not kept.isdisjoint(imported | self.recogniser.makers)

    def _hazards(self, shape: Shape) -> Attributes:
        found: Attributes = {}
        stores = [(name, store) for name in shape.selves for store in shape.stores(name)]
        made_first = [(name, item) for name, several in fields(shape).items() for item in several]
        for store in given_fields(shape):
            name = store.target.attr
            for made in [item for item in self.given.of(shape, name) if self.counts(item.kind)][:1]:
                if not self.left_out(shape, name, made):
                    found.setdefault(name, []).append(Hazard(store, made))
        for store in cached(shape):
            name = store.target.attr
            for made in self.recogniser.made(shape.outline, store.value)[:1] if store.value is not None else ():
                if (
                    self.counts(made.kind)
                    and name not in shape.worker_only_methods
                    and not self.left_out(shape, name, made)
                ):
                    found.setdefault(name, []).append(Hazard(store, made))
        for name, store in [*made_first, *stores, *fillings(shape), *set_by_text(shape)]:
            if not self._instance(shape, store):
                continue
            given = self.given.kept(shape, store.method, store.value)
            parts = keeps_parts(store)
            for made in [*self._kept(shape.outline, store), *given]:
                if parts and not made.nested:
                    continue
                if made.nested or store.fills:
                    made = replace(made, nested=True, within=self._container(shape, name, store, made))
                if self.counts(made.kind) and not self.left_out(shape, name, made) and self._is_sent(shape, store):
                    if is_replaced_at_once(self.recogniser, store, made):
                        continue
                    if self._of_other_context(made, shape):
                        made = replace(made, kind=wrong_context(made.kind))
                    found.setdefault(name, []).append(Hazard(store, made))
                    break
        return {} if found and self.decides(shape) else found

    def _kept(self, outline: Outline, store: Store) -> list[Made]:
        if store.value is None:  # `self.a, self.b = locks`
            return self.recogniser.unpacked(outline, store.target, store.statement)
        return self.recogniser.made(outline, store.value)

    def _container(self, shape: Shape, name: str, store: Store, made: Made) -> str:
        """The class of the container that the attribute keeps, where that is written out and always the same; or ""."""
        stores = [each for other in self.family.hierarchy(shape) for each in other.stores(name)]
        values = [each.value for each in stores if not each.fills and each.target is not store.target]
        found = {class_of_container(value) for value in values if getattr(value, "value", value) is not None}
        found |= set() if store.fills else {made.within}
        return found.pop() if len(found) == 1 else ""

    def _is_sent(self, shape: Shape, store: Store) -> bool:
        """Not only workers set it."""
        late = store.method.name in shape.worker_only_methods or kept_by_workers(self.family, shape, store)
        if not late:
            return True
        trace = self.crossing(shape)[1]
        used = used_before(self.family, shape, store, trace) or used_by_keeper(self.family, shape, store, trace)
        return used is not None

    def _of_other_context(self, made: Made, shape: Shape) -> bool:
        """Processes of another start method than its own get it."""
        if not made.kind.inherited or self.recogniser.context(made.outline, made.node) in ("spawn", "forkserver"):
            return False
        return self._other_context(self.crossing(shape)[1])

    def _other_context(self, trace: Trace) -> bool:
        """The boundary at the end of `trace` starts its processes by spawn, whatever the default is."""
        outline = self.repo.outline(trace[-1].path) if trace else None
        for node in outline.of_kind(ast.Call) if outline is not None else ():
            if node.lineno <= trace[-1].line <= end_line(node):
                asked = [
                    keyword.value
                    for keyword in node.keywords
                    if keyword.arg in ("multiprocessing_context", "mp_context")
                ]
                if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and outline:
                    _, bindings = outline.lookup(node, node.func.value.id)
                    asked += [binding.value for binding in bindings if isinstance(binding.value, ast.Call)]
                if any(
                    re.search(r"\bget_context\(.(spawn|forkserver)|^.(spawn|forkserver).$", ast.unparse(item))
                    for item in asked
                ):
                    return True
        return False

    def _instance(self, shape: Shape, store: Store) -> bool:
        made_first = store.method not in shape.outline.parents  # see `fields`
        own = made_first or store.by_text or shape.outline.owner(store.target) is shape.node
        return takes_self(store.method) and own

    def counts(self, kind: ObjectKind) -> bool:
        may_be_old = kind.before is None or python_below(self.project, kind.before)
        return may_be_old and not is_reduced(self.project, kind)

    def decides(self, shape: Shape) -> bool:
        """The class says in some other way how it is pickled."""
        return any(other.once(_has_reducer) for other in self.family.line(shape))

    def left_out(self, shape: Shape, name: str, made: Made | None = None) -> bool:
        """A `__getstate__` looks after the attribute, which keeps such a thing, or takes only what it names."""
        classes = [other.node for other in self.family.line(shape)]
        for other in self.family.line(shape):
            method = other.methods.get("__getstate__")
            if method is None:
                continue
            if shape.key(name) in named_by(other.outline, method, classes) or not takes_all(method):
                return True
        if True in self._by_test(shape, name, made):
            return True
        return any("picks" in (base_methods(item) or ()) for item in self.family.foreign(shape))

    def _never_sent(self, shape: Shape, name: str) -> bool:
        """The `__getstate__` that runs for objects of the class leaves the attribute of each of them out."""
        key, line = shape.key(name), self.family.line(shape)
        classes = [other.node for other in line]
        for other, state in self.state_filters(shape):
            method = other.methods["__getstate__"]
            if state.leaves_out(key) and filters_always(method):
                return True
            if key in named_by(other.outline, method, classes):
                return names_for_all(method, key)
            if not takes_all(method):
                return True
            if not any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(method)):
                return False
        return any("picks" in (base_methods(item) or ()) for item in self.family.foreign(shape))

    def may_leave_out(self, shape: Shape, name: str, made: Made | None = None) -> bool:
        """A `__getstate__` leaves attributes out by a test, and it isn't known what that says of this one."""
        return None in self._by_test(shape, name, made)

    def _by_test(self, shape: Shape, name: str, made: Made | None) -> list[bool | None]:
        return [self.by_test(shape, owner, state, name, made) for owner, state in self.state_filters(shape)]

    def by_test(self, shape: Shape, owner: Shape, state: StateFilter, name: str, made: Made | None) -> bool | None:
        """Do the tests of the `__getstate__` of `owner` leave the attribute, which keeps such a thing, out?"""
        of_type = partial(is_of, self.recogniser, owner.outline, made) if made is not None else None
        return state.leaves_out(shape.key(name), of_type)

    def never_made(self, hazard: Hazard) -> bool:
        """No call of the method asks for it: `self.lock = Lock() if debug else None`, and nobody says `debug`."""
        made = hazard.made
        inside = made.outline is hazard.store.owner.outline
        return inside and self._asked.never_runs(made.outline, made.node)

    def state_filters(self, shape: Shape) -> list[tuple[Shape, StateFilter]]:
        """What each `__getstate__` of a class and its base classes goes over, with the class that has it."""
        if shape not in self._state_filters:
            classes = [other.node for other in self.family.line(shape)]
            self._state_filters[shape] = [
                (other, StateFilter(method, partial(constant, other.outline, classes)))
                for other in self.family.line(shape)
                if (method := other.methods.get("__getstate__")) is not None
            ]
        return self._state_filters[shape]

    def crossing(self, shape: Shape, method: str = "", attribute: str = "") -> tuple[Confidence, Trace, str]:
        """The best that is known of objects of the class and of those derived from it; not of those with a reducer.

        Of these, where a `method` is named, only what it runs for; where an `attribute` is, no class below that leaves
        it out and restores its objects itself.
        """
        key = (shape, method, attribute)
        if key in self._known_crossings:
            return self._known_crossings[key]
        best: tuple[Confidence, Trace, str] = (Confidence.POSSIBLE, (), "")
        for other in [shape, *self.family.derived(shape)]:
            if other not in self._instances:
                self._instances[other] = self._crossing_of(other)
            found = self._instances[other]
            if found is None or (best[1] and found[0].rank <= best[0].rank):
                continue
            if method and self._replaces(other, shape, method):
                continue
            if attribute and other is not shape and self._restores(other) and self._never_sent(other, attribute):
                continue
            best = found
        self._known_crossings[key] = best
        return best

    def _crossing_of(self, shape: Shape) -> tuple[Confidence, Trace, str] | None:
        """How objects of this very class cross; None where they do not, or have a reducer."""
        found = flow_of(self.project).instances(shape.outline.path, shape.node.lineno)
        if found is None or registered(self.family, shape):
            return None
        stays = never_made(self.repo, found) or only_in_children(self.repo, found)
        sure = Confidence.POSSIBLE if stays else found.confidence
        return sure, found.trace, found.boundary

    def is_cleared(self, shape: Shape, attribute: str) -> bool:
        """Whatever crosses of the class, and of those derived from it, has nothing in the attribute at that moment."""
        flow = flow_of(self.project)
        lines = [(other.outline.path, other.node.lineno) for other in [shape, *self.family.derived(shape)]]
        crossing = [place for place in lines if flow.instances(*place) is not None]
        return bool(crossing) and all(flow.cleared(*place, attribute) for place in crossing)

    def _restores(self, shape: Shape) -> bool:
        return any("__setstate__" in other.methods for other in self.family.line(shape))

    def _replaces(self, below: Shape, shape: Shape, name: str) -> bool:
        """A class between the two has a method of the name, which does not call that of `shape`."""
        for other in self.family.line(below):
            if other.node is shape.node:
                return False
            if name in other.methods and name not in other.once(_going_on):
                return True
        return False


def _has_reducer(shape: Shape) -> bool:
    return any(name in shape.methods for name in ("__reduce__", "__reduce_ex__", "__getnewargs_ex__"))


def _going_on(shape: Shape) -> set[str]:
    """The methods of a class that name themselves: `super().load()` in `load`."""
    return {
        name
        for name, method in shape.methods.items()
        if any(isinstance(node, ast.Attribute) and node.attr == name for node in ast.walk(method))
    }


# questions: what they answer is mostly that there is nothing to be found


@asked
def is_found_in(project: Project, path: str) -> bool:
    """True where the rule has something to say of a file."""
    search = Search(project)
    looks = (search.keepers, search.set_from_outside, search.derived, search.handed_on, search.asked_while_loading)
    found = any(next(iter(look(path)), None) is not None for look in (*looks, search.needing, search.exceptions))
    found = found or (
        project.holds(path, "def __getstate__(")
        and any(crosses(project, path, line) for line in may_cross_in(project, path))
    )
    return found or next(own_processes(search.repo, path), None) is not None


@asked
def may_cross_in(project: Project, path: str) -> tuple[int, ...]:
    """The lines of the classes of a file of whose objects, or objects of a class below, a way is known that crosses.

    How sure that is, `crosses` tells, which takes longer: for those where it matters.
    """
    return tuple(sorted(_may_cross(project).get(path, ())))


@asked
def crosses(project: Project, path: str, line: int) -> bool:
    """Objects of the class here, or of a class below, are seen to cross, as surely as somebody asks for."""
    flow = flow_of(project)
    ways = (flow.instances(*place) for place in _may_cross(project).get(path, {}).get(line, ()))
    return any(way is not None and way.confidence.reaches(project.bar) for way in ways)


@asked
def _may_cross(project: Project) -> dict[str, dict[int, list[tuple[str, int]]]]:
    """By file and line of a class those of it and of the classes below it whose objects may cross."""
    found: dict[str, dict[int, list[tuple[str, int]]]] = {}
    for path, line in flow_of(project).crossing_classes():
        for where, at in line_at(project, path, line):
            found.setdefault(where, {}).setdefault(at, []).append((path, line))
    return found


@asked
def handed(project: Project) -> dict[str, tuple[Taken, ...]]:
    """The files that pass something which can't be pickled to constructors, and which these are."""
    always = making(project, older=False)
    more = making(project) - always
    yielding = (path for path in project.python_paths if project.holds(path, _YIELDS))
    always |= {path for path in yielding if project.holds(path, GIVES_GENERATOR)}
    files = sorted(always | more if more and counts_older(project) else always)
    return {path: taken for path in files if (taken := _handed_in(project, path))}


@asked
def _of_takers(project: Project) -> tuple[str, ...]:
    """The files of the classes that get something, and of their base classes."""
    classes = {place for passed in handed(project).values() for place, _ in passed}
    outlines = ((outline_of(project, path), name, at) for path, name, at in classes)
    places = {(each.path, each.definitions[name][at].lineno) for each, name, at in outlines if each is not None}
    return tuple(sorted({path for place in places for path, _ in line_at(project, *place)}))


@asked
def _handed_in(project: Project, path: str) -> tuple[Taken, ...]:
    passed = Search(project).given.passed_in(path)
    return tuple(dict.fromkeys((place_of(taker), name) for taker, name, _ in passed))


def _iterates(project: Project, outline: Outline, call: ast.Call) -> bool:
    return flow_of(project).walks_by_generator(outline.path, call.lineno, call.col_offset)
