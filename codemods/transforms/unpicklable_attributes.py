r"""Locks, open files, database handles and the like that are kept on objects which are pickled: `self.lock = Lock()`.

## What it finds
Attributes that hold what pickle refuses: locks and the rest of `threading`, queues, executors and pools, log handlers
(and loggers, where the repository declares a Python older than 3.7), open files, HDF5, LMDB, SQLite, zip, tar and npz
handles, memory maps, videos, clients of databases and clouds, `SummaryWriter`, generators, weak references, modules.
They are found behind aliases, local names, conditions, in lists and dicts (also when these are filled later), in the
fields of dataclasses, in what a helper function gives back, and where a script hands them to a class or sets them on
its objects. A lock of `multiprocessing` counts where its context is another than that of the processes that get it.
What `__getitem__` opens in the worker, what a `__getstate__` already leaves out, and attributes of the class itself
are no hazard. Iterators of `itertools` are only reported, as `possible`: they can't be pickled from Python 3.14 on.

## Why it breaks
Under spawn and forkserver the dataset is pickled for every worker of a `DataLoader`, and an object whose method goes to
a `Pool` is pickled with each task. Training stops with

```text
TypeError: h5py objects cannot be pickled
TypeError: cannot pickle '_thread.lock' object
TypeError: cannot pickle 'Environment' object
```

although the worker would be better off with a handle of its own: HDF5, LMDB and SQLite handles that were opened before
a fork must not be used after it either. (This rule does not look for that; what it writes helps there only when the
start method is not fork.)

## Example
```python
import sqlite3
import threading
from multiprocessing import Pool


class Captions:
    def __init__(self, database):
        self.lock = threading.Lock()
        self.conn = sqlite3.connect(database)

    def caption(self, image):
        with self.lock:
            return self.conn.execute("SELECT text FROM captions WHERE image = ?", (image,)).fetchone()


if __name__ == "__main__":
    captions = Captions("captions.db")
    with Pool(2) as pool:
        print(pool.map(captions.caption, [3, 4, 5]))
```

## Use instead
```python
import sqlite3
import threading
from multiprocessing import Pool


class Captions:
    def __init__(self, database):
        self.lock = threading.Lock()
        self.database = database
        self.conn = sqlite3.connect(database)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["lock"]
        del state["conn"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()
        self.conn = sqlite3.connect(self.database)

    def caption(self, image):
        with self.lock:
            return self.conn.execute("SELECT text FROM captions WHERE image = ?", (image,)).fetchone()


if __name__ == "__main__":
    captions = Captions("captions.db")
    with Pool(2) as pool:
        print(pool.map(captions.caption, [3, 4, 5]))
```

Why state methods and not a lazy property: they leave every line that uses the handle as it is (lengths read in
`__init__` too), a worker opens it once, on arrival, and a missing file is reported at once. Where the class opens its
handle on demand already (`if self.env is None:`), the copy just gets None.

## Fix safety
The copy makes the attribute with the same expression, so that must mean the same there: constants, names of the module,
other attributes that are not set again; arguments of the constructor are kept as attributes. Statements that set it up
right after (`row_factory`, `setFormatter`) are repeated. A handle that may be None or closed is only opened where the
original is open; a file that has been read from goes on at the same place. A dict or list that the constructor fills
in a loop is filled again by that loop, a cache that is filled on demand begins empty. A logger (before Python 3.7) is
asked for by its name: the module's, where it has one. State methods that are there already are extended or called.

It is refused where a new one would not be the same: open for writing, read from, filled or set up through another
name, given from outside and so shared, made in different ways, a database in memory, handed on to another object; and
where the state is not a plain dict (`__slots__`, `__reduce__`, an unusual `__getstate__`). It is unsafe (only with
`--unsafe-fixes`) below a base class that is not in the repository and may have state methods of its own, and for
generators, which become lists.

`copy.copy` and `copy.deepcopy` go through the same methods: copies get a lock or handle of their own. (LMDB refuses to
open one environment twice in a process.) A queue or event is new and empty in the copy, a lock is free, and each
process with a `SummaryWriter` adds an event file to the folder. Code outside the repository is not seen.

## References
- [What can be pickled](https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled) and
  [handling stateful objects](https://docs.python.org/3/library/pickle.html#handling-stateful-objects)
- [h5py objects cannot be pickled](https://github.com/h5py/h5py/issues/1512)
- [LMDB and DataLoader workers](https://github.com/pytorch/vision/issues/689)
- [SQLite: do not carry a connection across a fork](https://www.sqlite.org/howtocorrupt.html)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from ..finding import Confidence, Edit, Finding, Fix, Hop, Trace
from ..project import Project
from ..rewrite.attribute_again import Refused
from ..rewrite.attribute_classes import Family, Shape, Store
from ..rewrite.attribute_filled import fields, fillings
from ..rewrite.attribute_kinds import MODULE, Kind, Made, Recogniser, base_methods, words, wrong_context
from ..rewrite.attribute_names import by_its_name, python_below
from ..rewrite.attribute_state import Treatment, check_bases, check_existing, edits
from ..rewrite.attribute_use import Hazard, Uses
from ..rewrite.outline import Outline, Repo, last_name

_KEEPER = re.compile(r"\bself\.\w|\bfield\s*\(|@(?:dataclass|attr)")
_OUTSIDE = re.compile(r"^[ \t]*(?!self\b)\w+\.\w+ *=[^=]", re.M)
_MAKES = re.compile(rf"\b(?:{'|'.join(words())})\s*\(|factory\s*=")
_GENERATES = re.compile(r"\byield\b|=\s*\((?s:.{0,200}?)\bfor\b")
_KEEPS = re.compile(r"\bself\.\w+\s*(?::[^=\n]*)?=\s*(\w+)\b")
_IMPORTS = re.compile(r"^[ \t]*import\s+(.*)$", re.M)
_POOLS = re.compile(r"Pool|submit|map|apply|put")


class UnpicklableAttributes:
    """The rule; see the module's docstring."""

    id = "unpicklable-attributes"
    summary = "Make locks, open files and database handles anew in each process instead of pickling them"
    screen = re.compile(rb"\bself\s*\.\s*\w+\s*[:=,]|\bfield\s*\(")

    def find(self, project: Project) -> Iterable[Finding]:
        """All unpicklable attributes of `project`, in the order of the files."""
        return sorted(_Search(project).findings(), key=lambda finding: finding.sort_key)


