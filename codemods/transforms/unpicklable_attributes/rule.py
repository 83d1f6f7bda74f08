"""Finds attributes that cannot be pickled on objects that cross a process boundary. `__init__.py` documents it."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator

from ...finding import Confidence, Finding, Hop, Trace
from ...flow.answers.tried import handled
from ...flow.boundaries import table
from ...nodes import end_place
from ...project import Project
from ...syntax.branches import exclude_each_other
from ...syntax.given_initialisers import may_be_skipped
from ...syntax.outline import Outline
from ...syntax.unpicklable import Made
from ...syntax.unpicklable_table import ObjectKind, Remedy, advice, starts_nothing
from .classes import Shape
from .exception_arguments import copied_with_others
from .getattr_guard import unpickled_badly
from .lost_attributes import lost_attributes
from .new_arguments import made_without_arguments
from .plan import Plan, Planner
from .remaking.rebuild_expression import short
from .screen import ID
from .search import Search
from .sent_alone import DEEPCOPY, sent_alone
from .uses.attribute_uses import Hazard
from .uses.closed_before import is_closed_before, opened_from_outside
from .uses.own_processes import own_processes
from .uses.set_after_start import set_after_start
from .uses.taken_off import is_taken_off
from .uses.used_before import used_before
from .uses.used_by_keeper import used_by_keeper

_STOPS = "a worker process under spawn or forkserver stops with"


def find(project: Project) -> Iterable[Finding]:
    """All unpicklable attributes of `project`, in the order of the files."""
    search = Search(project)
    planner = Planner(search)
    paths = search.paths()
    kept: list[tuple[Finding, ast.expr]] = []
    refused: dict[tuple[str, int], Finding] = {}  # by class: the first of its attributes that can't be fixed
    for shape in (shape for path in paths for shape in search.keepers(path)):
        own = list(_of_class(search, shape, planner))
        kept += own
        sure = (finding for finding, _ in own if finding.confidence is not Confidence.POSSIBLE)
        for finding in (each for each in sure if each.fix is None):
            refused.setdefault((shape.outline.path, shape.node.lineno), finding)
    found = [finding for finding, _ in kept]
    plain = (_from_outside, _derived, _handed_on, made_without_arguments, copied_with_others, _own_processes, _lost)
    for others in plain:
        found += [finding for path in paths for finding in others(search, path)]
    found += [finding for path in paths for finding in unpickled_badly(search, path, refused)]
    known = {node for finding, node in kept if finding.confidence is not Confidence.POSSIBLE}
    found += _sent_alone(search, known | {made.node for path in paths for *_, made in search.handed_on(path)})
    return sorted(found, key=lambda finding: finding.sort_key)


def _of_class(search: Search, shape: Shape, planner: Planner) -> Iterator[tuple[Finding, ast.expr]]:
    """Findings, each with the expression that makes what can't be pickled."""
    crossing = search.crossing(shape)
    bar = search.project.bar_of(shape.outline.path)
    if not crossing[0].reaches(bar):
        return
    for name, hazards in search.hazards_of(shape).items():
        made_by_default: list[tuple[Finding, ast.expr]] = []  # at each place where it is read: told once
        for hazard in hazards:
            of_those = search.crossing(shape, hazard.store.method.name, hazard.store.target.attr)
            if of_those[0] is not crossing[0] and not of_those[0].reaches(bar):
                continue
            confidence, trace, boundary = _sure(search, shape, hazard, of_those)
            kind = hazard.made.kind
            if kind.inherited and not starts_nothing(boundary):
                continue
            if kind.at_start and (not boundary or starts_nothing(boundary)):
                continue
            if (kind.sent_only and boundary in ("", DEEPCOPY)) or (kind.copied and boundary == DEEPCOPY):
                continue
            if kind.later and confidence.reaches(Confidence.POSSIBLE):
                confidence = Confidence.POSSIBLE
            if confidence is not Confidence.POSSIBLE and _is_handled(search.project, shape, trace, boundary):
                confidence = Confidence.POSSIBLE
            if confidence.reaches(bar):
                plan = planner.plan(shape)
                found = _finding(search, shape, name, hazard, (confidence, trace, boundary), plan), hazard.made.node
                if hazard.store.default:
                    made_by_default.append(found)
                else:
                    yield found
        yield from sorted(made_by_default, key=lambda each: each[0].confidence.rank, reverse=True)[:1]


def _is_handled(project: Project, shape: Shape, trace: Trace, boundary: str) -> bool:
    """`try: copy.deepcopy(trainer)`, in a program that goes on in another way where that fails."""
    place = shape.outline.path, shape.node.lineno
    copies = bool(trace) and boundary == DEEPCOPY
    return copies and handled(project, place, f"{trace[-1].path}:{trace[-1].line}", saves=True)


