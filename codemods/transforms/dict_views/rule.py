"""Finds dict views that are stored on an object and pickled, and rewrites them as lists. `__init__.py` documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...finding import Answer, Confidence, Edit, Finding, Fix, Hop, Refused, Trace
from ...flow.answers.crossings import flow_of
from ...flow.answers.destructors import ended_copy, ended_with
from ...flow.answers.never_made import never_made
from ...flow.answers.tried import tried
from ...flow.facts.records import FileFacts
from ...flow.facts.syntax import VIEW_METHODS
from ...hazard_kind import HazardKind
from ...nodes import walk
from ...project import Project
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import ReceiverKind, Receivers, imports_any, view_receiver
from ...syntax.repo import Repo
from .as_set import can_be_set
from .by_hash import BY_HASH
from .by_managers import imports_managers
from .by_tables import is_put_in_a_cell, is_put_in_a_table
from .data import names
from .holders import Difference, Holder, HolderKind
from .mutations import DictChanges
from .next_holders import holders_of
from .refused_by_views import WITHOUT_HASH
from .replaced_next import is_replaced
from .screen import ID
from .screen_facts import uses_views
from .storage import keeps, travels
from .third_party import Foreign, changed_dict, foreign_views
from .under_key import problems_under_key
from .used_up import is_sent_at_once, is_taken_by_start, is_used_up
from .uses import ViewUses

if TYPE_CHECKING:
    from ...flow.answers.crossing import Crossing

_OTHERS = {"keys": "other_keys", "values": "other_values"}  # tables of libraries with other things called so
_TEXT = re.compile(r"\.\s*(?:keys|values|items)\s*\(")


@dataclass(frozen=True)
class _Candidate:
    """A view that is kept: the call, the node that `list(...)` goes around, and what holds it then."""

    outline: Outline
    view: ast.Call
    node: ast.expr  # the view, or the local name that is stored
    held: tuple[Holder, ...]
    kept: Holder | None  # the attribute that keeps it; None: seen to cross without being kept


def find(project: Project) -> Iterable[Finding]:
    """All stored views of `project`, in the order of the files."""
    search = _Search(project)
    return (finding for path in paths(project) for finding in search.findings(path))


def paths(project: Project) -> Iterable[str]:
    """The files to look at: those with the text of a view, and "" for objects of installed packages that hold one."""
    return (*(source.path for source in project.matching(_TEXT, words=tuple(sorted(VIEW_METHODS)))), "")


def find_in(project: Project, path: str) -> Iterable[Finding]:
    """What `find` gives for one of `paths`."""
    return _Search(project).findings(path)


class _Search:
    """One run over a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.repo = Repo(project)
        self.receivers = Receivers(self.repo)
        self.uses = ViewUses(self.repo, self.receivers)
        self.changes = DictChanges(self.repo, self.uses)
        self._read: dict[ast.AST, dict[str, list[ast.Name]]] = {}
        self._annotated: dict[
            Outline, dict[str | None, list[ast.AnnAssign]]
        ] = {}  # by the last name of what is declared

    def findings(self, path: str) -> Iterator[Finding]:
        """Those of one of `paths`."""
        crossings = self._crossings if path else {}  # first: to compute the flow lets go of syntax trees
        facts = self.project.by_text(FileFacts).get(path)  # those of a file that did not change may not be there
        outline = self.repo.outline(path) if path and (facts is None or uses_views(facts)) else None
        for node in outline.of_kind(ast.Call) if outline is not None else ():
            if outline is not None and (shape := view_receiver(node, outline)):
                known = crossings.get((outline.path, node.lineno, node.col_offset))
                yield from self._view(outline, node, *shape, known)
        if not path:
            yield from map(self._foreign, foreign_views(self.repo))

    @cached_property
    def _crossings(self) -> dict[tuple[str, int, int], Crossing]:
        found = flow_of(self.project).crossings(frozenset({HazardKind.DICT_VIEW}), self.project.lowest_bar)
        return {(crossing.path, crossing.line, crossing.column): crossing for crossing in found}

    def _foreign(self, foreign: Foreign) -> Finding:
        """An object of an installed package that holds a view."""
        outline, row, node = foreign.outline, foreign.row, foreign.node
        source = self.project.source(outline.path)
        assert source is not None
        span = source.span_of(node)
        answer = _rebound_list(outline, node) or self._foreign_answer(foreign)
        message = (
            f"`{foreign.expression}` comes from an installed package ({row.package}) and keeps a live view of a dict, "
            f"`.{row.view}`; a worker process under spawn or forkserver stops with "
            f"`TypeError: cannot pickle 'dict_{row.method}' object`"
        )
        hops = (
            Hop(outline.path, span.line, f"`{foreign.expression}` is a {row.owner} of {row.package}, {row.says}"),
            Hop(outline.path, span.line, f"stored as `{foreign.expression}`, so it is pickled with the dataset"),
        )
        confidence = Confidence.LIKELY if foreign.crosses else Confidence.POSSIBLE
        return Finding.answered(ID, outline.path, span, message, confidence, hops, answer)

    def _foreign_answer(self, foreign: Foreign) -> Answer:
        """The line after the construction that makes the view a list."""
        outline, row = foreign.outline, foreign.row
        if isinstance(foreign.answer, Refused):
            return foreign.answer
        problems = self.uses.problems([Holder(HolderKind.ATTRIBUTE, row.view, row.owner)], of_any=False)
        if problems and problems[0].fatal:
            return Refused(f"{_where(problems[0], outline)} {problems[0].text}. {_ADVICE}")
        doubts = [f"{_where(problem, outline)} {problem.text}" for problem in problems[:1]]
        if (changed := changed_dict(self.repo, row)) is not None:
            doubts.append(
                f"{changed[0]}:{changed[1]} changes `.{row.of}`: the view shows that, a list created before would not"
            )
        title = f"Make `{foreign.expression}.{row.view}` a list once it is there"
        return Fix(title, (foreign.answer,), unsafe="; ".join(doubts) or None)

    def _view(
        self, outline: Outline, view: ast.Call, receiver: ast.expr, method: str, crossing: Crossing | None
    ) -> Iterator[Finding]:
        if is_replaced(outline, view):
            return
        held, _ = holders_of(outline, view)
        kept = [item for item in held if item.kind is HolderKind.ATTRIBUTE and keeps(self.repo, outline, item)]
        stores = [] if kept else list(self._stores(held))
        seen = crossing is not None and crossing.confidence.reaches(Confidence.LIKELY)
        if not (kept or stores) and (
            not seen or self._only_looped_over(held) or self._only_in_tables(outline, view, held)
        ):
            return  # passed on as an argument or a result: only the flow knows where to
        kind = self.receivers.kind(outline, receiver, method)
        if kind is ReceiverKind.UNKNOWN:  # nothing near by shows it; perhaps its callers do
            own = flow_of(self.project).own_methods(outline.path, view.lineno, view.col_offset)
            if any(self.receivers.method_at(*item) is ReceiverKind.OTHER for item in own):
                return
        if kind is ReceiverKind.OTHER or (kind is ReceiverKind.UNKNOWN and self._is_tensor(outline, receiver, method)):
            return
        if stores and any(item.kind is HolderKind.NAME and isinstance(item.scope, ast.Module) for item in held):
            choices = []  # a table of the module stays a view; what is stored from it is copied
        else:
            first = next(iter(kept), stores[0][1] if stores else None)
            choices = [[_Candidate(outline, view, view, tuple(held), first)]]
        if stores and all(self._only_views(outline, name) for name, _ in stores):
            choices.append([_Candidate(outline, view, name, (item,), item) for name, item in stores])
        if not choices:
            return
        judged = [[self._judge(item, receiver, method, kind, crossing) for item in choice] for choice in choices]
        yield from max(judged, key=lambda found: min(_rank(finding) for finding in found))

    def _only_in_tables(self, outline: Outline, view: ast.Call, held: Sequence[Holder]) -> bool:
        """All that is done with it is to put it into tables, directly or under a local name."""
        reads: list[ast.expr] = [view]
        if held and not is_put_in_a_table(outline, view):
            local = held[0]
            if len(held) > 1 or local.kind is not HolderKind.NAME or local.scope is None:
                return False
            reads = [*self._reads(local.scope).get(local.name, ())]
        return bool(reads) and all(is_put_in_a_table(outline, node) for node in reads)

    def _only_looped_over(self, held: Iterable[Holder]) -> bool:
        """It goes to a `pool.map` and the like, which take its elements."""
        uses: list[list[Holder]] = []
        for item in held:
            if item.kind is HolderKind.NAME and item.outline is not None and item.scope is not None:
                for node in walk(item.scope):
                    if isinstance(node, ast.Name) and node.id == item.name and isinstance(node.ctx, ast.Load):
                        uses.append(holders_of(item.outline, node, item.nested)[0])
            else:
                uses.append(list(held))
        reached = [ends for ends in uses if ends]
        return bool(reached) and all(
            any(
                end.kind is HolderKind.ARGUMENT and end.name in names("element_users") and not end.nested
                for end in ends
            )
            for ends in reached
        )

    def _stores(self, held: Iterable[Holder]) -> Iterator[tuple[ast.Name, Holder]]:
        """Where a local or global name for the view is stored as an attribute: the name there, and the attribute."""
        for local in held:
            if local.kind is not HolderKind.NAME or local.outline is None or local.scope is None:
                continue
            for node in self._reads(local.scope).get(local.name, ()):
                scope, bindings = local.outline.lookup(node, node.id)
                if scope is not local.scope or all(local.statement is not binding.statement for binding in bindings):
                    continue
                for item in holders_of(local.outline, node, local.nested)[0]:
                    if item.kind is HolderKind.ATTRIBUTE and keeps(self.repo, local.outline, item):
                        yield node, item

    def _reads(self, scope: ast.AST) -> dict[str, list[ast.Name]]:
        """Where names are read below `scope`, by name."""
        found = self._read.get(scope)
        if found is None:
            found = self._read[scope] = {}
            for node in walk(scope):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    found.setdefault(node.id, []).append(node)
        return found

    def _only_views(self, outline: Outline, name: ast.Name) -> bool:
        """Whatever reaches this use of a name is a view, so `list(name)` is right on every path."""
        _, bindings = outline.lookup(name, name.id)
        return all(
            binding.value is not None and view_receiver(binding.value, outline) is not None for binding in bindings
        )

    def _judge(
        self, candidate: _Candidate, receiver: ast.expr, method: str, kind: ReceiverKind, crossing: Crossing | None
    ) -> Finding:
        outline, node = candidate.outline, candidate.node
        source = self.project.source(outline.path)
        assert source is not None
        start, end = source.range_of(node)
        text = source.text[start:end]
        answer = self._refused(candidate, method, kind) or self._as_list(
            candidate, receiver, method, kind, text, crossing.boundary if crossing is not None else ""
        )
        confidence, trace = self._crosses(candidate, receiver, kind, crossing, text)
        message = _message(candidate, method, kind)
        owner = outline.owner(candidate.kept.place) if candidate.kept is not None and candidate.kept.place else None
        ended = ended_with(self.project, trace) or (
            ended_copy(self.project, outline.path, owner.lineno) if owner is not None else None
        )
        if ended is not None and isinstance(answer, Fix):
            answer = Refused(ended)
        if confidence is Confidence.PROVEN and crossing is not None:
            listed = imports_managers(self.repo, crossing.boundary, trace)
            if listed is not None:  # the last step stays what sends it
                confidence, trace = Confidence.LIKELY, (*trace[:-1], listed, *trace[-1:])
        return Finding.answered(ID, outline.path, source.span(start, end), message, confidence, trace, answer)

    def _as_list(
        self, candidate: _Candidate, receiver: ast.expr, method: str, kind: ReceiverKind, text: str, boundary: str
    ) -> Answer:
        """`list(...)` around the view."""
        outline, node = candidate.outline, candidate.node
        next_ones, at_once = holders_of(outline, node, widely=True)
        problems = self.uses.problems([*candidate.held, *next_ones])
        by_key = problems_under_key(self.repo, outline, node)
        problems = sorted([*at_once, *problems, *by_key], key=lambda problem: not problem.fatal)
        if method == "values":  # these go by `==` as well
            problems = [
                problem for problem in problems if WITHOUT_HASH not in problem.text and BY_HASH not in problem.text
            ]
        if method == "values" and kind in (ReceiverKind.DICT, ReceiverKind.ORDERED):  # which have no such operators
            problems = [problem for problem in problems if not problem.text.startswith("uses it with `")]
        change = None
        if not any(
            (
                is_used_up(outline, node),
                is_sent_at_once(outline, node, boundary),
                is_taken_by_start(outline, node, boundary),
            )
        ):
            change = self.changes.after(outline, outline.statement(node), receiver, method)
        if problems and problems[0].fatal:
            if method == "keys" and change is None and not at_once and self._may_be_set(candidate):
                return self._stored(candidate, "set", text, [])
            said = [f"{_where(each, outline)} {each.text}" for each in (problems[0], change) if each is not None]
            advice = _ADVICE if method != "values" and change is None else _OF_VALUES
            return Refused(f"{'; '.join(said)}. {advice}")
        noted = [problem for problem in (change, *problems[:1]) if problem is not None]
        doubts = [f"{_where(problem, outline)} {problem.text}" for problem in noted]
        doubts += self._doubt(outline, receiver, method, kind)
        if (reason := tried(self.project, outline.path, candidate.view.lineno, candidate.view.col_offset)) is not None:
            doubts.append(reason)
        return self._stored(candidate, "list", text, doubts)

    def _stored(self, candidate: _Candidate, kind: str, text: str, doubts: Sequence[str]) -> Fix:
        """The view within a call of `kind`."""
        path = candidate.outline.path
        source = self.project.source(path)
        assert source is not None
        start, end = source.range_of(candidate.node)
        edits = (Edit(path, start, start, f"{kind}("), Edit(path, end, end, ")"))
        return Fix(f"Store `{kind}({_short(text)})`", edits, unsafe="; ".join(doubts) or None)

    def _may_be_set(self, candidate: _Candidate) -> bool:
        outline, kept = candidate.outline, candidate.kept
        alone = candidate.held == (kept,) and candidate.node is candidate.view
        if kept is None or not alone or _bound_line(outline, candidate.node, "set") is not None:
            return False
        view = candidate.view
        return tried(self.project, outline.path, view.lineno, view.col_offset) is None and can_be_set(
            self.uses, outline, kept
        )

    def _refused(self, candidate: _Candidate, method: str, kind: ReceiverKind) -> Refused | None:
        """Why the view can't become a list, as far as its own place shows."""
        outline = candidate.outline
        if (refused := _rebound_list(outline, candidate.node)) is not None:
            return refused
        if kind is ReceiverKind.H5 and method != "keys":
            return Refused(
                "a list would still hold h5py objects, which can't be pickled; store names, open the file in the worker"
            )
        if is_put_in_a_cell(outline, candidate.node):
            return Refused("one cell keeps the view; a list would be spread over several. Store a tuple by `.at`")
        if candidate.kept is not None and (line := self._declared(outline, candidate.kept)) is not None:
            return Refused(f"line {line} declares it as a view; change that to a list type first")
        return None

    def _declared(self, outline: Outline, kept: Holder) -> int | None:
        """The line that says the attribute is of a view type."""
        owner = outline.owner(kept.place) if kept.place is not None else None
        if outline not in self._annotated:
            nodes = outline.of_kind(ast.AnnAssign)
            self._annotated[outline] = {last_name(node.target): [] for node in nodes}
            for node in nodes:
                self._annotated[outline][last_name(node.target)].append(node)
        for node in self._annotated[outline].get(kept.name, ()):
            if owner is None or owner in outline.ancestors(node):
                parts = [part for part in walk(node.annotation) if isinstance(part, (ast.Name, ast.Attribute))]
                if not names("view_types").isdisjoint(last_name(part) for part in parts):
                    return node.lineno
        return None

    def _is_tensor(self, outline: Outline, receiver: ast.expr, method: str) -> bool:
        """The function calls what only tensors have on it, too: `rows.values()` beside `rows.lengths()`."""
        if method != "values" or not imports_any(outline, names("other_values")):
            return False
        return self._calls_one(outline, receiver, names("of_tensors"), outline.scope(receiver))

    def _calls_one(
        self, outline: Outline, receiver: ast.expr, methods: Iterable[str], scope: ast.AST | None = None
    ) -> bool:
        """The file calls one of the methods on an expression like this, in one scope where that is given."""
        same = ast.dump(receiver)
        return any(
            isinstance(call.func, ast.Attribute)
            and (scope is None or outline.scope(call) is scope)
            and ast.dump(call.func.value) == same
            for method in methods
            for call in outline.calls.get(method, ())
        )

    def _doubt(self, outline: Outline, receiver: ast.expr, method: str, kind: ReceiverKind) -> list[str]:
        """Why it may not be a dict at all."""
        libraries = _OTHERS.get(method)
        if kind is not ReceiverKind.UNKNOWN or libraries is None or not imports_any(outline, names(libraries)):
            return []
        told = ("items", "keys", "get", "setdefault") if method == "values" else ("values", "setdefault")
        if self._calls_one(outline, receiver, told):
            return []
        what = "a pandas Index" if method == "keys" else "a tensor"
        return [
            f"nothing here shows that `{_short(ast.unparse(receiver))}` is a dict; `.{method}()` could also be {what}"
        ]

    def _crosses(
        self, candidate: _Candidate, receiver: ast.expr, kind: ReceiverKind, crossing: Crossing | None, text: str
    ) -> tuple[Confidence, Trace]:
        """How sure we are that it crosses, and by which way: the flow's word where it has one that is as strong."""
        outline, kept = candidate.outline, candidate.kept
        own = Confidence.LIKELY
        if kept is not None and not travels(outline, kept):
            own = Confidence.POSSIBLE
        owner = outline.owner(kept.place) if kept is not None and kept.place is not None else None
        if owner is not None:
            flow = flow_of(self.project)
            sent = flow.instances(outline.path, owner.lineno)
            cleared = kept is not None and flow.cleared(outline.path, owner.lineno, kept.name)
            if (
                sent is None
                or cleared
                or not sent.confidence.reaches(Confidence.LIKELY)
                or never_made(self.repo, sent)
                or flow.never_runs(((outline.path, candidate.view.lineno),))
                or (kept is not None and flow.in_workers(outline.path, getattr(kept.place, "lineno", 0)))
            ):
                own = Confidence.POSSIBLE
        if kind is ReceiverKind.UNKNOWN and isinstance(receiver, ast.Name) and outline.is_self(receiver):
            own = Confidence.POSSIBLE  # nothing shows that this class is a dict
        if crossing is not None and crossing.confidence.reaches(own):
            sure = Confidence.POSSIBLE if never_made(self.repo, crossing) else crossing.confidence
            return sure, crossing.trace
        hops = [Hop(outline.path, candidate.view.lineno, "a view of a dict is taken here")]
        if kept is not None and kept.place is not None:
            line = getattr(kept.place, "lineno", candidate.view.lineno)
            hops.append(Hop(outline.path, line, f"stored as `{_label(kept)}`, so it is pickled with the object"))
        return own, tuple(hops)


