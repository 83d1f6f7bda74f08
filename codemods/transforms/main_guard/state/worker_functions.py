"""The functions that workers run: what is sent to them, and what that calls."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ....finding import Confidence, Hop
from ....flow.answers.crossings import flow_of
from ....flow.facts.records import facts_lookup
from ....flow.facts.test_code import is_test
from ....nodes import walk
from ....syntax.binding_rules import COMPREHENSIONS, FUNCTIONS, parameters
from ....syntax.callees import Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ..starts.fork_contexts import forks_by_context, names_spawn, only_forks
from ..starts.process_starts import Starts
from .implicit_calls import implicit_calls

_WORKER = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "__setstate__")
_PROCESS = "run"  # of a process that is started
_PLAIN_BASES = ("object", "ABC", "Generic", "Protocol", "Module", "Dataset", "IterableDataset")
_OF_START_METHOD = ("`multiprocessing.Pool.", "`multiprocessing.Pool`", "`concurrent.futures.ProcessPoolExecutor")
_BEGINS = ("worker_init_fn", "initializer")
_CODE = (ast.ClassDef, ast.FunctionDef, ast.ImportFrom)
_MAX_CALLS = 400  # functions that are followed into from what workers run


@dataclass
class Worker:
    """A function that a worker runs."""

    outline: Outline
    function: Function
    depth: int  # of calls between what is sent and this
    sent: dict[str, tuple[Confidence, Hop]]  # by file: how it comes to
    nodes: list[ast.AST] = field(repr=False, compare=False)  # what a call of it runs: no defaults, no decorators
    calls: dict[tuple[str, int], tuple[Confidence, Hop]] = field(compare=False)  # the same of all, by file and line
    objects: list[Class] = field(default_factory=list, compare=False)  # what a function that is sent gets along
    callers: dict[tuple[str, int], tuple[Worker, int]] = field(default_factory=dict, repr=False, compare=False)
    # ^ for each of `calls`: what calls it there, and in which line; none for what is sent itself

    def by(self, calls: Mapping[tuple[str, int], tuple[Confidence, Hop]]) -> Worker:
        """The same, where only some of the calls send it."""
        sent = dict(reversed([(path, way) for (path, _), way in calls.items()]))
        return replace(self, calls=dict(calls), sent=sent)

    def way_from(self, sent: Hop) -> list[Hop]:
        """The calls that lead from what `sent` sends to this function."""
        at = next((call for call in self.calls if call == (sent.path, sent.line)), None)
        at = at or next((call for call in self.calls if call[0] == sent.path), None)
        found, worker, seen = list[Hop](), self, set[Function]()
        while at is not None and at in worker.callers and worker.function not in seen:
            seen.add(worker.function)
            name, (worker, line) = worker.function.name, worker.callers[at]
            found.append(Hop(worker.outline.path, line, f"`{worker.function.name}` calls `{name}`"))
        return found[::-1]

    def given(self, value: ast.expr, known: Callable[[str, int, str], list[tuple[str, int]]]) -> list[Class]:
        """The classes that `value` may be an object of, where that is one of its parameters; `known`: what it gets."""
        if not (isinstance(value, ast.Name) and value.id in parameters(self.function)) or self.outline.is_self(value):
            return []
        places = known(self.outline.path, self.function.lineno, value.id)
        return [each for each in self.objects if not places or (each.outline.path, each.node.lineno) in places]


class WorkerFunctions:
    """Collects them. One per run of the rule."""

    def __init__(self, starts: Starts, repo: Repo) -> None:
        self.starts, self.repo, self.callees = starts, repo, starts.callees
        self.known: dict[Function, Worker] = {}  # those met so far
        self.is_full = False  # there was no room for more
        self.lambdas: dict[ast.Lambda, ast.FunctionDef] = {}
        self._implicit: dict[tuple[Function, tuple[Class, ...]], list[tuple[Outline, Function]]] = {}
        self._called: dict[Function, list[tuple[ast.Call, list[tuple[Outline, Function]]]]] = {}
        self._forked: dict[Hop, bool] = {}  # see `_is_forked`: one boundary may get what many files send

    @cached_property
    def workers(self) -> dict[Function, Worker]:
        """What workers run; asked for only where that matters."""
        flow = flow_of(self.starts.project)
        defining = {place for name in (*_WORKER, _PROCESS) for place in flow.crossing_with_method(name)}
        for path, line in (place for place in flow.crossing_classes() if place in defining):  # most are plain models
            methods = [
                method
                for outline, node in self.repo.defined_at(path, line)
                if isinstance(node, ast.ClassDef)
                for method in self._run_by_workers(Class(outline, node))
            ]
            crossing = flow.instances(path, line) if methods else None
            if crossing is None or crossing.saved or not crossing.confidence.reaches(Confidence.LIKELY):
                continue
            for outline, function in methods:
                self._add(outline, function, crossing.confidence, crossing.trace[-1])
        sent = [
            (outline, node, hop)
            for path, line, hop in flow.sent()
            if not self._is_forked(hop)
            for outline, node in self._code_at(path, line)
        ]
        objects: dict[tuple[str, int], list[Class]] = {}  # by boundary: what functions that are sent get along
        for outline, node, hop in sent:
            if isinstance(node, ast.ClassDef):
                objects.setdefault((hop.path, hop.line), []).append(Class(outline, node))
        for outline, node, hop in sent:
            if isinstance(node, ast.ClassDef):
                for where, function in self._run_by_workers(Class(outline, node)):
                    self._add(where, function, Confidence.PROVEN, hop)
            else:
                self._add(outline, node, Confidence.PROVEN, hop, objects.get((hop.path, hop.line), ()))
        return self.known

    def _is_forked(self, hop: Hop) -> bool:
        """Whoever gets it there has what its parent has."""
        if hop not in self._forked:
            self._forked[hop] = self._has_what_its_parent_has(hop)
        return self._forked[hop]

    def _has_what_its_parent_has(self, hop: Hop) -> bool:
        outline = self.repo.outline(hop.path) if hop.path.endswith(".py") else None
        if outline is None or only_forks(outline, hop.line):
            return outline is not None
        return (
            hop.what.startswith(_OF_START_METHOD)
            and not names_spawn(self.starts.project, hop.path)
            and not _chooses_contexts(outline)
            and flow_of(self.starts.project).forks(hop.path) != ""
        )

    def _code_at(self, path: str, line: int) -> list[tuple[Outline, ast.ClassDef | Function]]:
        """What stands there: a class, a function, or lambdas, each as a function that returns its value."""
        found: list[tuple[Outline, ast.ClassDef | Function]] = [*self.repo.defined_at(path, line)]
        outline = self.repo.outline(path) if not found else None
        for node in outline.by_line.get(line, ()) if outline is not None else ():
            if isinstance(node, ast.Lambda) and outline is not None:
                found.append((outline, self._as_function(node)))
        return found

    def _as_function(self, node: ast.Lambda) -> ast.FunctionDef:
        if node not in self.lambdas:
            value = ast.copy_location(ast.Return(node.body), node.body)
            made = ast.FunctionDef(name="<lambda>", args=node.args, body=[value], decorator_list=[])
            self.lambdas[node] = ast.copy_location(made, node)
        return self.lambdas[node]

    def _run_by_workers(self, cls: Class) -> list[tuple[Outline, Function]]:
        """The methods of its objects that workers which get them run by themselves."""
        is_process = self._may_be_process(self.callees.resolver.lineage(cls))
        methods = (self.callees.method_of(cls, name) for name in (*_WORKER, *((_PROCESS,) if is_process else ())))
        return [each for each in methods if each is not None]

    def _may_be_process(self, lineage: Sequence[Class]) -> bool:
        """A base class is none of the repository, and no plain one: `class Loader(Process)`."""
        resolver = self.callees.resolver
        outside = (base for at in lineage for base in at.node.bases if not resolver.classes(at.outline, base))
        return any(last_name(base) not in _PLAIN_BASES for base in outside)

    def _add(
        self, outline: Outline, function: Function, confidence: Confidence, hop: Hop, objects: Sequence[Class] = ()
    ) -> None:
        """The function and all that it calls, as far as that is seen; `objects`: the classes of what it gets."""
        by, way = (hop.path, hop.line), (confidence, hop)
        todo: list[tuple[Outline, Function, int, tuple[Worker, int] | None]] = [(outline, function, 0, None)]
        for where, at, depth, caller in todo:  # grows as it goes
            known = self.known.get(at)
            if known is not None:
                if by in known.calls and known.depth <= depth:
                    continue
                known.depth = min(depth, known.depth)
                known.sent.setdefault(hop.path, way)
                known.calls.setdefault(by, way)
                known.objects += [each for each in objects if each not in known.objects]
            elif is_test(where.path, facts_lookup(self.starts.project)):
                continue
            elif len(self.known) >= _MAX_CALLS:
                self.is_full = True
                continue
            else:
                nodes = [node for statement in at.body for node in walk(statement)]
                known = self.known[at] = Worker(where, at, depth, {hop.path: way}, nodes, {by: way}, [*objects])
            if caller is None:
                known.callers.pop(by, None)
            elif known.depth == depth or by not in known.callers:
                known.callers[by] = caller
            for call, code in self._calls(known):
                if not code and isinstance(call.func, ast.Attribute):
                    code = self._known_methods(where, call) or [*self._methods(where, objects, call.func, depth)]
                todo += [(*found, depth + 1, (known, call.lineno)) for found in code]
            implied, line = self._implied(known, tuple(objects)), known.function.lineno
            todo += [(*found, depth + 1, (known, line)) for found in implied]

    def _implied(self, worker: Worker, objects: tuple[Class, ...]) -> list[tuple[Outline, Function]]:
        """What Python calls by itself for the code of a worker that gets `objects`."""
        key = worker.function, objects
        if key not in self._implicit:
            classes = functools.cache(functools.partial(self._classes, worker, objects))
            self._implicit[key] = [
                found for node in worker.nodes for found in implicit_calls(self.callees, worker.outline, node, classes)
            ]
        return self._implicit[key]

    def _classes(self, worker: Worker, objects: Sequence[Class], value: ast.expr) -> Sequence[Class]:
        """The classes that `value` may be an object of, in a worker that gets `objects`."""
        outline = worker.outline
        if isinstance(value, ast.Name) and not outline.is_self(value) and value.id in parameters(worker.function):
            return objects
        if isinstance(value, (ast.Name, ast.Attribute)):
            return self.starts.loaders.objects.owners(outline, value)
        return self.callees.classes_of(outline, value) if isinstance(value, ast.Call) else ()

    def _calls(self, worker: Worker) -> list[tuple[ast.Call, list[tuple[Outline, Function]]]]:
        """The calls in a worker and what they run, as far as the calls themselves say it."""
        if worker.function not in self._called:
            calls = [node for node in worker.nodes if isinstance(node, ast.Call)]
            self._called[worker.function] = [(call, self._run_by(worker.outline, call)) for call in calls]
        return self._called[worker.function]

    def _run_by(self, outline: Outline, call: ast.Call) -> list[tuple[Outline, Function]]:
        called = self.callees.called(outline, call)
        if called is None:
            made = self.callees.made_class(outline, call)
            called = self.callees.initialiser(*made) if made is not None else None
        if called is not None:
            return [called[:2]]
        func = call.func
        objects = self.callees.called_objects(outline, func) if isinstance(func, (ast.Name, ast.Call)) else ()
        return [each[:2] for each in objects]

    def _known_methods(self, outline: Outline, call: ast.Call) -> list[tuple[Outline, Function]]:
        """The methods that the call of a worker's parameter, `row.load()`, runs as the value flow knows it."""
        if not (isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)):
            return []
        places = flow_of(self.starts.project).called_in(outline.path).get((call.lineno, call.col_offset), ())
        found = [each for place in places for each in self.repo.defined_at(*place)]
        return [(where, node) for where, node in found if not isinstance(node, ast.ClassDef)]

    def _methods(
        self, outline: Outline, objects: Sequence[Class], func: ast.Attribute, depth: int
    ) -> Iterator[tuple[Outline, Function]]:
        """The methods of that name of what the object keeps, or of what a worker gets where nothing else is known.

        In what that calls, the variable of a loop or comprehension (`v.size(0) for v in rows`) is none of these.
        """
        owners: Sequence[Class] = ()
        if isinstance(func.value, ast.Attribute) and outline.is_self(func.value.value):
            owners = self.starts.loaders.objects.owners(outline, func.value)
        elif outline.is_self(func.value):
            own = outline.owner(func)
            owners = [Class(outline, own)] if own is not None else ()
        elif isinstance(func.value, ast.Name) and not (depth and _is_drawn(outline, func.value)):
            owners = objects
        for cls in owners:
            found = self.callees.method_of(cls, func.attr)
            yield from [found] if found is not None else self._kept(cls, func.attr)

    def _kept(self, cls: Class, name: str) -> Iterator[tuple[Outline, Function]]:
        """The functions that its objects keep in an attribute: `self.step = lambda x: x`, `self.step = half`."""
        for at in self.callees.resolver.lineage(cls):
            for value in self.starts.loaders.objects.attributes(at.node).get(name, ()):
                if isinstance(value, ast.Lambda):
                    yield at.outline, self._as_function(value)
                elif isinstance(value, ast.Attribute) and at.outline.is_self(value.value):
                    found = self.callees.method_of(cls, value.attr)
                    yield from [found] if found is not None else ()
                elif isinstance(value, ast.Name):
                    yield from self.callees.resolver.functions(at.outline, value)