def _sure(
    search: Search, shape: Shape, hazard: Hazard, crossing: tuple[Confidence, Trace, str]
) -> tuple[Confidence, Trace, str]:
    """How sure we are that the object crosses with this attribute set, by which way, and who pickles it."""
    confidence, trace, boundary = crossing
    store = hazard.store
    early = store.method.name in search.family.pre_transfer_methods(shape)
    if not early or is_closed_before(search.family, shape, store):
        used = used_before(search.family, shape, store, trace) if confidence is not Confidence.POSSIBLE else None
        if used is None and early:
            used = opened_from_outside(search.family, shape, store, trace)
        if used is None and confidence is not Confidence.POSSIBLE:
            used = used_by_keeper(search.family, shape, store, trace)
        confidence = Confidence.POSSIBLE if used is None else Confidence.LIKELY
        trace = trace if used is None else (*trace[:-1], used, trace[-1])
    elif confidence is not Confidence.POSSIBLE and (
        search.is_cleared(shape, store.target.attr)
        or is_taken_off(search.repo, store.target.attr, trace)
        or set_after_start(shape, store, trace)
    ):
        confidence = Confidence.POSSIBLE
    elif store.method.name == "__enter__" and confidence is Confidence.PROVEN:
        confidence = Confidence.LIKELY  # another object of the class may be the one that crosses
    places = [(shape.outline.path, store.statement.lineno), *((hop.path, hop.line) for hop in trace)]
    if confidence is not Confidence.POSSIBLE and (
        exclude_each_other(search.repo, places)
        or search.may_leave_out(shape, store.target.attr, hazard.made)
        or search.never_made(hazard)
        or hazard.made.unsure
    ):
        confidence = Confidence.POSSIBLE
    what = f"{hazard.made.kind.what} is stored as `self.{store.target.attr}`"
    return confidence, (Hop(shape.outline.path, store.statement.lineno, what), *trace), boundary


def _finding(
    search: Search, shape: Shape, name: str, hazard: Hazard, crossing: tuple[Confidence, Trace, str], plan: Plan
) -> Finding:
    confidence, trace, boundary = crossing
    node, outline = hazard.store.target, shape.outline
    source = search.project.source(outline.path)
    assert source is not None
    start = source.offset(node.lineno, node.col_offset)
    value = hazard.store.value or node
    end = source.offset(*end_place(value)) if value.lineno >= node.lineno else 0
    span = source.span(start, max(end, source.offset(*end_place(node))))
    fix = plan.fixes.get(name)
    reason = None if fix is not None else plan.reasons.get(name, "it can't be shown how to fix it")
    message = _message(f"self.{name}", hazard.made, boundary, _saves(search.project, boundary))
    return Finding(ID, outline.path, span, message, confidence, trace, fix, reason)


def _from_outside(search: Search, path: str) -> Iterator[Finding]:
    """`dataset.lock = Lock()`: reported with what a person could do, for the class does not know of it."""
    for outline, node, target, shape, made in search.set_from_outside(path):
        confidence, trace, _ = search.crossing(shape)
        if made.unsure or search.may_leave_out(shape, target.attr, made) or may_be_skipped(outline, target.value):
            confidence = Confidence.POSSIBLE
        name = f"{ast.unparse(target.value)}.{target.attr}"
        hop = Hop(outline.path, node.lineno, f"{made.kind.what} is stored as `{name}`")
        reason = (
            f"it is set from outside of `{shape.node.name}`; set it in the class's `__init__`, where its "
            "`__getstate__` can leave it out"
        )
        yield _at(search, outline, node, _message(name, made), confidence, (hop, *trace), reason)


def _lost(search: Search, path: str) -> Iterator[Finding]:
    """A `__getstate__` takes a lock out, and the copy reads it."""
    for lost in lost_attributes(search, path):
        confidence, trace, boundary = search.crossing(lost.shape)
        if not lost.sure or boundary == DEEPCOPY:
            confidence = Confidence.POSSIBLE
        name, owner = lost.store.target.attr, lost.shape.node.name
        if not confidence.reaches(search.project.bar_of(path)):
            continue
        stops = "a worker process stops with" if lost.sure else "a copy has none, and stops with"
        message = (
            f"`__getstate__` of `{owner}` takes `self.{name}` out, and nothing makes it anew: {stops} "
            f"`AttributeError: '{owner}' object has no attribute '{name}'`"
        )
        hops = (
            Hop(path, lost.store.statement.lineno, f"{lost.made.kind.what} is stored as `self.{name}`"),
            Hop(path, lost.state.lineno, "it is left out of the pickle"),
            *trace,
            Hop(path, lost.at, f"`{lost.read.name}` reads it"),
        )
        value = lost.store.value
        again = f": `self.{name} = {short(value)}`" if value is not None else ""
        reason = f"add a `__setstate__` that updates `self.__dict__` with the state, and makes it anew{again}"
        yield _at(search, lost.shape.outline, lost.store.statement, message, confidence, hops, reason)


