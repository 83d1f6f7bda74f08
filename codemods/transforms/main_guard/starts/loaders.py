"""Which expressions are a DataLoader with workers: through names, functions, attributes, containers."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from ....finding import Confidence
from ....flow.boundaries import table
from ....flow.facts.own_loops import may_use_torchs_loop
from ....flow.facts.records import facts_lookup
from ....project import Project
from ....syntax.binding_rules import given_to, parameters, positional
from ....syntax.callees import FUNCTIONS, Callees, Function, method
from ....syntax.file_tree import Scope
from ....syntax.names import last_name, without_arguments
from ....syntax.outline import Outline, ValueBinding
from ....syntax.receivers import qualified_name
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ..data import names
from .by_value import ByValue
from .function_tables import looked_up
from .loader_values import bound_value, forks, looped_over, number_of_workers, put_into, section_of, value_of
from .objects import Objects
from .passed_workers import PassedWorkers
from .worker_numbers import WorkerNumbers

_MAX_DEPTH = 6
_MAX_NAMES = 12
_MAX_CLASSES = 8
_MOST_STEPS = 1000  # expressions that are looked at for one: objects that keep each other have ever so many ways
_NEAR = 3  # so close to a loop the call of a library is looked through, once: further away it may be anything
_CONTAINERS = ("dict", "OrderedDict", "list", "tuple")

Given = Mapping[str, Confidence]  # parameters that hold a loader with workers


class Asker(Protocol):
    """What else is to be known of code."""

    by_value: ByValue

    def name(self, outline: Outline, node: ast.expr) -> str:
        """Canonical dotted name of an expression; "" when it can't be told."""

    def starts_something(self, outline: Outline, function: Function) -> Confidence | None:
        """How sure it is that a function starts processes."""