class _Search:
    """One run over a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.repo = Repo(project)
        self.family = Family(self.repo)
        self.recogniser = Recogniser(self.repo, self.family.values)
        self.plans: dict[ast.ClassDef, _Plan] = {}

    def findings(self) -> Iterator[Finding]:
        held: dict[Shape, dict[str, list[Hazard]]] = {}
        given = {self.repo.classes(node.name)[0][0].path for node, _ in self.handed}
        for source in self.project.matching(_KEEPER):
            looked = source.path in given or self._worth_a_look(source.text)
            outline = self.repo.outline(source.path) if looked else None
            if outline is None:
                continue
            for node in outline.nodes:
                if isinstance(node, ast.ClassDef):
                    shape = self.family.shape(outline, node)
                    if found := self._hazards(shape):
                        held[shape] = found
        for shape, attributes in held.items():
            yield from self._class(shape, attributes, held)
        yield from self._set_from_outside()

    def _set_from_outside(self) -> Iterator[Finding]:
        """`dataset.lock = Lock()`: reported with what a person could do, for the class does not know of it."""
        for source in self.project.matching(_OUTSIDE):
            outline = self.repo.outline(source.path) if _MAKES.search(source.text) else None
            for node in outline.nodes if outline is not None else ():
                if not isinstance(node, ast.Assign) or len(node.targets) != 1 or outline is None:
                    continue
                target = node.targets[0]
                if not isinstance(target, ast.Attribute) or outline.is_self(target.value):
                    continue
                if (owner := self._class_of(outline, target.value)) is None:
                    continue
                shape = self.family.shape(*owner)
                for made in self.recogniser.made(outline, node.value):
                    if not self._counts(made.kind) or made.kind.inherited or self._decides(shape):
                        continue
                    if self._left_out(shape, target.attr) or made.kind.later:
                        continue
                    confidence, trace, _ = self._crossing(shape)
                    name = f"{ast.unparse(target.value)}.{target.attr}"
                    hop = Hop(outline.path, node.lineno, f"{made.kind.what} is kept as `{name}`")
                    reason = (
                        f"it is set from outside of `{shape.node.name}`; set it in the class's `__init__`, where its "
                        "`__getstate__` can leave it out"
                    )
                    low = source.offset(node.lineno, node.col_offset)
                    span = source.span(low, source.offset(node.end_lineno or 0, node.end_col_offset or 0))
                    yield Finding(
                        RULE.id, outline.path, span, _message(name, made), confidence, (hop, *trace), None, reason
                    )
                    break

    def _class_of(self, outline: Outline, node: ast.expr) -> tuple[Outline, ast.ClassDef] | None:
        """The class of the repository that a local name's only value is made from."""
        if not isinstance(node, ast.Name):
            return None
        _, bindings = outline.lookup(node, node.id)
        value = bindings[0].value if len(bindings) == 1 else None
        name = last_name(value.func) if isinstance(value, ast.Call) else None
        classes = self.repo.classes(name) if name is not None else []
        return classes[0] if len(classes) == 1 else None

    def _worth_a_look(self, text: str) -> bool:
        """A file without these makes nothing unpicklable and keeps it; saves most of the time."""
        if _MAKES.search(text) or _GENERATES.search(text):
            return True
        kept = set(_KEEPS.findall(text)) if _KEEPS.search(text) else set()
        modules = {name for line in _IMPORTS.findall(text) for name in re.findall(r"\w+", line)}
        return not kept.isdisjoint(modules | self.recogniser.makers)

    # what is kept

    def _hazards(self, shape: Shape) -> dict[str, list[Hazard]]:
        found: dict[str, list[Hazard]] = {}
        stores = [(name, each) for name in shape.selves for each in shape.stores(name)]
        made_first = [(name, each) for name, several in fields(shape).items() for each in several]
        for name, store in [*made_first, *stores, *fillings(shape)]:
            if store.value is None or store.method.name in shape.late:
                continue
            if not self._instance(shape, store):
                continue
            for made in [*self.recogniser.made(shape.outline, store.value), *self._given(shape, store)]:
                if self._counts(made.kind) and not self._left_out(shape, name):
                    made = replace(made, nested=True) if store.fills else made
                    if made.kind.inherited and self._other_context(self._crossing(shape)[1]):
                        made = replace(made, kind=wrong_context(made.kind))
                    found.setdefault(name, []).append(Hazard(store, made))
                    break
        return {} if found and self._decides(shape) else found

    def _other_context(self, trace: Trace) -> bool:
        """The boundary at the end of `trace` starts its processes by spawn, whatever the default is."""
        outline = self.repo.outline(trace[-1].path) if trace else None
        for node in outline.nodes if outline is not None else ():
            if isinstance(node, ast.Call) and node.lineno <= trace[-1].line <= (node.end_lineno or 0):
                asked = [each.value for each in node.keywords if each.arg in ("multiprocessing_context", "mp_context")]
                if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and outline:
                    _, bindings = outline.lookup(node, node.func.value.id)
                    asked += [each.value for each in bindings if isinstance(each.value, ast.Call)]
                if any(
                    re.search(r"\bget_context\(.(spawn|forkserver)|^.(spawn|forkserver).$", ast.unparse(each))
                    for each in asked
                ):
                    return True
        return False

    def _given(self, shape: Shape, store: Store) -> list[Made]:
        """What calls of the class hand to the parameter that the attribute keeps."""
        value = store.value
        if not isinstance(value, ast.Name) or store.method.name != "__init__":
            return []
        _, bindings = shape.outline.lookup(value, value.id)
        if not any(each.parameter for each in bindings):
            return []
        return self.handed.get((shape.node, value.id), [])

    @cached_property
    def handed(self) -> dict[tuple[ast.ClassDef, str], list[Made]]:
        """What calls hand to the classes of the repository, by class and parameter."""
        found: dict[tuple[ast.ClassDef, str], list[Made]] = {}
        for source in self.project.matching(_MAKES):
            outline = self.repo.outline(source.path)
            for name, calls in outline.calls.items() if outline is not None else ():
                classes = self.repo.classes(name) if name is not None and name[:1].isupper() else []
                if len(classes) != 1 or outline is None:
                    continue
                init = self.family.shape(*classes[0]).methods.get("__init__")
                if init is not None:
                    for call in calls:
                        for parameter, value in _passed(init, call):
                            for made in self.recogniser.made(outline, value):
                                place = f"{outline.path}:{call.lineno}"
                                made = replace(made, given=place, choice=True)
                                found.setdefault((classes[0][1], parameter), []).append(made)
        return found

    def _instance(self, shape: Shape, store: Store) -> bool:
        marks = {last_name(mark.func if isinstance(mark, ast.Call) else mark) for mark in store.method.decorator_list}
        made_first = store.method not in shape.outline.parents  # see `fields`
        return (
            "classmethod" not in marks
            and "staticmethod" not in marks
            and (made_first or shape.outline.owner(store.target) is shape.node)
        )

    def _counts(self, kind: Kind) -> bool:
        return kind.before is None or python_below(self.project, kind.before)

    def _decides(self, shape: Shape) -> bool:
        """The class says in some other way how it is pickled."""
        return any(
            name in each.methods
            for each in self.family.line(shape)
            for name in ("__reduce__", "__reduce_ex__", "__getnewargs_ex__")
        )

    def _left_out(self, shape: Shape, name: str) -> bool:
        """A `__getstate__` looks after the attribute, or takes only what it names."""
        for each in [*self.family.line(shape)]:
            method = each.methods.get("__getstate__")
            if method is None:
                continue
            named = {getattr(part, "value", None) for part in ast.walk(method) if isinstance(part, ast.Constant)}
            named |= {part.arg for part in ast.walk(method) if isinstance(part, ast.keyword)}
            text = ast.unparse(method)
            everything = "__dict__" in text or "vars(" in text or "super()" in text
            if {name, each.key(name), shape.key(name)} & named or not everything:
                return True
        return any("picks" in (base_methods(each) or ()) for each in self.family.foreign(shape))

    # what becomes of it

    def _class(
        self, shape: Shape, attributes: dict[str, list[Hazard]], held: dict[Shape, dict[str, list[Hazard]]]
    ) -> Iterator[Finding]:
        crossing = self._crossing(shape)
        plan = self._plan(shape, held)
        for name, hazards in attributes.items():
            for hazard in hazards:
                confidence, trace, boundary = self._sure(shape, hazard, crossing)
                kind = hazard.made.kind
                if kind.inherited and not _POOLS.search(boundary.rpartition(".")[2] if boundary else ""):
                    continue
                if kind.later and confidence.reaches(Confidence.POSSIBLE):
                    confidence = Confidence.POSSIBLE
                yield self._finding(shape, name, hazard, confidence, trace, plan)

    def _plan(self, shape: Shape, held: dict[Shape, dict[str, list[Hazard]]]) -> _Plan:
        """What to do with all attributes of a class together, made once."""
        if shape.node in self.plans:
            return self.plans[shape.node]
        plan = self.plans[shape.node] = _Plan()
        bases = [each for each in self.family.line(shape) if each is not shape and each in held]
        below = [self._plan(each, held) for each in bases]
        treatments: list[Treatment] = []
        for name, hazards in held[shape].items():
            try:
                for hazard in hazards:
                    kind = hazard.made.kind
                    if kind.form == "report":
                        raise Refused(kind.advice)
                    known = kind is MODULE or kind.form == "named"
                    if known and (fix := by_its_name(self.family, shape, hazard.store)) is not None:
                        plan.fixes[name] = fix
                    elif kind.form == "generator":
                        plan.fixes[name] = self._as_list(shape, name, hazard)
                if name not in plan.fixes:
                    treatments.append(Uses(self.family, self.recogniser, shape, name, hazards).treatment())
            except Refused as refused:
                plan.reasons[name] = str(refused)
        self._join(shape, treatments, plan, bases, below, held)
        return plan

    def _join(
        self,
        shape: Shape,
        treatments: list[Treatment],
        plan: _Plan,
        bases: list[Shape],
        below: list[_Plan],
        held: dict[Shape, dict[str, list[Hazard]]],
    ) -> None:
        """One fix for all attributes of the class, or a reason for each."""
        if not treatments:
            return
        names = [each.attribute for each in treatments]
        try:
            self._check_others(shape, plan, held)
            check_bases(each for each in self.family.line(shape) if each is not shape)
            check_existing(shape, [each for each in self.family.derived(shape) if each not in held], names)
            self._check_siblings(shape, held)
            inherited, unknown = self.family.state_methods(shape)
            for base, each in zip(bases, below, strict=True):
                if each.reasons:
                    raise Refused(f"its base class `{base.node.name}` keeps something that can't be repaired")
                inherited |= each.writes
            unsafe = None
            if unknown is not None:
                unsafe = (
                    f"its base class `{unknown}` is not in this repository; should that have a `__getstate__` or "
                    "`__setstate__`, these would replace it"
                )
            own = tuple(edits(self.family, shape, treatments, inherited))
            plan.writes = frozenset(("__getstate__", "__setstate__"))
            if all(each.again is None for each in treatments):
                plan.writes = frozenset(("__getstate__",))
        except Refused as refused:
            plan.reasons.update(dict.fromkeys(names, str(refused)))
            return
        listed = ", ".join(f"`self.{name}`" for name in names)
        anew = any(each.again is not None for each in treatments)
        title = f"Leave {listed} of `{shape.node.name}` out of the pickle" + (
            " and make it anew in the copy" if anew else ""
        )
        fix = Fix(title, own, unsafe=unsafe)
        for each in below:
            for other in dict.fromkeys(each.fixes[name] for name in each.state if name in each.fixes):
                fix = Fix(f"{other.title}; {fix.title}", (*other.edits, *fix.edits), unsafe=fix.unsafe or other.unsafe)
        plan.state = tuple(names)
        plan.fixes.update(dict.fromkeys(names, fix))

    def _check_siblings(self, shape: Shape, held: dict[Shape, dict[str, list[Hazard]]]) -> None:
        """A class below has another base with state methods: one pair of them would be called only."""
        mine = [*self.family.line(shape)]
        for below in self.family.derived(shape):
            for other in self.family.line(below):
                stateful = other in held or {"__getstate__", "__setstate__"} & other.methods.keys()
                if stateful and other is not below and shape not in self.family.line(other) and other not in mine:
                    raise Refused(
                        f"`{below.node.name}` ({below.outline.path}:{below.node.lineno}) derives from "
                        f"`{other.node.name}` as well, whose state methods would not be called; write them there"
                    )

    def _check_others(self, shape: Shape, plan: _Plan, held: dict[Shape, dict[str, list[Hazard]]]) -> None:
        """A class is repaired as a whole."""
        for name, reason in plan.reasons.items():
            if any(not hazard.made.kind.later and not hazard.made.kind.inherited for hazard in held[shape][name]):
                line = held[shape][name][0].store.statement.lineno
                raise Refused(
                    f"`self.{name}` (line {line}) can't be repaired, and would go on stopping the object: {reason}"
                )

    def _as_list(self, shape: Shape, name: str, hazard: Hazard) -> Fix:
        """`list(...)` around a generator."""
        node, outline = hazard.made.node, hazard.made.outline
        for _, use in shape.selves[name]:
            above = shape.outline.parents[use]
            if isinstance(above, ast.Call) and use in above.args and last_name(above.func) == "next":
                raise Refused(
                    f"line {use.lineno} takes one item after the other with `next`; make the generator where it is used"
                )
            if isinstance(above, ast.Attribute) and above.attr in ("send", "throw", "close", "__next__"):
                raise Refused(f"line {use.lineno} needs a generator; make it where it is used")
        if isinstance(node, ast.Call) and self._endless(node):
            raise Refused("it may never end; make the generator where it is used, or in `__iter__`")
        if isinstance(node, ast.GeneratorExp) and any(
            isinstance(part, ast.Call) and last_name(part.func) in ("count", "cycle", "repeat")
            for part in ast.walk(node)
        ):
            raise Refused("it may never end; make the generator where it is used, or in `__iter__`")
        source = self.project.source(outline.path)
        assert source is not None
        start = source.offset(node.lineno, node.col_offset)
        end = source.offset(node.end_lineno or 0, node.end_col_offset or 0)
        if isinstance(node, ast.GeneratorExp) and source.text[start] == "(" and source.text[end - 1] == ")":
            changes = (Edit(outline.path, start, start + 1, "["), Edit(outline.path, end - 1, end, "]"))
        else:
            changes = (Edit(outline.path, start, start, "list("), Edit(outline.path, end, end, ")"))
        return Fix(
            f"Store a list in `self.{name}`",
            changes,
            unsafe="a list holds everything at once and can be walked again and again, a generator only once",
        )

    def _endless(self, node: ast.Call) -> bool:
        name = last_name(node.func) or ""
        for where, function in self.repo.functions(name):
            for each in where.own(function):
                if isinstance(each, ast.While) and isinstance(each.test, ast.Constant) and each.test.value:
                    return True
        return False

    # how sure

    def _crossing(self, shape: Shape) -> tuple[Confidence, Trace, str]:
        """The best that is known of objects of the class and of those derived from it."""
        best: tuple[Confidence, Trace, str] = (Confidence.POSSIBLE, (), "")
        ask = getattr(self.project.flow, "instances", None)
        for each in [shape, *self.family.derived(shape)]:
            found = None if ask is None else ask(each.outline.path, each.node.lineno)
            if found is not None and (not best[1] or found.confidence.rank > best[0].rank):
                best = (found.confidence, found.trace, found.boundary)
        return best

    def _sure(
        self, shape: Shape, hazard: Hazard, crossing: tuple[Confidence, Trace, str]
    ) -> tuple[Confidence, Trace, str]:
        """How sure we are that the object crosses with this attribute set, by which way, and who pickles it."""
        confidence, trace, boundary = crossing
        store = hazard.store
        if store.method.name not in self.family.early(shape):
            confidence = Confidence.POSSIBLE
        what = f"{hazard.made.kind.what} is kept as `self.{store.target.attr}`"
        return confidence, (Hop(shape.outline.path, store.statement.lineno, what), *trace), boundary

    def _finding(
        self, shape: Shape, name: str, hazard: Hazard, confidence: Confidence, trace: Trace, plan: _Plan
    ) -> Finding:
        node, outline = hazard.store.target, shape.outline
        source = self.project.source(outline.path)
        assert source is not None
        start = source.offset(node.lineno, node.col_offset)
        value = hazard.store.value or node
        end = source.offset(value.end_lineno or 0, value.end_col_offset or 0) if value.lineno >= node.lineno else 0
        span = source.span(start, max(end, source.offset(node.end_lineno or 0, node.end_col_offset or 0)))
        fix = plan.fixes.get(name)
        reason = None if fix is not None else plan.reasons.get(name, "it can't be shown how to repair it")
        return Finding(
            RULE.id, outline.path, span, _message(f"self.{name}", hazard.made), confidence, trace, fix, reason
        )


