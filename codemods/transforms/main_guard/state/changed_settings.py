"""Settings of a module that only the main process changes, and that workers read: these have what the file says."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ....finding import Confidence, Hop
from ....flow.answers.crossings import flow_of
from ....flow.facts.records import facts_lookup
from ....flow.facts.test_code import is_test
from ....project import Project
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.main_guard import is_main_process_block
from ....syntax.modules import modules_of
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ..importers import Importers
from ..starts.process_starts import Starts
from ..starts.start_lines import sent_again
from .before_start import precedes
from .bound_by_workers import begin_with, bind_first, bound_in, without_what_is_set
from .calls_of_functions import CallsOfFunctions
from .calls_of_scripts import CallsOfScripts, has_guard
from .emptied_before import is_emptied
from .object_parts import ADDS, DRAWN, ITEM, Parts
from .own_names import OBJECTS, has_own, may_mean_other
from .registrations import Registrations
from .set_back import is_set_back
from .worker_functions import Worker, WorkerFunctions, begins_some, begins_workers

_MAX_DEPTH = 5


class Settings(NamedTuple):
    """An object that a module makes when it is imported, by its name there."""

    outline: Outline
    name: str


@dataclass(frozen=True)
class Changed:
    """`read`, in the function `worker`, of settings that `change` changes in the main process only."""

    home: Outline  # where what is read has its first value
    read: ast.expr
    worker: Worker
    confidence: Confidence
    sent: Hop
    change: Hop
    has: str = ""  # what a worker has, in words, where that is not the first value


class Place(NamedTuple):
    outline: Outline
    node: ast.AST
    key: str  # what of the settings it is about, "" for all


class Search:
    """Finds them. One per run of the rule, as what workers run is collected once."""

    def __init__(self, project: Project) -> None:
        self.repo, modules = Repo(project), project.derive(modules_of)
        self.starts, self.importers = Starts(project, self.repo, modules), Importers(project, self.repo, modules)
        self.calls = CallsOfScripts(self.repo, self.importers)
        self.callees = self.starts.callees
        self.registrations = Registrations(self.repo, self.callees)
        self._functions = WorkerFunctions(self.starts, self.repo)
        self.parts = Parts(self.callees, self._functions.known)
        self.called = CallsOfFunctions(self.callees, self.parts.same)
        self._asked: dict[ast.AST, frozenset[str] | None] = {}
        self.callers: dict[Function, list[Hop]] = {}

    @property
    def workers(self) -> dict[Function, Worker]:
        """What workers run; asked for only where that matters."""
        return self._functions.workers

    @property
    def is_full(self) -> bool:
        """There was no room for all that workers run."""
        return self._functions.is_full

    @cached_property
    def starting(self) -> frozenset[str]:
        """The files whose code starts workers."""
        return frozenset(path for worker in self.workers.values() for path in worker.sent)

    @cached_property
    def _run(self) -> frozenset[ast.AST]:
        """The functions and lambdas that workers run."""
        return frozenset((*(worker.function for worker in self.workers.values()), *self._functions.lambdas))

    @property
    def lambdas(self) -> Mapping[ast.Lambda, ast.FunctionDef]:
        """Those that workers run, each with the function that stands for it among `workers`."""
        return self._functions.lambdas

    def run_by(self, script: str) -> Iterator[tuple[Outline, Function]]:
        """What workers of the script may run: of classes that it or what it imports defines, and what is sent there."""
        for worker in self.workers.values():
            if any(path == script or self._sends(script, path) for path in worker.sent):
                yield worker.outline, worker.function

    def found(self) -> Iterator[Changed]:
        """One per object and script, at the first place that reads it."""
        reads: dict[Settings, list[tuple[Place, Worker]]] = {}
        for worker in self.workers.values():
            for settings, place in self._reads(worker):
                reads.setdefault(settings, []).append((place, worker))
        for settings, places in reads.items():
            places.sort(key=nearest)
            outlines = self._that_may_mean(settings.outline, [settings.name])
            bound = bound_in(self.callees, settings, outlines, self._run)
            if bound:
                places = [item for item in places if not self._binds_first(settings, bound, item[1])]
            for _, changed in self.changed(settings.outline, list(self._changes(settings)), places) if places else ():
                yield changed

    def _binds_first(self, settings: Settings, bound: Mapping[ast.AST, ast.AST], reader: Worker) -> bool:
        return bind_first(self.callees, settings.name, bound, self.workers.values(), reader)

    def changed(
        self, home: Outline, changes: Sequence[Place], places: Sequence[tuple[Place, Worker]]
    ) -> Iterator[tuple[Place, Changed]]:
        """The first of the places for each script that makes one of the changes to what stands in `home`.

        Each with where the change is made: one of `changes`, or a call of main that makes it.
        """
        by_workers, begun = set[Place](), set[tuple[str, int]]()
        for change in changes:
            scope = change.outline.scope(change.node)
            if scope in self._run or begins_workers(change.outline, scope):
                some = begins_some(change.outline, scope)
                begun |= {(change.outline.path, line) for line in some}
                by_workers |= set() if some else {change}
        sets = {change for change in by_workers if change.key not in (DRAWN, ITEM)}
        for change in sets:
            scope = change.outline.scope(change.node)
            setting = self.workers.get(scope) if isinstance(scope, FUNCTIONS) else None
            if setting is None or begin_with(setting) or begins_workers(change.outline, scope):
                return  # all workers set it themselves
            left = [(place, without_what_is_set(setting, change, place, reader)) for place, reader in places]
            places = [(place, reader) for place, reader in left if reader is not None]
        own = {change.node for change in by_workers if _adds(change)}
        places = [item for item in places if item[0].node not in own] if own else places
        changes = [change for change in changes if change not in by_workers and not is_set_back(self, change)]
        named = {change.outline.scope(change.node) for change in sets if change.key}  # `cfg["size"] = 3`: no results
        results = [change for change in by_workers if change.key == ITEM]
        computed = {_computed(change) for change in results if change.outline.scope(change.node) not in named}
        if computed:  # each worker keeps results for itself, and does not compute what another gives for a name
            changes = [change for change in changes if change.key not in ("", DRAWN, ITEM)]
            changes = [change for change in changes if not _computed(change) or _computed(change) not in computed]
            by_workers = {change for change in by_workers if change.key == DRAWN}
        changes += [call for change in sorted(by_workers, key=_line) for call in self._calls_by_main(change)]
        seen: set[str] = set()
        for place, worker in places:
            made = self._change(changes, place, worker, seen, begun)
            if made is not None:
                change, scripts, (confidence, sent) = made
                seen |= scripts
                assert isinstance(place.node, ast.expr)
                line = getattr(change.node, "lineno", 1)
                script = min(scripts)
                through = f" ({script} runs that)" if script != change.outline.path else ""
                what = f"`{ast.unparse(place.node)}` is changed here, in the main process only{through}"
                hop = Hop(change.outline.path, line, what)
                yield change, Changed(home, place.node, worker, confidence, sent, hop)

    @cached_property
    def boundaries(self) -> frozenset[tuple[str, int]]:
        """Where something is sent to workers."""
        hops = [hop for _, _, hop in flow_of(self.starts.project).sent()]
        hops += [hop for worker in self.workers.values() for _, hop in worker.sent.values()]
        return frozenset((hop.path, hop.line) for hop in hops)

    def _calls_by_main(self, change: Place) -> Iterator[Place]:
        """Where code that no worker runs calls the function that makes the change, which workers run as well.

        It may call another function first that workers run too.
        """
        todo, seen = [(change.outline, change.outline.scope(change.node))], set[ast.AST]()
        for outline, scope in todo:  # grows as it goes
            for caller, call in self.called.of(outline, scope) if isinstance(scope, FUNCTIONS) else ():
                around = caller.scope(call)
                if around not in self.workers:
                    yield Place(caller, call, change.key)
                elif around not in seen and len(seen) < _MAX_DEPTH:
                    seen.add(around)
                    todo.append((caller, around))

    def _change(
        self, changes: Sequence[Place], place: Place, worker: Worker, seen: set[str], begun: Container[tuple[str, int]]
    ) -> tuple[Place, set[str], tuple[Confidence, Hop]] | None:
        """The first change that matters at `place`, the scripts that make it but for those `seen`, and what is sent.

        `begun`: where something is sent to workers that set it themselves.
        """
        for change in changes:
            if (change.key == ITEM and place.key != ITEM) or _is_own_import(place, change):
                continue
            if change.key not in ("", DRAWN) and place.key not in ("", ITEM, change.key):
                continue
            scripts = self._scripts(change.outline, change.node) - seen
            for path, way in worker.sent.items():
                running = {script for script in scripts if self._sends(script, path)}
                running = {script for script in running if self.calls.imports(script, place.outline.path)}
                running = {script for script in running if self.calls.may_run(script, way[1])}
                again = sent_again(self.starts, self.repo.outline(path), way[1]) if running else []
                for sent in [each for each in again if (each.path, each.line) not in begun] or again:
                    if precedes(self, change, sent) and not is_emptied(self.callees, changes, sent):
                        return change, running, (way[0], sent)
        return None

    def _sends(self, script: str, path: str) -> bool:
        """The script runs what starts workers in the file: as that is, where it is a script too."""
        outline = self.repo.outline(path)
        return script == path if outline is not None and has_guard(outline) else self.calls.imports(script, path)

    # what they read

    def _reads(self, worker: Worker) -> Iterator[tuple[Settings, Place]]:
        for node in worker.nodes:
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                settings = self.meant(worker.outline, node)
                for key in self.parts.read(worker.outline, node, worker.function) if settings is not None else ():
                    assert settings is not None
                    yield settings, Place(worker.outline, node, key)

    def meant(self, outline: Outline, node: ast.Name | ast.Attribute) -> Settings | None:
        """The settings that a name of the module stands for, or `name` of another: `other.name`."""
        found = self.callees.resolver.bound_by(outline, node)
        if found is None:
            return None
        home, own_name, binding = found
        statement, value = binding.statement, binding.value
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or home.parents[statement] is not home.module:
            return None
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id != own_name:
            return self.meant(home, value.value)  # `note = log.note`
        return Settings(home, own_name) if isinstance(value, OBJECTS) else None

    # what changes them

    def _changes(self, settings: Settings) -> Iterator[Place]:
        """Where code in a function, or under a main guard, changes the object."""
        home = settings.outline
        aliases = {settings.name}
        made = home.bindings(home.module, settings.name)[0].value
        assert made is not None
        given = (
            [*made.args, *made.keywords]
            if isinstance(made, ast.Call)
            else getattr(made, "values", None) or getattr(made, "elts", [])
        )
        empty = not given
        for statement in home.module.body:
            value = statement.value if isinstance(statement, ast.Assign) else None
            value = value.value if isinstance(value, ast.Attribute) else value
            if isinstance(statement, ast.Assign) and isinstance(value, ast.Name) and value.id in aliases:
                aliases |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
        empty = empty and not _has_entries(home, aliases)
        for outline in self._that_may_mean(home, sorted(aliases)):
            names_there = {name for alias in aliases for name in outline.names_of(alias)}
            if outline is not home and not may_mean_other(outline, names_there):
                continue
            for node in (node for name, found in outline.named.items() if name in names_there for node in found):
                if self.meant(outline, node) == settings:
                    yield from itertools.starmap(Place, self.parts.changes(outline, node, empty, (home, made)))
                    for where, use in self.registrations.by(outline, node):
                        yield Place(where, use, "")
        for same in self.parts.same.members(home, settings.name):
            yield from itertools.starmap(Place, self.parts.changes(same.outline, same.node, empty, (home, made)))

    def _that_may_mean(self, home: Outline, aliases: Sequence[str]) -> Iterator[Outline]:
        """The files that may mean the module's object by one of the names; of most the text shows that they don't."""
        project = self.starts.project
        for path in dict.fromkeys(path for alias in aliases for path in project.with_words((alias,))):
            if path != home.path and all(has_own(project, path, alias) for alias in aliases):
                continue
            outline = self.repo.outline(path)
            if outline is not None:
                yield outline

    # who runs the change

    def by_main(self, outline: Outline, node: ast.AST) -> bool:
        """Some script's main process does it, and no import or worker."""
        return bool(self._scripts(outline, node))

    def _scripts(self, outline: Outline, node: ast.AST, depth: int = 0) -> frozenset[str]:
        """The scripts whose main process does it; none where an import does it too, or nothing is seen to."""
        found = self._runners(outline, node, depth)
        return found or frozenset()

    def _runners(self, outline: Outline, node: ast.AST, depth: int) -> frozenset[str] | None:
        """As `_scripts`; None where an import, or a worker, runs it."""
        if is_test(outline.path, facts_lookup(self.starts.project)):
            return frozenset()
        scope = outline.scope(node)
        if isinstance(scope, ast.Module):
            if any(map(is_main_process_block, outline.ancestors(node))):
                return frozenset({outline.path})
            later = self.importers.later(outline.path) if depth <= _MAX_DEPTH else ()
            runners = [self._runners(other, each, depth + 1) for other, each in later]
            known = [each for each in runners if each is not None]
            return frozenset().union(*known) if known and len(known) == len(runners) else None
        if isinstance(scope, ast.Lambda) and depth <= _MAX_DEPTH:
            return None if scope in self.lambdas else self._runners(outline, scope, depth + 1)
        if not isinstance(scope, FUNCTIONS) or depth > _MAX_DEPTH:
            return frozenset()
        if scope in self._asked:
            return self._asked[scope]
        self._asked[scope] = frozenset()  # holds while it is followed
        found: frozenset[str] | None = frozenset()
        if scope in self.workers:
            found = None
        by_import, by_others = set[str](), list[tuple[str, frozenset[str]]]()
        again = set[tuple[str, str]]()  # scripts whose own workers do it once more, which no others import
        for caller, call in self.called.of(outline, scope) if found is not None else ():
            more = self._runners(caller, call, depth + 1)
            if more is not None:
                by_others.append((_arguments(call), more))
            elif isinstance(caller.scope(call), ast.Module) and isinstance(call, ast.Call):
                if self.importers.of(caller.path) is None:
                    again.add((caller.path, _arguments(call)))
                else:
                    by_import.add(_arguments(call))
            else:
                found = None
        by_others = [(given, more - {path for path, same in again if same == given}) for given, more in by_others]
        if found is not None:  # what an import does too counts where main does it with other arguments
            others = [more for given, more in by_others if not by_import or given not in by_import]
            found = None if by_import and not any(others) else frozenset().union(*others)
        self._asked[scope] = found
        return found