def _own_processes(search: Search, path: str) -> Iterator[Finding]:
    """`self.workers.append(Process(target=self.run))` in a loop: each start pickles those before it."""
    for kept in own_processes(search.repo, path):
        outline, name = kept.outline, ast.unparse(kept.place)
        message = (
            f"`{name}` keeps processes that were started, and the next one gets it with `self`; {_STOPS} "
            "`cannot pickle 'weakref.ReferenceType' object`"
        )
        start = Hop(outline.path, kept.call.lineno, "this process gets the object, by its method or as an argument")
        if kept.closed:
            message = (
                f"`{name}` has a connection that is closed once its process has been started, and the next one gets it "
                f"with `self`; {_STOPS} `OSError: handle is closed`"
            )
            hop = Hop(
                outline.path, kept.place.lineno, "the connection is closed here, before the next process is started"
            )
            reason = (
                f"give the process a function and its own connection, in place of `self`, or start all processes first "
                f"and close `{name}` after the loop"
            )
            yield _at(search, outline, kept.place, message, Confidence.LIKELY, (start, hop), reason)
            continue
        hop = Hop(outline.path, kept.place.lineno, f"the process is stored in `{name}`, which the next one gets too")
        reason = (
            f"give the process a function, and what that needs of the object, in place of `self`, or leave `{name}` "
            f"out in a `__getstate__` of `{kept.owner.name}`: a child can't join the others anyway"
        )
        yield _at(search, outline, kept.place, message, Confidence.LIKELY, (start, hop), reason)


def _derived(search: Search, path: str) -> Iterator[Finding]:
    """`class Reader(Thread)` whose objects cross: what is wrong is in the base class."""
    for shape, base, kind in search.derived(path):
        confidence, trace, _ = search.crossing(shape)
        if trace:
            name = shape.node.name
            hop = Hop(shape.outline.path, shape.node.lineno, f"`{name}` derives from `{ast.unparse(base)}`")
            message = f"an object of `{name}` is {kind.what}{_hidden(kind)}; {_STOPS} `{kind.error}`"
            reason = advice(kind, "it")
            if kind.remedy is not Remedy.REPORT:
                reason = f"say in a `__getstate__` and `__setstate__` of `{name}` what a copy gets"
            yield _at(search, shape.outline, base, message, confidence, (hop, *trace), reason)


def _handed_on(search: Search, path: str) -> Iterator[Finding]:
    for outline, call, value, made in search.handed_on(path):
        name = ast.unparse(value)
        hop = Hop(outline.path, call.lineno, f"`{ast.unparse(call.func)}` pickles it for its workers")
        yield _at(search, outline, value, _message(name, made), Confidence.PROVEN, (hop,), advice(made.kind, name))


def _sent_alone(search: Search, known: Container[ast.expr]) -> Iterator[Finding]:
    """`known`: the expressions that are reported already."""
    for sent in sent_alone(search):
        if sent.node not in known and sent.confidence.reaches(search.project.bar_of(sent.crossing.path)):
            message = _message(short(sent.node), sent.made, sent.crossing.boundary, sent.crossing.saved)
            yield _at(search, sent.outline, sent.node, message, sent.confidence, sent.crossing.trace, sent.reason)


def _at(
    search: Search, outline: Outline, node: ast.AST, message: str, confidence: Confidence, trace: Trace, reason: str
) -> Finding:
    source = search.project.source(outline.path)
    assert source is not None and isinstance(node, (ast.expr, ast.stmt))
    low = source.offset(node.lineno, node.col_offset)
    span = source.span(low, source.offset(*end_place(node)))
    return Finding(ID, outline.path, span, message, confidence, trace, None, reason)


def _hidden(kind: ObjectKind) -> str:
    return f", whose `{kind.hidden}` can't be pickled" if kind.hidden else ""


def _saves(project: Project, boundary: str) -> bool:
    return table(project.settings.boundaries).saves(boundary)


def _message(name: str, made: Made, boundary: str = "", saves: bool = False) -> str:
    """`name`: as written; `boundary`: what pickles it, where that is known, and `saves` it for no other process."""
    kind = made.kind
    if kind.later:
        return f"`{name}` is {kind.what}: from Python 3.14 on it can't be pickled (`{kind.error}`)"
    has_arguments = isinstance(made.node, ast.Call) and bool(made.node.args or made.node.keywords)
    error = kind.given if kind.given and has_arguments else kind.error
    if kind.binary and isinstance(made.node, ast.Call):
        given = [*made.node.args[1:2], *(keyword.value for keyword in made.node.keywords if keyword.arg == "mode")]
        if any(isinstance(argument, ast.Constant) and "b" in str(argument.value) for argument in given):
            error = kind.binary
    if kind.running and boundary and (saves or starts_nothing(boundary)):
        error = kind.running
    holds = "holds" if made.nested else "is"
    stops = f"`{boundary}` stops with" if saves else _STOPS
    return f"`{name}` {holds} {kind.what}{_hidden(kind)}; {stops} `{error}`"