def _passed(init: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Parameters of `__init__` with what the call gives them, where that is more than a constant."""
    names = [each.arg for each in [*init.args.posonlyargs, *init.args.args]][1:]
    given = [*zip(names, call.args, strict=False), *((each.arg, each.value) for each in call.keywords)]
    for name, value in given:
        if isinstance(value, ast.Starred):
            return
        if name is not None and isinstance(value, (ast.Call, ast.Name, ast.Attribute, ast.Subscript)):
            yield name, value


class _Plan:
    """What is decided about one class: a fix or a reason per attribute."""

    def __init__(self) -> None:
        self.fixes: dict[str, Fix] = {}
        self.reasons: dict[str, str] = {}
        self.state: tuple[str, ...] = ()  # the attributes that the state methods look after
        self.writes: frozenset[str] = frozenset()


def _message(name: str, made: Made) -> str:
    """`name`: as written."""
    kind = made.kind
    if kind.later:
        return f"`{name}` is {kind.what}: from Python 3.14 on it can't be pickled (`{kind.error}`)"
    error = kind.error
    if kind.binary and isinstance(made.node, ast.Call):
        given = [*made.node.args[1:2], *(each.value for each in made.node.keywords if each.arg == "mode")]
        if any(isinstance(each, ast.Constant) and "b" in str(each.value) for each in given):
            error = kind.binary
    holds = "holds" if made.nested else "is"
    return f"`{name}` {holds} {kind.what}; a worker process under spawn or forkserver stops with `{error}`"


RULE = UnpicklableAttributes()