def _is_drawn(outline: Outline, name: ast.Name) -> bool:
    """A loop or comprehension around it binds the name."""
    targets = list[ast.expr]()
    below: ast.AST = name
    for above in outline.ancestors(name):
        if isinstance(above, FUNCTIONS):
            break
        if isinstance(above, COMPREHENSIONS):
            targets += [part.target for part in above.generators]
        elif isinstance(above, (ast.For, ast.AsyncFor)) and below in above.body:
            targets.append(above.target)
        below = above
    return any(isinstance(each, ast.Name) and each.id == name.id for part in targets for each in ast.walk(part))


def begins_workers(outline: Outline, function: ast.AST) -> bool:
    """Workers begin with the function, by `worker_init_fn=seed` in the file, whether or not its loaders have any."""
    return any(_beginning_with(outline, function))


def begins_some(outline: Outline, function: ast.AST) -> frozenset[int]:
    """Where others that run the same code begin without it: the lines on which those that begin with it are sent that.

    `Pool(1)` beside `Pool(1, initializer=seed)`.
    """
    calls = list(_beginning_with(outline, function))
    if not any(_begin_without(outline, *each) for each in calls):
        return frozenset()
    return frozenset(getattr(use, "lineno", 0) for call, _ in calls for use in _held(outline, call))