class Loaders:
    """Answers for one project.

    `starts` is what they belong to, and holds them: a weak reference, or the two would keep each other and the project.
    """

    def __init__(
        self,
        project: Project,
        repo: Repo,
        callees: Callees,
        starts: Asker,
    ) -> None:
        self.callees, self.table = callees, table(project.settings.boundaries)
        self.passed, self.objects = PassedWorkers(), Objects(repo, callees)
        self.numbers = WorkerNumbers(project, repo, callees)
        self._starts, self._repo = starts, repo
        self._stored: dict[ast.AST, dict[str, list[ast.expr]]] = {}
        self._left = _MOST_STEPS
        self._open: set[tuple[ast.AST, str]] = set()  # attributes, and dicts and lists by name, that are looked at
        self._none: set[tuple[ast.expr, int, frozenset[str]]] = set()  # where nothing leads to a loader of any kind
        self._unsure = 0  # how often an answer hung on what was asked before: on a number of workers, an open attribute

    def sure(self, outline: Outline, node: ast.expr, given: Given, depth: int = 0) -> Confidence | None:
        """How sure it is that `node` is (or holds) a DataLoader with workers; None when nothing says so."""
        if depth == 0 and not self._open:
            self._left = _MOST_STEPS
        self._left -= 1
        if depth > _MAX_NAMES or self._left < 0:
            return None
        key, unsure = (node, depth, frozenset(given)), self._unsure
        if key in self._none:
            return None
        sure = self._loader(outline, node, given, depth) or (self._own_iterator(outline, node) if depth < 3 else None)
        if sure is None and unsure == self._unsure and self._left >= 0:
            self._none.add(key)
        return sure

    def _own_iterator(self, outline: Outline, node: ast.expr) -> Confidence | None:
        """The same of an object of the repository whose `__iter__` iterates such a loader."""
        found: list[Confidence | None] = []
        for cls in self.callees.classes_of(outline, node)[:_MAX_CLASSES]:
            if (own := self.callees.method_of(cls, "__iter__")) is not None:
                self._unsure += 1
                sure = self._starts.starts_something(*own)
                found.append(sure and likely(sure))
        return surest(found)

    def _loader(self, outline: Outline, node: ast.expr, given: Given, depth: int) -> Confidence | None:
        if isinstance(node, ast.Call):
            if self.is_loader(outline, node.func):
                return self.workers(outline, node)
            if (whole := self._partial(outline, node)) is not None:
                return self.workers(outline, whole)
            if last_name(node.func) in names("wrapping"):
                return self._any(outline, node.args, given, depth)
            if makes_container(node):
                return self._any(outline, [*node.args, *(k.value for k in node.keywords)], given, depth)
            called = self.callees.called(outline, node)
            functions = [called] if called is not None else self.callees.alternatives(outline, node)
            methods, known = self.objects.methods(outline, node) if not functions else ([], True)
            if methods:
                return of_all([self._called(outline, node, *each, given, depth + 1) for each in methods], known)
            if not functions and isinstance(node.func, ast.Attribute) and node.func.attr in names("fluent_loaders"):
                return self.sure(outline, node.func.value, given, depth + 1)
            if not functions and depth < _NEAR and (taken := self.taken_by_library(outline, node)) is not None:
                sure = self.sure(outline, taken, given, depth + _NEAR)
                return sure and likely(sure)
            if not functions and (lambdas := _lambdas(outline, node.func)):
                return surest(
                    self._given_back(outline, node, outline, made, 0, [made.body], given, depth) for made in lambdas
                )
            if not functions:
                tables = looked_up(self.callees, outline, node.func)
                sure = surest(self.returned(*each, depth + 1) for each in tables)
                return sure or self._of_looked_up(outline, node, given, depth)
            sure = surest(self._called(outline, node, *each, given, depth + 1) for each in functions)
            if sure is not None or called is None:
                return sure
            heirs = self.callees.overriding(outline, node, called[1])
            return of_all([self._called(outline, node, *each, given, depth + 1) for each in heirs], True)
        if isinstance(node, ast.Name):
            scope, found = outline.lookup(node, node.id)
            if node.id in given and not isinstance(scope, ast.Module) and node.id in parameters(scope):
                return given[node.id]
            if isinstance(scope, ast.Module) and not any(binding.value for binding in found):
                home = self.callees.resolver.home_of(outline, node.id)
                if home is not None and home[0] is not outline:  # a loader that another module made
                    other, name = home
                    return self._named(other, other.module, name, other.bindings(other.module, name), {}, depth)
            return self._named(outline, scope, node.id, found, given, depth, node)
        if isinstance(node, ast.Subscript):
            return self.sure(outline, node.value, given, depth + 1)
        if isinstance(node, (ast.Tuple, ast.List)):
            return self._any(outline, node.elts, given, depth)
        if isinstance(node, ast.Dict):
            return self._any(outline, node.values, given, depth)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            each = node.value if isinstance(node, ast.DictComp) else node.elt
            return self.sure(outline, each, given, depth + 1)
        if isinstance(node, ast.IfExp):
            return self._any(outline, [node.body, node.orelse], given, depth)
        if isinstance(node, ast.Attribute):
            return given.get(ast.unparse(node)) or self._attribute(outline, node, depth)
        return None

    def _of_looked_up(self, outline: Outline, call: ast.Call, given: Given, depth: int) -> Confidence | None:
        """The same of a method of an object whose class is found by a name: `KINDS[name]().loader()`."""
        if not isinstance(call.func, ast.Attribute) or depth > _NEAR:
            return None
        found = self._starts.by_value.called(outline, call)
        called = [(where, node) for where, node in found if isinstance(node, FUNCTIONS)]
        sure = of_all([self._called(outline, call, *each, 1, given, depth + 1) for each in called], True)
        return sure and likely(sure)

    def _named(
        self,
        outline: Outline,
        scope: Scope,
        name: str,
        found: Sequence[ValueBinding],
        given: Given,
        depth: int,
        node: ast.expr | None = None,
    ) -> Confidence | None:
        """The same of a variable: what it is bound to but for `node` itself, and what is put into it."""
        bound = [value_of(binding.statement, binding.value) for binding in found]
        bound += [looped_over(binding.statement) for binding in found]
        values = [value for value in bound if value is not None and value is not node]
        sure = self._any(outline, values, given, depth)
        stored = self._put_into(outline, scope).get(name, ()) if found else ()
        if stored and (scope, name) in self._open:
            self._unsure += 1
            return sure
        if not stored:
            return sure
        with self._looking_at(scope, name):
            return surest((sure, self._any(outline, stored, given, depth)))

    def taken_by_library(self, outline: Outline, call: ast.Call) -> ast.expr | None:
        """What a library goes through where a loop goes through what it returns: a progress bar, by whatever name."""
        first = call.args[0] if call.args else None
        if first is None or isinstance(first, ast.Starred) or not self.callees.resolver.is_foreign(outline, call.func):
            return None
        if self.is_loader(outline, call.func):
            return None
        package = qualified_name(outline, call.func).partition(".")[0]
        return first if package not in sys.stdlib_module_names else None  # what of Python does so is in the table

    def _attribute(self, outline: Outline, node: ast.Attribute, depth: int) -> Confidence | None:
        """The same of an attribute of an object, or of one of its attributes: `self.parts.train`; of a module."""
        module = self.callees.resolver.module(outline, node.value)
        if module is not None:
            bindings = module.bindings(module.module, node.attr)
            return self._named(module, module.module, node.attr, bindings, {}, depth + 1)
        found = self._of_owner(outline, node.value, node.attr, depth)
        if found is None and isinstance(node.value, ast.Attribute):
            found = self._of_owner(outline, node.value.value, f"{node.value.attr}.{node.attr}", depth)
        return found

    def _of_owner(self, outline: Outline, owner: ast.expr, name: str, depth: int) -> Confidence | None:
        owners, known = self.objects.seen(outline, owner)
        found = of_all([self.attribute(cls, name, depth) for cls in owners], known)
        if found is None and owners and outline.is_self(owner):  # a mixin: the class that derives from it may set it
            found = surest(self.attribute(heir, name, depth) for heir in self.callees.heirs(owners[0]))
            return found and likely(found)
        return found

    def attribute(self, cls: Class, name: str, depth: int) -> Confidence | None:
        """The same of an attribute, or a property, of the objects of a class."""
        if (cls.node, name) in self._open:
            self._unsure += 1
            return None
        if not self._open and depth == 0:
            self._left = _MOST_STEPS
        with self._looking_at(cls.node, name):
            return self._of_class(cls, name, depth)

    @contextmanager
    def _looking_at(self, owner: ast.AST, name: str) -> Iterator[None]:
        """`self.rows = self.rows[...]` adds nothing, and many of them would take ever so long."""
        self._open.add((owner, name))
        try:
            yield
        finally:
            self._open.discard((owner, name))

    def _of_class(self, cls: Class, name: str, depth: int) -> Confidence | None:
        found: list[Confidence | None] = []
        for at in self.callees.resolver.lineage(cls):
            values = self.objects.attributes(at.node).get(name, [])
            found.append(self._any(at.outline, values, {}, depth))
            passed = [each for value in values for each in self.objects.given.passed(at.outline, value)]
            found += [self.sure(*each, {}, depth + 1) for each in passed]
            if (given := method(at.node, name)) is not None and given.decorator_list:
                found.append(self.returned(at.outline, given, depth + 1))
        return surest(found)

    def _put_into(self, outline: Outline, scope: Scope) -> dict[str, list[ast.expr]]:
        """What the code of `scope` stores in the dict or list of each name."""
        if scope not in self._stored:
            self._stored[scope] = put_into(outline.own(scope))
        return self._stored[scope]

    def _any(self, outline: Outline, nodes: Iterable[ast.expr], given: Given, depth: int) -> Confidence | None:
        return surest(self.sure(outline, node, given, depth + 1) for node in nodes)

    def returned(self, outline: Outline, function: Function, depth: int) -> Confidence | None:
        return self._any(outline, _returns(outline, function), {}, depth)

    def _called(
        self, outline: Outline, call: ast.Call, other: Outline, function: Function, skip: int, given: Given, depth: int
    ) -> Confidence | None:
        with self.passed.inside(outline, call, function, skip):
            values = _returns(other, function)
            return self._given_back(outline, call, other, function, skip, values, given, depth)

    def _given_back(
        self, outline: Outline, call: ast.Call, other: Outline, function: Function | ast.Lambda, skip: int,
        values: list[ast.expr], given: Given, depth: int,
    ) -> Confidence | None:  # fmt: skip
        """The same of a call of `function`, which returns `values`: a loader of its own, or one that it is passed."""
        if (sure := self._any(other, values, {}, depth)) is not None:
            return sure
        read = {node.id for value in values for node in ast.walk(value) if isinstance(node, ast.Name)}
        passed = given_to(positional(function)[skip:], call)
        kept = [name for name in passed if name in read and len(other.bindings(function, name)) == 1]
        loaders = {name: self.sure(outline, passed[name], given, depth + 1) for name in kept}
        inner = {name: sure for name, sure in loaders.items() if sure is not None}
        return self._any(other, values, inner, depth) if inner else None

    def is_loader(self, outline: Outline, node: ast.expr, depth: int = 0) -> bool:
        """A loader class with workers: of an installed library, or derived from one in the repository."""
        boundary = self.table.boundary(self._starts.name(outline, node))
        if boundary is not None:
            return boundary.when.get("num_workers") == "nonzero" or boundary.callable in names("loader_functions")
        if depth > _MAX_DEPTH or not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        made = self.callees.class_of(outline, node)
        if made is None or not any(
            self.is_loader(made[0], without_arguments(base), depth + 1) for base in made[1].bases
        ):
            return False
        return not self._goes_over_itself(Class(*made))

    def _goes_over_itself(self, cls: Class) -> bool:
        """What its `__iter__` starts is what it starts, whatever number of workers its base class is told."""
        if self.callees.method_of(cls, "__iter__") is None:
            return False
        lineage = self.callees.resolver.lineage(cls)
        facts_of = facts_lookup(self._repo.project)
        found = map(facts_of, {each.outline.path for each in lineage})
        return not any(facts is None or may_use_torchs_loop(facts) for facts in found)

    def _partial(self, outline: Outline, call: ast.Call) -> ast.Call | None:
        """The call of `partial(DataLoader, num_workers=2)` with the arguments of both, the later ones first."""
        made = outline.only_value(call.func) if isinstance(call.func, ast.Name) else None
        if not isinstance(made, ast.Call) or not made.args or last_name(made.func) != "partial":
            return None
        if not self.is_loader(outline, made.args[0]):
            return None
        return ast.Call(made.args[0], [*made.args[1:], *call.args], [*call.keywords, *made.keywords])

    def _own_workers(self, outline: Outline, call: ast.Call) -> Confidence | None:
        """What the class of the repository passes to `super().__init__`, where the call says nothing."""
        made = self.callees.made_class(outline, call)
        if made is None or (initialiser := method(made[1], "__init__")) is None:
            return None
        for node in ast.walk(initialiser):
            passes = isinstance(node, ast.Call) and any(keyword.arg == "num_workers" for keyword in node.keywords)
            if isinstance(node, ast.Call) and passes and ast.unparse(node.func).endswith("__init__"):
                return self.workers(made[0], node)
        return None

    def workers(self, outline: Outline, call: ast.Call) -> Confidence | None:
        """How sure it is that this DataLoader has workers that are spawned."""
        self._unsure += 1
        if any(keyword.arg == "multiprocessing_context" and forks(keyword.value) for keyword in call.keywords):
            return None
        if (passed := self.passed.number(outline, call)) is not None:
            return self.number(*passed)
        value = number_of_workers(outline, call)
        name = self._starts.name(outline, call.func) if value is None else ""
        if value is None and len(call.args) > 5 and self.table.boundary(name) is not None:
            value = call.args[5]
        if value is None and (own := self._own_workers(outline, call)) is not None:
            return own
        if value is None and name in names("loader_functions"):
            return Confidence.LIKELY
        if value is None:
            stars = [bound_value(outline, k.value) for k in call.keywords if k.arg is None]
            parts = [part for part in map(section_of, stars) if part is not None]
            told = any(re.search(r"num_workers\W+[1-9]", ast.unparse(star)) for star in stars)
            return Confidence.LIKELY if told or any(map(self.numbers.settings.starts_workers, parts)) else None
        return self.number(outline, value)

    def number(self, outline: Outline, value: ast.expr, least: int = 1, depth: int = 0) -> Confidence | None:
        """How sure it is that a number of workers is at least `least`, from which on there are processes."""
        value = bound_value(outline, value)
        if isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant):
            return Confidence.PROVEN  # -1: as many as there are cores
        if isinstance(value, ast.Constant):
            several = not isinstance(value.value, int) or value.value >= least
            return Confidence.PROVEN if value.value and several else None
        if depth < _MAX_DEPTH and (passed := self.objects.given.passed(outline, value)):
            sure = surest(self.number(*each, least, depth + 1) for each in passed)
            return sure and likely(sure)
        kept = self._kept_number(outline, value, least, depth) if depth < _MAX_DEPTH else None
        return kept or self.numbers.sure(outline, value, least)

    def _kept_number(self, outline: Outline, value: ast.expr, least: int, depth: int) -> Confidence | None:
        """The same of `self.num_workers`, which the constructor keeps, or of `self.hparams.num_workers`."""
        holder = value.value if isinstance(value, ast.Attribute) else None
        saved = isinstance(holder, ast.Attribute) and holder.attr == "hparams"
        me = holder.value if isinstance(holder, ast.Attribute) and saved else holder
        owner = outline.owner(value) if me is not None and outline.is_self(me) else None
        if owner is None or not isinstance(value, ast.Attribute):
            return None
        found: list[Confidence | None] = []
        given = self.objects.given
        for cls in self.callees.resolver.lineage(Class(outline, owner)):
            if saved:
                said = [(value.attr, given.saved(cls.outline, cls.node, value.attr))]
            else:
                kept = self.objects.attributes(cls.node).get(value.attr, [])
                said = [(last_name(each), given.kept(cls.outline, each)) for each in kept]
            for name, calls in said:
                for where, passed in calls:
                    if isinstance(passed, ast.Starred):
                        found.append(Confidence.LIKELY if self.numbers.settings.nonzero(name) else None)
                    else:
                        found.append(self.number(where, passed, least, depth + 1))
        sure = surest(found)
        return sure and likely(sure)


def _returns(outline: Outline, function: Function) -> list[ast.expr]:
    return [node.value for node in outline.own(function) if isinstance(node, ast.Return) and node.value]


def _lambdas(outline: Outline, func: ast.expr) -> list[ast.Lambda]:
    """What a name is bound to."""
    bound = outline.lookup(func, func.id)[1] if isinstance(func, ast.Name) else []
    return [binding.value for binding in bound if isinstance(binding.value, ast.Lambda)]


def likely(sure: Confidence) -> Confidence:
    """The same, but not proven."""
    return min(sure, Confidence.LIKELY, key=lambda each: each.rank)


def surest(found: Iterable[Confidence | None]) -> Confidence | None:
    return max((sure for sure in found if sure is not None), key=lambda sure: sure.rank, default=None)


def of_all(found: Sequence[Confidence | None], known: bool) -> Confidence | None:
    """What objects tell of which a program may have one only; `known`: there are no others."""
    sure = surest(found)
    if sure is None or not known or None in found:
        return sure and Confidence.POSSIBLE
    return likely(sure) if len(found) > 1 else sure


def makes_container(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CONTAINERS