_ADVICE = "If the order does not matter, store `set(...)`, else take the view where it is used"

_OF_VALUES = "Take the view where it is used"


def _rank(finding: Finding) -> int:
    return 0 if finding.fix is None else 1 if finding.fix.unsafe else 2


def _where(problem: Difference, outline: Outline) -> str:
    return f"line {problem.line}" if problem.path == outline.path else f"{problem.path}:{problem.line}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _label(kept: Holder) -> str:
    if isinstance(kept.place, ast.Attribute):
        return _short(ast.unparse(kept.place))
    return f"{_short(ast.unparse(kept.place.args[0]))}.{kept.name}" if isinstance(kept.place, ast.Call) else kept.name


def _message(candidate: _Candidate, method: str, kind: ReceiverKind) -> str:
    kept = candidate.kept
    what = (
        f"`{_label(kept)}` keeps a live view of a dict"
        if kept is not None
        else "a live view of a dict is sent to another process"
    )
    if kind is ReceiverKind.H5:
        return f"{what.replace('a dict', 'an open HDF5 file')}: it can't be pickled (`h5py objects cannot be pickled`)"
    name = f"{'odict' if kind is ReceiverKind.ORDERED else 'dict'}_{method}"
    where = "; a worker process under spawn or forkserver stops with" if kept is not None else ":"
    return f"{what}{where} `TypeError: cannot pickle '{name}' object`"


def _rebound_list(outline: Outline, node: ast.AST) -> Refused | None:
    """Where `list` is not the builtin."""
    if (line := _bound_line(outline, node, "list")) is None:
        return None
    return Refused(f"`list` is another name here (line {line}); write `[*...]` around the view by hand, or rename that")


def _bound_line(outline: Outline, node: ast.AST, name: str) -> int | None:
    """The line on which `name` is bound in a scope that `node` sees; None when it is the builtin."""
    scope = outline.scope(node)
    while True:
        if found := outline.bindings(scope, name):
            return getattr(found[0].statement, "lineno", 1)
        if isinstance(scope, ast.Module):
            return None
        scope = outline.scope(outline.parents[scope])
