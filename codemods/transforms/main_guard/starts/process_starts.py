"""Which code starts processes when it runs: pools, `Process.start`, iterating a DataLoader with workers.

    starts = Starts(project, repo, modules)
    starts.in_block(outline, statements)    # the first such place, also in functions that the statements call

Only what can be followed by name is followed: functions, classes and loaders of the repo.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from ....finding import Confidence, Hop
from ....flow.boundaries import table
from ....project import Project
from ....syntax.binding_rules import given_to, positional
from ....syntax.callees import FUNCTIONS, Callees, Function, method
from ....syntax.dead_branches import Literals, asked, branches, literals_of
from ....syntax.main_guard import is_main_process_test
from ....syntax.modules import Modules
from ....syntax.names import last_name, without_arguments
from ....syntax.origins import origin
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ..data import names
from ..own_nodes import own_nodes
from .by_value import ByValue
from .command_lines import commands, offered
from .fork_contexts import forking
from .handed_functions import Handed, HandedFunctions, arguments, around, is_code
from .handed_trainers import trained_by
from .loader_values import bound_value, forks, is_text
from .loaders import Given, Loaders, likely, makes_container, of_all, surest
from .own_start import starts_itself
from .receivers import Receivers
from .trainer_settings import given_before, set_to_workers

PROCESS = "multiprocessing.Process"
POOL = "multiprocessing.Pool"
EXECUTOR = "concurrent.futures.ProcessPoolExecutor"
SET_METHOD = "multiprocessing.set_start_method"
SETS = SET_METHOD.rpartition(".")[2]  # in the text of a file that calls it by whatever name
_RUNS_TESTS = "unittest.main"

_MAX_DEPTH = 6
_DATASET, _PROCESSES = "datasets.load_dataset", "num_proc"
_NONE_HANDED: Mapping[str, Handed] = MappingProxyType({})
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)


@dataclass(frozen=True)
class Start:
    """Processes are started by `node` of the file at hand, as the `hops` say."""

    node: ast.AST
    confidence: Confidence
    hops: tuple[Hop, ...]
    always: bool = True  # no branch on the way there

    @property
    def rank(self) -> tuple[int, bool]:
        """Which of several starts is the one to show."""
        return self.confidence.rank, self.always


_Key = tuple[int, tuple[tuple[str, Confidence], ...], str, str, int]  # a function and what it gets, with its object


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
        self._asked: dict[int, frozenset[str]] = {}
        self._literals: Literals = {}  # of the function that is looked at
        self._handed: Mapping[str, Handed] = {}  # the same of functions
        self._receiver: Class | None = None  # the class of its object, where it is the method of a base class
        self.functions = HandedFunctions(self.callees)
        self.receivers = Receivers(self.callees, self.loaders.objects)
        self.sends: dict[Function, tuple[Confidence, frozenset[str]] | None] = {}  # for hoist.py: by function

    # names

    def name(self, outline: Outline, node: ast.expr) -> str:
        """Canonical dotted name of what `node` is: `multiprocessing.Pool()` for a pool; "" when it can't be told."""
        known = self._names.get(node)
        if known is None:
            known = self._names[node] = self.table.canonical(origin(outline, node, self._special))
        return known

    def _special(self, outline: Outline, node: ast.expr, depth: int) -> str | None:
        """Also what another file of the repository imports: `from common import *`, which has `Process`."""
        decided = forking(outline, node, depth)
        if decided is not None or node not in outline.parents:
            return decided
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in outline.imported:
            module = self.callees.resolver.module(outline, node.value)
            found = self.callees.resolver.value_of(module, node.attr) if module is not None else node.attr
            return found if isinstance(found, str) and "." in found else None
        if not isinstance(node, ast.Name):
            return None
        bindings = outline.lookup(node, node.id)[1]
        if not bindings:
            passed_on = any(self.callees.star_source(outline, star) is not None for star in outline.star_imports)
        else:
            only = bindings[0].statement if len(bindings) == 1 else None
            passed_on = isinstance(only, ast.ImportFrom) and self.callees.star_source(outline, only) is not None
        found = self.callees.resolver.value_of(outline, node.id) if passed_on else node.id
        by_star = not bindings and passed_on  # `from common import *`, which imports torch
        return found if isinstance(found, str) and (by_star or (found != node.id and "." in found)) else None

    def is_process(self, lineage: Sequence[Class]) -> bool:
        """One of these classes, a class and its bases, derives from `multiprocessing.Process`, whose `start` it has."""
        bases = ((at.outline, without_arguments(base)) for at in lineage for base in at.node.bases)
        return any(self.name(outline, base) == PROCESS for outline, base in bases) and starts_itself(lineage)

    def is_pool(self, made: Class) -> Confidence | None:
        """How sure it is that an object of the class is a pool, which starts processes when it is made."""
        lineage = self.callees.resolver.lineage(made)
        bases = [self.name(at.outline, without_arguments(base)) for at in lineage for base in at.node.bases]
        if POOL not in bases or any(forks(at.node) for at in lineage):
            return None
        own = next((found for at in lineage if (found := method(at.node, "__init__")) is not None), None)
        if own is None:
            return Confidence.PROVEN
        calls = (node for node in ast.walk(own) if isinstance(node, ast.Call))
        return Confidence.LIKELY if any(last_name(call.func) == "__init__" for call in calls) else None

    # starts

    def in_block(
        self,
        outline: Outline,
        nodes: Iterable[ast.AST],
        given: Given | None = None,
        begins: bool = False,
        dead: Collection[ast.AST] = (),
        doubtful: frozenset[ast.AST] = frozenset(),
    ) -> Start | None:
        """The surest place among `nodes` (and what is in them, definitions aside) that starts processes.

        `begins`: something is started elsewhere, so that making a process counts; `dead`: statements that do not run;
        `doubtful`: those that run only where constants do not say what they seem to.
        """
        best: Start | None = None
        inside = list(own_nodes(nodes, dead))
        begins = begins or any(isinstance(node, ast.Attribute) and node.attr == "start" for node in inside)
        for node in inside:
            found = self._at(outline, node, given or {}, begins)
            if found is not None:
                found = replace(found, always=found.always and not _in_branch(outline, node))
                if doubtful and (node in doubtful or not doubtful.isdisjoint(outline.ancestors(node))):
                    found = replace(found, confidence=Confidence.POSSIBLE)
                best = found if best is None or found.rank > best.rank else best
        return best

    def _at(self, outline: Outline, node: ast.AST, given: Given, begins: bool) -> Start | None:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension, ast.YieldFrom)):
            looped = node.value if isinstance(node, ast.YieldFrom) else node.iter
            sure = None if self._several(outline, looped) else self.loaders.sure(outline, looped, given)
            return None if sure is None else _iterates(outline, looped, sure)
        if not isinstance(node, ast.Call):
            return None
        name = self.name(outline, node.func)
        environments = (self.name(outline, keyword.value) for keyword in node.keywords if keyword.arg == "vec_env_cls")
        if any(name in names("starters") for name in environments):
            return _start(outline, node, Confidence.PROVEN, "creates environments in processes")
        in_block = name in names("backend_blocks") and _backend_of_processes(node)
        if in_block or name in names("starters") or name in names("executor_starters"):
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
        if (sure := self._parallel(outline, node.func)) is not None:
            return _start(outline, node, sure, "`Parallel` starts the processes of its backend")
        for argument in self._iterated(node, name):
            sure = None if self._several(outline, argument) else self.loaders.sure(outline, argument, given)
            if sure is not None:
                return _iterates(outline, node, sure)
        if name in names("runs_arguments"):
            return self._runs_argument(outline, node, given)
        if (run := self.functions.of(outline, node.func, given, self._handed, passed=True)) is not None:
            return self._through(outline, node, given, run.outline, run.function, outer=run.around)
        if name == _RUNS_TESTS and outline.scope(node) is outline.module:
            return self._runs_tests(outline, node)
        called = self._own_method(outline, node) or self.callees.called(outline, node)
        if (found := self._chosen(outline, node, commands(outline, node, name, called), given)) is not None:
            return found
        if called is not None:
            return self._through(outline, node, given, *called) or self._overridden(outline, node, given, called[1])
        if others := self.callees.alternatives(outline, node):
            starts = (self._through(outline, node, given, *other, constants=False) for other in others)
            found = next((start for start in starts if start is not None), None)
            if found is None:
                return self._trained(outline, node, given)
            return found if len(others) == 1 else replace(found, confidence=likely(found.confidence))
        methods, known = self.loaders.objects.methods(outline, node)
        if methods:
            several = [self._through(outline, node, given, *other, constants=False) for other in methods]
            found = next((start for start in several if start is not None), None)
            sure = of_all([None if start is None else start.confidence for start in several], known)
            return found if found is None or sure is None else replace(found, confidence=sure)
        last = last_name(node.func)
        if (sure := self._maps_in_processes(outline, node)) is not None:
            return _start(outline, node, sure, f"`{last}` with `{_PROCESSES}` starts processes")
        made = self.callees.made_class(outline, node)
        if made is not None:
            if begins and self.is_process(self.callees.resolver.lineage(Class(*made))):
                return _start(outline, node, Confidence.PROVEN, "a process is created and started")
            if (sure := self.is_pool(Class(*made))) is not None and not any(forks(k.value) for k in node.keywords):
                return _start(outline, node, sure, f"`{ast.unparse(node.func)[:60]}(...)` starts processes")
            initialiser = self.callees.initialiser(*made)
            return self._through(outline, node, given, *initialiser) if initialiser else None
        return self._trained(outline, node, given) or self._looked_up(outline, node, given)

    def _own_method(self, outline: Outline, call: ast.Call) -> tuple[Outline, Function, int] | None:
        """The method that `self.step()` calls, as a base class writes it, of the object that is known to run it."""
        func, me = call.func, self._receiver
        if me is None or not isinstance(func, ast.Attribute) or not outline.is_self(func.value):
            return None
        return next(iter(self.callees.methods_of([me], func.attr)), None)

    def _overridden(self, outline: Outline, call: ast.Call, given: Given, called: Function) -> Start | None:
        """What `self.step()` starts where classes that derive from this one have it, of an object of whatever class."""
        others = self.callees.overriding(outline, call, called) if self._receiver is None else []
        starts = [self._through(outline, call, given, *other, constants=False) for other in others]
        found = next((start for start in starts if start is not None), None)
        sure = of_all([None if start is None else start.confidence for start in starts], True)
        return found if found is None or sure is None else replace(found, confidence=likely(sure))

    def _trained(self, outline: Outline, call: ast.Call, given: Given) -> Start | None:
        """A trainer of a library goes through the loaders that it gets, got before, or makes: `trainer.fit(loader)`."""
        if not isinstance(call.func, ast.Attribute):
            sure = trained_by(outline, call.func, self.name, lambda at, each: self._brings_loaders(at, each, given))
            return None if sure is None else _start(outline, call, sure, "trains with a DataLoader that has workers")
        method, trainer = call.func.attr, call.func.value
        if method in names("consuming"):
            if self._spawns(outline, trainer):
                return _start(outline, call, Confidence.PROVEN, f"`{method}` starts the processes of its strategy")
            made = bound_value(outline, trainer)
            kept = [keyword.value for keyword in made.keywords] if isinstance(made, ast.Call) else []
            passed = [*call.args, *(keyword.value for keyword in call.keywords)]
            for argument in [*passed, *kept]:
                sure = self._brings_loaders(outline, argument, given if argument in passed else None)
                if sure is not None:
                    return _start(outline, call, likely(sure), f"`{method}` gets a DataLoader with workers")
            before = given_before(self.callees, outline, trainer)
            sure = surest(self.loaders.sure(outline, argument, given) for argument in before)
            if sure is not None:
                return _start(outline, call, likely(sure), f"`{method}` goes through a DataLoader with workers")
        if method in names("training") | names("consuming") and set_to_workers(self.callees, outline, trainer):
            return _start(outline, call, Confidence.LIKELY, f"`{method}` makes a DataLoader with workers")
        return None

    def _iterated(self, call: ast.Call, name: str) -> list[ast.expr]:
        """What a call of `name` iterates at once: `next(iter(loader))`, `loader.__iter__()`."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__iter__":
            return [] if call.args else [call.func.value]
        at_once = isinstance(call.func, ast.Name) or name.startswith("itertools.")
        return call.args if at_once and last_name(call.func) in names("iterating") else []

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
        best = max(found, key=lambda start: start.rank, default=None)
        return None if best is None else replace(best, confidence=likely(best.confidence))

    def _several(self, outline: Outline, node: ast.expr | None, named: bool = True) -> bool:
        """A list or dict that the code writes: to loop over it gives loaders, and starts none.

        `named`: a name stands for what is bound to it, once, as `rows = array(rows)` binds it to itself.
        """
        if isinstance(node, ast.Name) and named:
            values = [binding.value for binding in outline.lookup(node, node.id)[1]]
            return bool(values) and all(
                makes_container(value) or self._several(outline, value, named=False) for value in values
            )
        if isinstance(node, ast.Call) and last_name(node.func) in names("iterating") | names("wrapping") and node.args:
            return all(self._several(outline, argument, named) for argument in node.args)
        if isinstance(node, ast.Call) and (taken := self.loaders.taken_by_library(outline, node)) is not None:
            return self._several(outline, taken, named)
        return isinstance(node, _DISPLAYS)

    def _maps_in_processes(self, outline: Outline, call: ast.Call) -> Confidence | None:
        """`dataset["train"].map(f, num_proc=4)` of a dataset of Hugging Face: no other `map` has that keyword."""
        number = next((keyword.value for keyword in call.keywords if keyword.arg == _PROCESSES), None)
        if number is None:
            return None
        sure = self.loaders.number(outline, number, 2)
        if self.name(outline, call.func) == _DATASET:
            return sure and likely(sure)  # nothing is started where the cache has it
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in names("mapping"):
            return None
        held = call.func.value
        while isinstance(held, ast.Subscript):
            held = held.value
        return sure if self.name(outline, held).startswith(f"{_DATASET}()") else sure and likely(sure)

    def _parallel(self, outline: Outline, called: ast.expr) -> Confidence | None:
        """`Parallel(n_jobs=4, backend="multiprocessing")(...)` of joblib."""
        made = bound_value(outline, called)
        if not isinstance(made, ast.Call) or not _backend_of_processes(made):
            return None
        if self.name(outline, made.func) != "joblib.Parallel":
            return None
        jobs = next((keyword.value for keyword in made.keywords if keyword.arg == "n_jobs"), (*made.args, None)[0])
        return None if jobs is None else self.loaders.number(outline, jobs, 2)

    def _runs_argument(self, outline: Outline, call: ast.Call, given: Given) -> Start | None:
        """A library calls the function that it is passed: `fire.Fire(main)`."""
        if self.name(outline, call.func) in names("runs_beside") and any(map(is_code, arguments(call))):
            return _start(outline, call, Confidence.PROVEN, f"`{ast.unparse(call.func)}` starts a process beside it")
        for argument in arguments(call):
            run = self.functions.of(outline, argument, given, self._handed)
            if run is not None and (found := self._in_function(run.outline, run.function, run.around, {})) is not None:
                hop = Hop(outline.path, call.lineno, f"`{run.function.name}` is called here")
                return replace(found, node=call, hops=(hop, *found.hops))
        return self._chosen(outline, call, offered(self.callees.resolver, outline, call), given)

    def _chosen(
        self, outline: Outline, call: ast.Call, choice: Iterable[tuple[Outline, Function]], given: Given
    ) -> Start | None:
        """The command line chooses one of several functions."""
        found: list[Start] = []
        for where, function in choice:
            start = self._through(outline, call, given, where, function, constants=False)
            found += [start] if start is not None else []
        best = max(found, key=lambda start: start.rank, default=None)
        return None if best is None else replace(best, confidence=likely(best.confidence))

    def _runs_tests(self, outline: Outline, call: ast.Call) -> Start | None:
        """`unittest.main()` runs the tests of the module."""
        classes = (statement for statement in outline.module.body if isinstance(statement, ast.ClassDef))
        cases = (made for made in classes if any(last_name(base).endswith("TestCase") for base in made.bases))
        for test in (part for made in cases for part in made.body):
            runs = isinstance(test, FUNCTIONS) and test.name.startswith(("test", "setUp"))
            if runs and isinstance(test, FUNCTIONS) and (found := self._in_function(outline, test, {}, {})) is not None:
                hop = Hop(outline.path, call.lineno, f"the tests run here, as `{test.name}`")
                return replace(found, node=call, hops=(hop, *found.hops))
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

    def _brings_loaders(self, outline: Outline, node: ast.expr, given: Given | None) -> Confidence | None:
        """`node` is a DataLoader with workers, where `given` says what may hold one, or an object that makes them."""
        sure = self.loaders.sure(outline, node, given) if given is not None else None
        return sure or self._makes_loaders(outline, node)

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
        constants: bool = True, outer: Given | None = None,
    ) -> Start | None:  # fmt: skip
        inner = dict(around(outline, call, other, function, given) if outer is None else outer)
        handed: dict[str, Handed] = {}
        run = self.functions.run_by(other, function)
        for name, value in given_to(positional(function)[skip:], call).items():
            sure = None if isinstance(value, ast.Starred) else self.loaders.sure(outline, value, given)
            if sure is not None:
                inner[name] = sure
            elif name in run and (passed := self.functions.of(outline, value, given, self._handed)) is not None:
                handed[name] = passed
            elif isinstance(value, (ast.Name, ast.Attribute, ast.Call)):
                inner |= self._attributes(outline, value, other, function, name)
        literals = literals_of(other, function, call, skip, outline, self._literals) if constants else {}
        receiver = self.receivers.of(outline, call, other, function, self._receiver)
        found = self._in_function(other, function, inner, literals, handed, receiver)
        if found is None:
            return None
        hop = Hop(outline.path, call.lineno, f"`{function.name}` is called here")
        return replace(found, node=call, hops=(hop, *found.hops))

    def _attributes(
        self, outline: Outline, value: ast.expr, other: Outline, function: Function, parameter: str
    ) -> dict[str, Confidence]:
        """The loaders among the attributes that `function` reads of its `parameter`, which is `value`."""
        read = {
            node.attr
            for node in other.own(function)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == parameter
        }
        owners, known = self.loaders.objects.seen(outline, value) if read else ([], True)
        found = {name: of_all([self.loaders.attribute(cls, name, 0) for cls in owners], known) for name in sorted(read)}
        return {f"{parameter}.{name}": sure for name, sure in found.items() if sure is not None}

    def starts_something(self, outline: Outline, function: Function) -> Confidence | None:
        """How sure it is that a function of the repository starts processes."""
        found = self._in_function(outline, function, {}, {})
        return None if found is None else found.confidence

    def _in_function(
        self, outline: Outline, function: Function, given: Given, literals: Literals,
        handed: Mapping[str, Handed] = _NONE_HANDED, receiver: Class | None = None,
    ) -> Start | None:  # fmt: skip
        if literals and id(function) not in self._asked:
            self._asked[id(function)] = asked(outline, function)
        literals = {name: literals[name] for name in sorted(literals) if name in self._asked[id(function)]}
        sure = tuple(sorted(given.items(), key=lambda item: item[0]))
        key = (id(function), sure, str(literals), _key_of(handed), id(receiver.node) if receiver is not None else 0)
        if key not in self._known:
            if id(function) in self._looking or len(self._looking) > _MAX_DEPTH:
                return None
            before = self._literals, self._handed, self._receiver
            self._literals, self._handed, self._receiver = literals, handed, receiver
            self._looking.add(id(function))
            off = branches(outline, function, literals)
            found = self.in_block(outline, function.body, given, dead=off.dead, doubtful=off.doubtful)
            self._looking.discard(id(function))
            self._literals, self._handed, self._receiver = before
            self._known[key] = found
        return self._known[key]


def _key_of(handed: Mapping[str, Handed]) -> str:
    return str([(name, handed[name].key) for name in sorted(handed)]) if handed else ""


def _start(outline: Outline, node: ast.expr, sure: Confidence, what: str) -> Start:
    return Start(node, sure, (Hop(outline.path, node.lineno, what),))


def _backend_of_processes(call: ast.Call) -> bool:
    """What joblib is asked for is a `multiprocessing.Pool`; its usual backend runs no script again."""
    asked = [keyword.value for keyword in call.keywords if keyword.arg == "backend"]
    return is_text([*call.args[:2], *asked], "multiprocessing")


def _iterates(outline: Outline, node: ast.expr, sure: Confidence) -> Start:
    workers = "workers" if sure is not Confidence.POSSIBLE else "workers, where an option asks for them"
    return _start(outline, node, sure, f"iterates a DataLoader with {workers}")


def _in_branch(outline: Outline, node: ast.AST) -> bool:
    """It runs only where a condition holds, in its function or script; which process it is does not count."""
    child = node
    for above in outline.ancestors(node):
        if isinstance(above, (*FUNCTIONS, ast.Lambda)):
            return False
        if isinstance(above, (ast.If, ast.IfExp)) and child is not above.test and not is_main_process_test(above.test):
            return True
        if isinstance(above, ast.ExceptHandler) or (isinstance(above, ast.BoolOp) and child is not above.values[0]):
            return True
        child = above
    return False