def _beginning_with(outline: Outline, function: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for call in (node for calls in outline.calls.values() for node in calls):
        for keyword in call.keywords:
            if keyword.arg in _BEGINS:
                value = keyword.value
                named = outline.lookup(value, value.id)[1] if isinstance(value, ast.Name) else []
                if function in (value, *(each.value or each.statement for each in named)):
                    yield call, keyword.arg


def _begin_without(outline: Outline, call: ast.Call, word: str) -> bool:
    """Another such call of the file lacks the keyword and starts workers for code that those of `call` run, too."""
    code = _code(outline, call)
    for other in outline.calls.get(last_name(call.func), ()) if code else ():
        given = {keyword.arg: keyword.value for keyword in other.keywords}
        number = given.get("num_workers", ast.Constant(0))
        starts = word == "initializer" or not isinstance(number, ast.Constant) or number.value != 0
        if starts and not given.keys() & {word, None} and code & _code(outline, other):
            return True
    return False


def _code(outline: Outline, made: ast.Call) -> set[str]:
    """The functions and classes of the file, or that it imports by name, which the call or calls of its methods get."""
    calls = [made]
    for use in _held(outline, made):
        above = outline.parents[use]
        call = outline.parents[above] if isinstance(above, ast.Attribute) else None
        calls += [call] if isinstance(call, ast.Call) and call.func is above else []
    given = [argument for call in calls for argument in call.args]
    given += [keyword.value for call in calls for keyword in call.keywords if keyword.arg not in _BEGINS]
    values = [outline.only_value(value) or value if isinstance(value, ast.Name) else value for value in given]
    return {
        node.id
        for value in values
        for node in ast.walk(value)
        if isinstance(node, ast.Name)
        and any(isinstance(each.statement, _CODE) and not each.parameter for each in outline.lookup(node, node.id)[1])
    }


def _held(outline: Outline, made: ast.Call) -> Iterator[ast.expr]:
    """The call, and the uses of the name that it is bound to, alone or for a block."""
    yield made
    above = outline.parents[made]
    target = above.optional_vars if isinstance(above, ast.withitem) else None
    block = outline.parents[above] if target is not None else above
    if isinstance(above, ast.Assign):
        target = above.targets[0]
    for use in outline.named.get(target.id, ()) if isinstance(target, ast.Name) else ():
        if isinstance(use, ast.Name) and (block in outline.ancestors(use) or outline.only_value(use) is made):
            yield use


def _chooses_contexts(outline: Outline) -> bool:
    """The file takes a context by a method that is not written there: `get_context(METHOD)`."""
    calls = outline.calls_of("get_context")
    return any((call.args or call.keywords) and not forks_by_context(call) for call in calls)