def nearest(item: tuple[Place, Worker]) -> tuple[int, str, int]:
    """The order in which places are tried: few calls from what is sent, then by file and line."""
    place, worker = item
    return worker.depth, place.outline.path, getattr(place.node, "lineno", 0)


def _is_own_import(place: Place, change: Place) -> bool:
    """The change is a statement of the module that reads it, which a worker has run when it comes to that."""
    outline, node = change.outline, change.node
    guarded = any(map(is_main_process_block, outline.ancestors(node)))
    return outline is place.outline and isinstance(outline.scope(node), ast.Module) and not guarded


def _adds(change: Place) -> bool:
    """A call that gives nothing back: `rows.append(row)`."""
    above = change.outline.parents[change.node]
    call = change.outline.parents[above]
    is_statement = isinstance(call, ast.Call) and isinstance(change.outline.parents[call], ast.Expr)
    return isinstance(above, ast.Attribute) and (is_statement or above.attr in ADDS)


def _has_entries(home: Outline, names: Container[str]) -> bool:
    """The module itself sets parts of the object by their names: `cfg.SIZE = 3`."""
    statements = (each for each in home.module.body if isinstance(each, ast.Assign))
    targets = (target for each in statements for target in each.targets)
    return any(
        isinstance(target.value, ast.Name) and target.value.id in names
        for target in targets
        if isinstance(target, ast.Attribute)
        or (isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant))
    )


def _computed(change: Place) -> str:
    """The function whose result is put into the object: `load` of `table[name] = load(name)`."""
    value = getattr(change.outline.statement(change.node), "value", None)
    value = change.outline.only_value(value) if isinstance(value, ast.Name) else value
    return last_name(value.func) if isinstance(value, ast.Call) else ""


def _arguments(call: ast.expr) -> str:
    return (
        ast.unparse(ast.Call(ast.Name("_", ast.Load()), call.args, call.keywords)) if isinstance(call, ast.Call) else ""
    )


def _line(change: Place) -> tuple[str, int]:
    return change.outline.path, getattr(change.node, "lineno", 1)
