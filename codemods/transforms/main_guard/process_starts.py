"""Which code starts processes when it runs: pools, `Process.start`, iterating a DataLoader with workers.

    starts = Starts(project, repo, modules)
    starts.in_block(outline, statements)    # the first such place, also in functions that the statements call

Only what can be followed by name is followed: functions, classes and loaders of the repo.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from ...finding import Confidence, Hop
from ...flow.boundaries import table
from ...project import Project
from ...syntax.binding_rules import positional
from ...syntax.callees import FUNCTIONS, Callees, Function
from ...syntax.modules import Modules
from ...syntax.names import last_name, without_arguments
from ...syntax.origins import origin
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from .by_value import ByValue
from .data import names
from .dead_branches import dead_statements, literals_of
from .loader_values import forks, is_text
from .loaders import Given, Loaders, bound_value, makes_container, surest
from .own_nodes import own_nodes
from .trainer_settings import set_to_workers

PROCESS = "multiprocessing.Process"
EXECUTOR = "concurrent.futures.ProcessPoolExecutor"
SET_METHOD = "multiprocessing.set_start_method"

_MAX_DEPTH = 6
_DATASET, _PROCESSES = "datasets.load_dataset()", "num_proc"
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)


@dataclass(frozen=True)
class Start:
    """Processes are started by `node` of the file at hand, as the `hops` say."""

    node: ast.AST
    confidence: Confidence
    hops: tuple[Hop, ...]


_Key = tuple[int, tuple[tuple[str, Confidence], ...], frozenset[ast.AST]]  # a function, its loaders, what it leaves out


class Starts:
    """Answers for one project."""

    def __init__(self, project: Project, repo: Repo, modules: Modules) -> None:
        self.project, self.callees = project, Callees(repo, modules)
        self.table = table(project.settings.boundaries)
        self.loaders = Loaders(project, repo, self.callees, weakref.proxy(self))
        self.by_value = ByValue(repo, self.callees)
        self._known: dict[_Key, Start | None] = {}
        self._names: dict[ast.expr, str] = {}
        self._looking: set[int] = set()
        self.sends: dict[Function, tuple[Confidence, frozenset[str]] | None] = {}  # for hoist.py: by function

    # names

    def name(self, outline: Outline, node: ast.expr) -> str:
        """Canonical dotted name of what `node` is: `multiprocessing.Pool()` for a pool; "" when it can't be told."""
        known = self._names.get(node)
        if known is None:
            known = self._names[node] = self.table.canonical(origin(outline, node, _forking))
        return known

    # starts

    def in_block(
        self,
        outline: Outline,
        nodes: Iterable[ast.AST],
        given: Given | None = None,
        begins: bool = False,
        dead: Collection[ast.AST] = (),
    ) -> Start | None:
        """The surest place among `nodes` (and what is in them, definitions aside) that starts processes.

        `begins`: something is started elsewhere, so that making a process counts; `dead`: statements that do not run.
        """
        best: Start | None = None
        inside = list(own_nodes(nodes, dead))
        begins = begins or any(isinstance(node, ast.Attribute) and node.attr == "start" for node in inside)
        for node in inside:
            found = self._at(outline, node, given or {}, begins)
            if found is not None and (best is None or found.confidence.rank > best.confidence.rank):
                best = found
        return best

    def _at(self, outline: Outline, node: ast.AST, given: Given, begins: bool) -> Start | None:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            sure = None if self._several(outline, node.iter) else self.loaders.sure(outline, node.iter, given)
            return None if sure is None else _start(outline, node.iter, sure, "iterates a DataLoader with workers")
        if not isinstance(node, ast.Call):
            return None
        name = self.name(outline, node.func)
        environments = (self.name(outline, keyword.value) for keyword in node.keywords if keyword.arg == "vec_env_cls")
        if any(name in names("starters") for name in environments):
            return _start(outline, node, Confidence.PROVEN, "creates environments in processes")
        if name in names("starters") or name in names("executor_starters"):
            maker = bound_value(outline, node.func.value) if isinstance(node.func, ast.Attribute) else node
            if isinstance(maker, ast.Call) and any(k.arg == "mp_context" and forks(k.value) for k in maker.keywords):
                return None
            what = f"`{ast.unparse(node.func)[:60]}(...)` starts processes"
            return _start(outline, node, Confidence.PROVEN, what)
        if any(self.name(outline, argument) == f"{EXECUTOR}()" for argument in node.args):
            return _start(outline, node, Confidence.PROVEN, f"`{ast.unparse(node.func)[:60]}` is passed an executor")
        if name == EXECUTOR and outline.owner(node) is not None:
            return _start(outline, node, Confidence.PROVEN, f"`{ast.unparse(node.func)}(...)` is kept for its methods")
        if name == PROCESS and begins:
            return _start(outline, node, Confidence.PROVEN, "a process is created and started")
        last = last_name(node.func)
        at_once = isinstance(node.func, ast.Name) or name.startswith("itertools.")
        if at_once and last in names("iterating") and node.args:
            for argument in node.args:
                sure = None if self._several(outline, argument) else self.loaders.sure(outline, argument, given)
                if sure is not None:
                    return _start(outline, node, sure, "iterates a DataLoader with workers")
        if (sure := self._maps_in_processes(outline, node)) is not None:
            return _start(outline, node, sure, f"`{last}` with `{_PROCESSES}` starts processes")
        if name in names("runs_arguments"):
            return self._runs_argument(outline, node)
        called = self.callees.called(outline, node)
        if called is not None:
            return self._through(outline, node, given, *called)
        if others := self.callees.alternatives(outline, node):
            starts = (self._through(outline, node, given, *other, constants=False) for other in others)
            found = next((start for start in starts if start is not None), None)
            surely = len(others) == 1 or found is None or found.confidence is not Confidence.PROVEN
            return found if surely or found is None else replace(found, confidence=Confidence.LIKELY)
        made = self.callees.made_class(outline, node)
        if made is not None:
            if begins and any(self.name(made[0], without_arguments(base)) == PROCESS for base in made[1].bases):
                return _start(outline, node, Confidence.PROVEN, "a process is created and started")
            initialiser = self.callees.initialiser(*made)
            return self._through(outline, node, given, *initialiser) if initialiser else None
        if isinstance(node.func, ast.Attribute) and last in names("consuming"):
            if self._spawns(outline, node.func.value):
                return _start(outline, node, Confidence.PROVEN, f"`{last}` starts the processes of its strategy")
            trainer = bound_value(outline, node.func.value)
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            kept = [keyword.value for keyword in trainer.keywords] if isinstance(trainer, ast.Call) else []
            for argument in [*arguments, *kept]:
                sure = self.loaders.sure(outline, argument, given) if argument in arguments else None
                sure = sure or self._makes_loaders(outline, argument)
                if sure is not None:
                    return _start(outline, node, Confidence.LIKELY, f"`{last}` gets a DataLoader with workers")
        if (
            isinstance(node.func, ast.Attribute)
            and last in names("training") | names("consuming")
            and set_to_workers(self.callees, outline, node.func.value)
        ):
            return _start(outline, node, Confidence.LIKELY, f"`{last}` makes a DataLoader with workers")
        return self._looked_up(outline, node, given)

    def _looked_up(self, outline: Outline, call: ast.Call, given: Given) -> Start | None:
        """What is called is found by a name at run time: `registry.get(name)(args)`, `getattr(runners, name)()`."""
        found: list[Start] = []
        for where, node in self.by_value.called(outline, call):
            code: tuple[Outline, Function, int] | None
            if isinstance(node, ast.ClassDef):
                code = self.callees.initialiser(where, node)
            else:
                code = where, node, int(isinstance(where.parents[node], ast.ClassDef))
            start = self._through(outline, call, given, *code, constants=False) if code is not None else None
            found += [start] if start is not None else []
        best = max(found, key=lambda start: start.confidence.rank, default=None)
        return None if best is None else replace(best, confidence=Confidence.LIKELY)

    def _several(self, outline: Outline, node: ast.expr) -> bool:
        """A list or dict that the code writes: to loop over it gives loaders, and starts none."""
        if isinstance(node, ast.Name):
            values = [binding.value for binding in outline.lookup(node, node.id)[1]]
            return bool(values) and all(isinstance(value, _DISPLAYS) or makes_container(value) for value in values)
        if isinstance(node, ast.Call) and last_name(node.func) in names("iterating") | names("wrapping") and node.args:
            return all(self._several(outline, argument) for argument in node.args)
        return isinstance(node, _DISPLAYS)

    def _maps_in_processes(self, outline: Outline, call: ast.Call) -> Confidence | None:
        """`dataset["train"].map(f, num_proc=4)` of a dataset of Hugging Face."""
        number = next((keyword.value for keyword in call.keywords if keyword.arg == _PROCESSES), None)
        if number is None or not isinstance(call.func, ast.Attribute) or is_text([number], 1):
            return None
        held = call.func.value
        while isinstance(held, ast.Subscript):
            held = held.value
        found = self.name(outline, held).startswith(_DATASET) and call.func.attr in names("mapping")
        return self.loaders.number(outline, number) if found else None

    def _runs_argument(self, outline: Outline, call: ast.Call) -> Start | None:
        """A library calls the function that it is passed: `fire.Fire(main)`."""
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            functions = self.callees.resolver.functions(outline, argument)
            if len(functions) == 1 and (found := self._in_function(*functions[0], {}, frozenset())) is not None:
                hop = Hop(outline.path, call.lineno, f"`{functions[0][1].name}` is called here")
                return Start(call, found.confidence, (hop, *found.hops))
        return None

    def _spawns(self, outline: Outline, trainer: ast.expr) -> bool:
        """The trainer has a strategy that starts processes by `multiprocessing`: `Trainer(strategy="ddp_spawn")`."""
        call = bound_value(outline, trainer)
        if not isinstance(call, ast.Call):
            return False
        literals = {k.arg: k.value.value for k in call.keywords if isinstance(k.value, ast.Constant)}
        return any(
            variant.becomes.endswith("[spawn]") and literals.get(variant.parameter, False) in variant.values
            for variant in self.table.variants.get(self.name(outline, call.func), ())
        )

    def _makes_loaders(self, outline: Outline, node: ast.expr) -> Confidence | None:
        """`node` is an object with a method that gives a DataLoader with workers, as trainers ask for."""
        if (made := self.callees.class_of(outline, node)) is None:
            return None
        methods: dict[str, tuple[Outline, Function]] = {}
        for cls in self.callees.resolver.lineage(Class(*made)):
            for statement in cls.node.body:
                if isinstance(statement, FUNCTIONS) and statement.name.endswith(("_dataloader", "_data_loader")):
                    methods.setdefault(statement.name, (cls.outline, statement))
        return surest(self.loaders.returned(*each, 0) for each in methods.values())

    def _through(
        self, outline: Outline, call: ast.Call, given: Given, other: Outline, function: Function, skip: int = 0,
        constants: bool = True,
    ) -> Start | None:  # fmt: skip
        inner: dict[str, Confidence] = {}
        names = positional(function)[skip:]
        pairs = [*zip(names, call.args, strict=False), *((k.arg, k.value) for k in call.keywords if k.arg)]
        for name, value in pairs:
            sure = None if isinstance(value, ast.Starred) else self.loaders.sure(outline, value, given)
            if sure is not None:
                inner[name] = sure
            elif isinstance(value, (ast.Name, ast.Attribute, ast.Call)):
                inner |= self._attributes(outline, value, other, function, name)
        literals = literals_of(other, function, call, skip) if constants else {}
        found = self._in_function(other, function, inner, dead_statements(other, function, literals))
        if found is None:
            return None
        hop = Hop(outline.path, call.lineno, f"`{function.name}` is called here")
        return Start(call, found.confidence, (hop, *found.hops))

    def _attributes(
        self, outline: Outline, value: ast.expr, other: Outline, function: Function, parameter: str
    ) -> dict[str, Confidence]:
        """The loaders among the attributes that `function` reads of its `parameter`, which is `value`."""
        read = {
            node.attr
            for node in other.own(function)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == parameter
        }
        owners = self.loaders.objects.owners(outline, value) if read else []
        found = {name: surest(self.loaders.attribute(cls, name, 0) for cls in owners) for name in sorted(read)}
        return {f"{parameter}.{name}": sure for name, sure in found.items() if sure is not None}

    def starts_something(self, outline: Outline, function: Function) -> bool:
        """True where a function of the repository starts processes."""
        return self._in_function(outline, function, {}, frozenset()) is not None

    def _in_function(
        self, outline: Outline, function: Function, given: Given, dead: frozenset[ast.AST]
    ) -> Start | None:
        key = (id(function), tuple(sorted(given.items(), key=lambda item: item[0])), dead)
        if key not in self._known:
            if id(function) in self._looking or len(self._looking) > _MAX_DEPTH:
                return None
            self._looking.add(id(function))
            found = self.in_block(outline, function.body, given, dead=dead)
            self._looking.discard(id(function))
            self._known[key] = found
        return self._known[key]


def _start(outline: Outline, node: ast.expr, sure: Confidence, what: str) -> Start:
    return Start(node, sure, (Hop(outline.path, node.lineno, what),))


def _forking(outline: Outline, node: ast.expr, depth: int) -> str | None:
    """Nothing that comes from `get_context("fork")` starts a program anew."""
    forks = isinstance(node, ast.Call) and last_name(node.func) == "get_context" and is_text(node.args[:1], "fork")
    return "" if forks else None
