"""Which expressions make something that can't be pickled: the table of unpicklable.toml, and how it is recognised."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ..nodes import walk, yields
from .binding_rules import FUNCTIONS, takes_self
from .callees import Callees
from .container_changes import Changes
from .contents import Contents, Inner, is_empty, values_of_class
from .dead_branches import branches, literals_of
from .names import last_name
from .origins import origin
from .outline import Outline
from .repo import Repo
from .unpicklable_table import (
    ASYNC_GENERATOR,
    COROUTINE,
    GENERATOR,
    MODULE,
    ObjectKind,
    Remedy,
    calling_later,
    canonical,
    kind_of_class,
    kinds,
    makers,
    method_of,
    modules,
    wrong_context,
)

Stores = Callable[[Outline, ast.Attribute], "list[tuple[Outline, ast.expr]]"]  # the values that `self.x` gets
# the objects that `iter(x)` walks over have a generator for that, or `x.parameters()` is asked of a module of torch
Iterates = Callable[[Outline, ast.Call], bool]
Bases = Callable[[Outline, ast.expr], "list[str]"]  # foreign base classes of the class that an expression names
# methods of a module of torch that are generator functions
MODULE_GENERATORS = frozenset(
    f"{prefix}{name}" for prefix in ("", "named_") for name in ("parameters", "buffers", "modules", "children")
)
_LAZY = ("zip", "map", "filter", "enumerate", "iter", "reversed")  # keep what they walk over
_CALLS_LATER = ("map", "filter")  # keep the function too, and call it as they are walked over
_BINDING = ("staticmethod", "classmethod")
_WALKS = ("iter", "enumerate", "cycle")
_ENTERS = ("enter_context", "enter_async_context")
_OPEN_THERE = "keep its path, and open it in the process that reads it: the stack closes it in this one"
_WALK_THERE = "keep the path, and open it where the lines are read, for instance in `__iter__`"
_AT_ONCE = (
    "it is filled before it is stored: write what it holds as one expression, `[... for ...]`, where it is stored"
)
_APART = "it is set together with other things; assign it in a statement of its own"
_LOOK_UP = "it is taken from a container of modules: keep the key, and look the module up where it is used"
_ONCE = (
    "{} has it, too, and two copies would no longer be one object: keep it in one of them, and take it from "
    "there where it is used"
)
_OF_CLASS = "the class has it, where nothing is pickled: use that, and do not store it on the object"
_METHODS = frozenset(
    {"write", "writelines", "read", "readline", "readlines", "seek", "acquire", "release", "submit", "put", "get",
     "execute", "set", "is_set"}
)  # fmt: skip
_DEPTH = 6
_FAR = 2  # assignments between a literal and its use
_BUILTIN = ("open", "memoryview")  # the builtins of the table
_PATH = "pathlib.Path()"  # what it makes, and gives again
_GIVE_PATHS = frozenset({"joinpath", "resolve", "absolute", "expanduser", "with_name", "with_suffix"})
_COPIES = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted"})  # hold what is in their argument
_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_CLASSES: dict[type, str] = {
    ast.List: "list", ast.ListComp: "list", ast.Tuple: "tuple", ast.Set: "set", ast.SetComp: "set", ast.Dict: "dict",
    ast.DictComp: "dict",
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """`node` makes something of `kind`. `nested`: inside a container; `choice`: only one of several alternatives.

    `within`: the class of the outermost container, "" where it isn't known. `of`: what was called for it, dotted, or
    else (`derived`) the classes that the class of the repository derives from which was called; () where that isn't
    known, and for what nothing of the table makes: a generator, a method.
    """

    kind: ObjectKind
    outline: Outline
    node: ast.expr
    nested: bool = False
    choice: bool = False
    given: str = ""  # where it is passed to the class
    within: str = ""
    of: tuple[str, ...] = ()
    derived: bool = False
    unsure: bool = False  # it comes from a container or class in which something else may be by then


class Recogniser:
    """Answers what an expression makes; one per run."""

    def __init__(
        self,
        repo: Repo,
        stores: Stores,
        bases: Bases = lambda outline, node: [],
        iterates: Iterates = lambda outline, node: False,
    ) -> None:
        self.repo = repo
        self.stores, self.bases, self.iterates = stores, bases, iterates
        self._known: dict[
            tuple[Outline, ast.expr, int], list[Made]
        ] = {}  # many paths lead through a recursive function
        self._results: dict[ast.FunctionDef | ast.AsyncFunctionDef, tuple[bool, list[ast.expr]]] = {}

    @cached_property
    def makers(self) -> frozenset[str]:
        """Names of functions at module level that may give back something of the table, by a look at the text."""
        return makers(self.repo.project)

    def made(self, outline: Outline, node: ast.expr) -> list[Made]:
        """Everything unpicklable that the value of `node` is or holds."""
        return list(self._made(outline, node, 0))

    def _made(self, outline: Outline, node: ast.expr, depth: int) -> list[Made]:
        if depth > _DEPTH:
            return []
        known = self._known.get((outline, node, depth))
        if known is None:
            known = self._known[outline, node, depth] = list(dict.fromkeys(self._found(outline, node, depth)))
        return known

    def _found(self, outline: Outline, node: ast.expr, depth: int) -> Iterator[Made]:
        if isinstance(node, ast.GeneratorExp):
            yield Made(GENERATOR, outline, node)
        elif isinstance(node, ast.IfExp):
            for branch in (node.body, node.orelse):
                yield from (replace(item, choice=True) for item in self._made(outline, branch, depth + 1))
        elif isinstance(node, ast.BoolOp):
            for branch in node.values:
                yield from (replace(item, choice=True) for item in self._made(outline, branch, depth + 1))
        elif isinstance(node, ast.NamedExpr):
            yield from self._made(outline, node.value, depth)
        elif isinstance(node, (*_CONTAINERS, ast.BinOp)):
            within = class_of_container(node)
            for part in _parts(node):
                yield from (replace(item, nested=True, within=within) for item in self._made(outline, part, depth + 1))
        elif isinstance(node, ast.Name):
            kind = kinds().get(canonical(outline.imported.get(node.id, "")))
            if self._is_module(outline, node) or self._is_part_of_a_package(outline, node):
                yield Made(MODULE, outline, node)
            elif kind is not None and kind.plain and self._is_imported(outline, node):
                yield Made(kind, outline, node, of=(outline.imported[node.id],))
            elif not outline.is_self(node):
                passed = any(item.parameter for item in outline.lookup(node, node.id)[1])
                values = _values(outline, node)
                for value in values:
                    found = self._made(outline, value, depth + 1)
                    if len(values) > 1:  # one of them may make the other a tuple
                        found = [replace(match, within="") for match in found]
                    yield from (replace(match, choice=True) for match in found) if passed else found
                yield from self._given_by_loops(outline, node)
                for statement in [each.statement for each in outline.lookup(node, node.id)[1] if each.value is None]:
                    if isinstance(statement, ast.Assign) and not passed:
                        yield from self._unpacked(outline, node, statement, depth + 1)
                if not passed:
                    yield from self._put_in(outline, node, values, depth)
        elif isinstance(node, (ast.Call, ast.Subscript, ast.Attribute)):
            yield from self._of_chain(outline, node, depth)

    def _of_chain(self, outline: Outline, node: ast.Call | ast.Subscript | ast.Attribute, depth: int) -> Iterator[Made]:
        """What a call, an attribute or an element of something is."""
        full = self.origin(outline, node)
        kind = kinds().get(canonical(full))
        if full in modules() and isinstance(node, ast.Attribute) and not outline.is_self(node.value):
            yield Made(MODULE, outline, node)
        elif kind is not None:
            if kind.inherited and self.context(outline, node) == "fork":
                kind = wrong_context(kind)
            if not kind.suffix or (isinstance(node, ast.Call) and _is_archive(outline, node, kind.suffix)):
                yield Made(kind, outline, node, of=(full.removesuffix("()"),))
        elif isinstance(node, ast.Attribute) and node.attr in _METHODS and not outline.is_self(node.value):
            for item in self._made(outline, node.value, depth + 1):
                yield Made(method_of(item.kind), outline, node)  # `self.write = sys.stdout.write`
        elif isinstance(node, ast.Attribute):
            yield from self._kept_by_classes(outline, node, depth)
        elif isinstance(node, ast.Subscript):
            yield from self._taken_out(outline, node.value, node.slice, depth)
        elif isinstance(node, ast.Call):
            yield from self._returned(outline, node, depth)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
                yield from self._taken_out(outline, node.func.value, node.args[0], depth)
            if isinstance(node.func, ast.Attribute) and node.func.attr in _ENTERS:
                for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                    yield from map(_left_by_a_stack, self._opened(outline, given, depth))
            yield from self._kept_by_iterators(outline, node, depth)
            yield from self._kept_by_containers(outline, node, depth)
            if (derived := kind_of_class(bases := self.bases(outline, node.func))) is not None:
                yield Made(derived, outline, node, of=tuple(bases), derived=True)

    def _kept_by_iterators(self, outline: Outline, node: ast.Call, depth: int) -> Iterator[Made]:
        """What `zip` or `enumerate` walks over later, or `map` itself where pickle can't find its function."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _LAZY or outline.lookup(node, name)[1]:
            return
        values = (created for argument in node.args for created in self._made(outline, argument, depth + 1))
        walked = [_walked(created) for created in values if _is_walked(created.kind)]
        function = _local_function(outline, node)
        if function and all(each.kind.remedy is Remedy.EXHAUST for each in walked):
            yield Made(calling_later(name, function), outline, node)
        else:
            yield from walked

    def _kept_by_containers(self, outline: Outline, node: ast.Call, depth: int) -> Iterator[Made]:
        """What is in `tuple(locks)`, and in `tuple(threading.Lock() for _ in range(4))`."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _COPIES or len(node.args) != 1 or node.keywords or outline.lookup(node, name)[1]:
            return
        (given,) = node.args
        if isinstance(given, ast.GeneratorExp):
            found = [replace(made, nested=True) for made in self._made(outline, given.elt, depth + 1)]
        else:  # not what `zip` walks over, and no values of a dict whose keys are taken
            made = (each for each in self._made(outline, given, depth + 1) if each.nested and not _is_walked(each.kind))
            found = [each for each in made if name == "dict" or each.within != "dict"]
            inner = self.contents.of(outline, given)
            if not found and isinstance(given, (ast.Attribute, ast.Call)) and (name == "dict" or not inner.by_key):
                entries = (self._made(where, value, depth + 1) for where, _, value in inner.entries)
                found = [replace(_of_two(each, given), nested=True) for several in entries for each in several]
                found = self._doubted(found, inner)
        yield from (replace(each, within="") for each in found)

    @cached_property
    def contents(self) -> Contents:
        """What is in containers that are written out."""
        return Contents(self.stores)

    @cached_property
    def changes(self) -> Changes:
        """Whether these may have something else in them."""
        return Changes(self.repo)

    def _put_in(self, outline: Outline, node: ast.Name, values: list[ast.expr], depth: int) -> Iterator[Made]:
        """What is in a list or dict that begins empty, and that the same function fills: `locks.append(Lock())`."""
        if not values or not all(map(is_empty, values)):
            return
        puts = self.contents.filled(outline, node)
        found = [(put, made) for put in puts for made in self._made(outline, put.value, depth + 1)]
        if not found:
            return
        kept = {id(put) for put, _ in found}
        others = [put.key for put in puts if id(put) not in kept]
        changed = self.changes.of(outline, node)
        for value in values:
            for put, made in found:
                hidden = put.key is not None and (put.key in others or None in others)  # by another of the same key
                unsure = made.unsure or changed or hidden
                yield replace(_reported(made, _AT_ONCE), nested=True, within=class_of_container(value), unsure=unsure)

    def _taken_out(self, outline: Outline, holder: ast.expr, key: ast.expr, depth: int) -> Iterator[Made]:
        """`BACKENDS[name]`, `self.locks[0]`: where all that it may be can't be pickled."""
        if isinstance(key, (ast.Slice, ast.Tuple)) or depth >= _DEPTH:
            return
        inner = self.contents.of(outline, holder)
        found = [self._made(where, value, depth + 1) for where, value in inner.at(key)]
        if found and all(found):
            yield from self._doubted([_of_two(made, holder) for several in found for made in several], inner)

    def _doubted(self, found: list[Made], inner: Inner) -> list[Made]:
        """The same, of a container in which something else may be by then where it is changed."""
        unsure = bool(found) and any(self.changes.of(*each) for each in inner.through)
        return [replace(made, unsure=made.unsure or unsure) for made in found]

    def unpacked(self, outline: Outline, target: ast.Attribute, statement: ast.stmt) -> list[Made]:
        """What `self.a` is after `self.a, self.b = locks`, where all that it may be can't be pickled."""
        return list(self._unpacked(outline, target, statement, 0)) if isinstance(statement, ast.Assign) else []

    def _unpacked(
        self, outline: Outline, target: ast.Attribute | ast.Name, statement: ast.Assign, depth: int
    ) -> Iterator[Made]:
        places = [place for place in statement.targets if isinstance(place, (ast.Tuple, ast.List))]
        if len(places) != 1 or depth >= _DEPTH or any(isinstance(each, ast.Starred) for each in places[0].elts):
            return
        text, parts = ast.unparse(target), places[0].elts
        at = next((at for at, part in enumerate(parts) if ast.unparse(part) == text), None)
        if at is None:
            return
        sources = [(outline, statement.value)]
        if isinstance(statement.value, ast.Call) and len(functions := self.functions(outline, statement.value)) == 1:
            is_generator, results = self._results_of(*functions[0])
            sources = [(functions[0][0], result) for result in results if not is_generator]
        found: list[list[Made]] = []
        for where, value in sources:
            if isinstance(value, ast.GeneratorExp):
                found.append(self._made(where, value.elt, depth + 1))
                continue
            inner = self.contents.of(where, value)
            entries = inner.at(ast.Constant(at)) if not inner.by_key else []
            found += [self._doubted(self._made(*entry, depth + 1), inner) for entry in entries] or [[]]
        if all(found):
            yield from (_reported(made, _APART) for several in found for made in several)

    def _kept_by_classes(self, outline: Outline, node: ast.Attribute, depth: int) -> Iterator[Made]:
        """`self.lock` and `Job.lock`, which the body of the class sets and no method."""
        values = values_of_class(outline, node)
        for where, value in values if len(values) == 1 else ():
            for made in self._made(where, value, depth + 1):
                unsure = made.unsure or self.changes.of_class(node.attr)
                yield replace(_reported(made, _OF_CLASS), unsure=unsure)

    def _given_by_loops(self, outline: Outline, node: ast.Name) -> Iterator[Made]:
        """What the loops give whose variable the name is: `for found in re.finditer(pattern, text)`."""
        for walked in _walked_by(outline, node):
            kind = kinds().get(f"{canonical(self.origin(outline, walked))}.__next__()")
            if kind is not None:
                yield Made(kind, outline, node)

    def _opened(self, outline: Outline, node: ast.expr, depth: int) -> list[Made]:
        """The files that the value of `node` is: `with` gives these themselves."""
        return [made for made in self._made(outline, node, depth + 1) if made.kind.remedy is Remedy.REOPEN]

    def context(self, outline: Outline, node: ast.expr) -> str:
        """The start method of the context that the value comes from (`get_context("fork")`); "" where unknown."""
        for _ in range(_DEPTH):
            if isinstance(node, ast.Call):
                if last_name(node.func) == "get_context":
                    named = [*node.args, *(keyword.value for keyword in node.keywords)]
                    return next((str(item.value) for item in named if isinstance(item, ast.Constant)), "")
                node = node.func
            elif isinstance(node, ast.Attribute) and outline.is_self(node.value):
                values = self.stores(outline, node)
                if len(values) != 1:
                    return ""
                outline, node = values[0]
            elif isinstance(node, ast.Attribute):
                node = node.value
            elif isinstance(node, ast.Name):
                _, bindings = outline.lookup(node, node.id)
                if len(bindings) != 1 or bindings[0].value is None:
                    return ""
                node = bindings[0].value
            else:
                return ""
        return ""

    def _returned(self, outline: Outline, node: ast.Call, depth: int) -> Iterator[Made]:
        """What a function of the repository (or a method on `self`) gives back."""
        functions = self.functions(outline, node)
        walks = _may_walk(node.func) and self.iterates(outline, node)
        if not functions and (walks or self._gives_generator(outline, node)):
            yield Made(GENERATOR, outline, node)
        if len(functions) != 1:
            return
        where, function = functions[0]
        is_generator, results = self._results_of(where, function)
        is_async = isinstance(function, ast.AsyncFunctionDef)
        if is_generator or is_async:
            if all(isinstance(mark, ast.Name) and mark.id in _BINDING for mark in function.decorator_list):
                kind = GENERATOR if not is_async else ASYNC_GENERATOR if is_generator else COROUTINE
                yield Made(kind, outline, node)
            return
        for result in results:
            for found in self._made(where, result, depth + 1) and self._live(outline, node, where, result, depth):
                if found.kind is not MODULE:
                    yield replace(found, outline=outline, node=node)

    def _gives_generator(self, outline: Outline, call: ast.Call) -> bool:
        """It calls a method of another object, and whatever class of the repository that is of, the method yields."""
        func = call.func
        if not isinstance(func, ast.Attribute) or outline.is_self(func.value):
            return False
        if not any(yields(function.body) for _, function in self.repo.methods(func.attr)):
            return False
        kept = isinstance(func.value, ast.Attribute) and outline.is_self(func.value.value)
        values = self.stores(outline, func.value) if isinstance(func.value, ast.Attribute) and kept else []
        receivers = values or [(outline, func.value)]
        callees = Callees(self.repo, self.repo.resolver.modules)
        classes = [cls for where, value in receivers for cls in callees.classes_of(where, value)]
        found = [callees.method_of(cls, func.attr) for cls in classes]
        return bool(found) and all(
            each is not None and yields(each[1].body) and not each[1].decorator_list for each in found
        )

    def _live(self, outline: Outline, call: ast.Call, where: Outline, result: ast.expr, depth: int) -> list[Made]:
        """What `result` makes that the function of `call` returns: nothing on a branch that the call does not take."""
        function = where.scope(result)
        assert isinstance(function, FUNCTIONS)
        bound = isinstance(call.func, ast.Attribute) and outline.is_self(call.func.value) and takes_self(function)
        dead = branches(where, function, literals_of(where, function, call, int(bound), outline)).dead
        if not dead.isdisjoint(where.ancestors(result)):
            return []
        if isinstance(result, ast.IfExp) and not dead.isdisjoint((result.body, result.orelse)):
            result = result.orelse if result.body in dead else result.body
        return self._made(where, result, depth + 1)

    def _results_of(
        self, where: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> tuple[bool, list[ast.expr]]:
        """True for a generator; and what the function returns."""
        known = self._results.get(function)
        if known is None:
            own = where.own(function)
            values = [item.value for item in own if isinstance(item, ast.Return) and item.value is not None]
            known = self._results[function] = (yields(function.body), values)
        return known

    def functions(
        self, outline: Outline, node: ast.Call
    ) -> list[tuple[Outline, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The functions of the repository that the call may mean: plain names and methods on `self`."""
        found: list[tuple[Outline, ast.FunctionDef | ast.AsyncFunctionDef]] = []
        if isinstance(node.func, ast.Name):
            _, bindings = outline.lookup(node.func, node.func.id)
            for binding in bindings:
                if isinstance(binding.statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and not binding.parameter:
                    found.append((outline, binding.statement))
                elif isinstance(binding.statement, ast.ImportFrom) and outline.home_name(node.func) in self.makers:
                    found += self.repo.resolver.functions(outline, node.func)
        elif isinstance(node.func, ast.Attribute) and not outline.is_self(node.func.value):
            if node.func.attr in self.makers and self.repo.resolver.module(outline, node.func.value) is not None:
                found += self.repo.resolver.functions(outline, node.func)
        elif isinstance(node.func, ast.Attribute):
            owner = outline.owner(node)
            for item in owner.body if owner is not None else ():
                if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name == node.func.attr:
                    found.append((outline, item))
        return found

    def origin(self, outline: Outline, node: ast.expr) -> str:
        """What a value comes from, dotted: "h5py.File()", "lmdb.open().begin()", "h5py.File()[]"; "" when unknown."""
        return origin(outline, node, self._special)

    def _special(self, outline: Outline, node: ast.expr, depth: int) -> str | None:
        """Attributes of `self`, parts of files and alternatives; None for what needs no more than `origin` knows."""
        if isinstance(node, ast.Attribute) and outline.is_self(node.value):
            values = self.stores(outline, node)
            if depth:  # what is called or asked of it must be of one kind
                values = values or values_of_class(outline, node)
                names = {origin(where, value, self._special, depth + 1) for where, value in values} - {""}
                return names.pop() if len(names) == 1 else ""
        elif isinstance(node, ast.IfExp):
            values = [(outline, node.body), (outline, node.orelse)]
        elif isinstance(node, ast.BoolOp):
            values = [(outline, value) for value in node.values]
        elif isinstance(node, ast.Subscript):
            return self._part(outline, node.value, node.slice, depth)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            return (self._part(outline, node.func.value, node.args[0], depth) if len(node.args) == 1 else "") or None
        elif isinstance(node, ast.Call) and last_name(node.func) in _WALKS and node.args:
            walked = canonical(origin(outline, node.args[0], self._special, depth + 1))
            return f"{walked}.__iter__()" if f"{walked}.__iter__()" in kinds() else None
        elif (base := _path_beside(node)) is not None:
            return _PATH if canonical(origin(outline, base, self._special, depth + 1)) == _PATH else None
        elif isinstance(node, ast.Name):
            _, bindings = outline.lookup(node, node.id)
            if not bindings:
                return self.repo.resolver.imported_by_star(outline, node.id) or (node.id if node.id in _BUILTIN else "")
            return "" if any(binding.parameter for binding in bindings) else None
        else:
            return None
        found = (origin(where, value, self._special, depth + 1) for where, value in values)
        return next(filter(None, found), "")

    def _part(self, outline: Outline, node: ast.expr, key: ast.expr, depth: int) -> str:
        """What `node[key]` is, or `node.get(key)`."""
        found = origin(outline, node, self._special, depth + 1)
        kind = kinds().get(canonical(found)) if found else None
        if kind is not None and kind.sliced and isinstance(key, ast.Slice):
            return found
        if kind is None or not kind.parts:
            return ""
        # a file has names only, a part of it may be indexed by number too; a database again has names only
        whole = not found.endswith("[]") or f"{canonical(found)}[]" in kinds()
        indexed = isinstance(key, (ast.Slice, ast.Tuple, ast.Constant))
        if not _is_text(key) and (indexed or not (whole or kind.by_name)):
            return ""
        return f"{found}[]" if whole else found

    def _is_module(self, outline: Outline, node: ast.Name) -> bool:
        return self._is_imported(outline, node, (ast.Import,))

    def _is_part_of_a_package(self, outline: Outline, node: ast.Name) -> bool:
        """`random` after `from numpy import random`."""
        return outline.imported.get(node.id, "") in modules() and self._is_imported(outline, node)

    def _is_imported(
        self, outline: Outline, node: ast.Name, how: tuple[type, ...] = (ast.Import, ast.ImportFrom)
    ) -> bool:
        _, bindings = outline.lookup(node, node.id)
        return bool(bindings) and all(isinstance(binding.statement, how) for binding in bindings)


def _may_walk(func: ast.expr) -> bool:
    """`iter` of an object, or what lists the parts of a module of torch."""
    if isinstance(func, ast.Name):
        return func.id == "iter"
    return isinstance(func, ast.Attribute) and func.attr in MODULE_GENERATORS


def _is_walked(kind: ObjectKind) -> bool:
    """A generator, `map` of a lambda, another iterator, or a file that is read: walking over it later needs it."""
    return kind.iterator or kind.remedy in (Remedy.EXHAUST, Remedy.REOPEN)


def _local_function(outline: Outline, call: ast.Call) -> str:
    """What `call`, a `map` or `filter`, applies, in words, where pickle can't find that by a name; else ""."""
    applied = call.args[0] if call.args and last_name(call.func) in _CALLS_LATER else None
    if isinstance(applied, ast.Lambda):
        return "a lambda"
    if not isinstance(applied, ast.Name):
        return ""
    scope, bindings = outline.lookup(applied, applied.id)
    made = [isinstance(each.statement, FUNCTIONS) or isinstance(each.value, ast.Lambda) for each in bindings]
    inside = isinstance(scope, FUNCTIONS) and not any(each.parameter for each in bindings)
    return "a local function" if made and all(made) and inside else ""


def _reported(made: Made, said: str) -> Made:
    """The same, which no rewrite makes anew for a copy."""
    kind = made.kind
    if kind.remedy is not Remedy.REPORT:
        kind = replace(kind, remedy=Remedy.REPORT, advice=said, line="", used="", module_level="")
    return replace(made, kind=kind)


def _of_two(made: Made, holder: ast.expr) -> Made:
    """What is in the container `holder` as well, which gets it where it is made."""
    container = f"`{ast.unparse(holder)}`" if isinstance(holder, (ast.Name, ast.Attribute)) else "a container"
    what = f"{container} (filled at {made.outline.path}:{made.node.lineno})"
    return _reported(made, _LOOK_UP if made.kind is MODULE else _ONCE.format(what))


def _left_by_a_stack(made: Made) -> Made:
    """What an `ExitStack` gives back: the file that it closes, which nobody else may open again for it."""
    return replace(made, kind=replace(made.kind, remedy=Remedy.REPORT, advice=_OPEN_THERE, line=""))


def _path_beside(node: ast.expr) -> ast.expr | None:
    """The path from which `node` would be another one: `root` of `root / name`, `root.parent`, `root.resolve()`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.left
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GIVE_PATHS:
        return node.func.value
    return node.value if isinstance(node, ast.Attribute) and node.attr == "parent" else None


def _walked(made: Made) -> Made:
    """What `zip` or `enumerate` makes of it. A file that is opened again would begin anew."""
    kind = made.kind
    if kind.remedy is Remedy.REOPEN:
        kind = replace(kind, remedy=Remedy.REPORT, advice=_WALK_THERE, line="")
    return replace(made, kind=kind, nested=True, within="")


def class_of_container(node: ast.expr | None) -> str:
    """ "list" of a list that is written out, and of `[a] * n` and `n * [a]` too; "" of what is no container."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right) if isinstance(node.op, ast.Mult) else ()
        return next(filter(None, (_CLASSES.get(type(side), "") for side in sides)), "")
    return _CLASSES.get(type(node), "")


def _parts(node: ast.expr) -> list[ast.expr]:
    """What a container is made of; of `[a] * n` and `n * [a]` too."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right) if isinstance(node.op, ast.Mult) else ()
        return [part for side in sides if isinstance(side, (ast.List, ast.Tuple)) for part in side.elts]
    if isinstance(node, ast.Dict):
        return list(node.values)
    if isinstance(node, ast.DictComp):
        return [node.value]
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        return [node.elt]
    return list(getattr(node, "elts", []))


def _values(outline: Outline, node: ast.Name) -> list[ast.expr]:
    scope, bindings = outline.lookup(node, node.id)
    if isinstance(scope, ast.Module) and len(bindings) != 1:
        return []
    return [binding.value for binding in bindings if binding.value is not None]


def _walked_by(outline: Outline, node: ast.Name) -> Iterator[ast.expr]:
    """What the loops go over whose variable the name is."""
    loops: list[ast.AST] = [binding.statement for binding in outline.lookup(node, node.id)[1]]
    for around in outline.ancestors(node) if loops and not isinstance(loops[0], ast.For) else ():
        if isinstance(around, ast.stmt):
            break
        loops += getattr(around, "generators", [])
    for loop in loops:
        target = getattr(loop, "target", None)
        if isinstance(loop, (ast.For, ast.comprehension)) and isinstance(target, ast.Name) and target.id == node.id:
            yield loop.iter


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


_OF_ARCHIVES = frozenset({"files", "keys", "items", "values", "get", "close", "f"})


def _is_archive(outline: Outline, node: ast.Call, suffix: str) -> bool:
    """A literal that the first argument comes from ends with `suffix`, or none in it says what it is, and it is read
    by names.

    What asks for a memory map gets an archive too where the file is one; it may be an array with named fields else.
    """
    if not node.args:
        return False
    if any(text.endswith(suffix) for text in _texts(outline, node.args[0], 0)):
        return True
    parts = [item.value for item in walk(node.args[0]) if isinstance(item, ast.Constant)]
    names = [part for part in parts if isinstance(part, str) and "." in part]
    mapped = len(node.args) > 1 or any(keyword.arg == "mmap_mode" for keyword in node.keywords)
    return not names and _is_read_by_name(outline, node, listed_only=mapped)


def _texts(outline: Outline, node: ast.expr, depth: int) -> Iterator[str]:
    """The literals of an expression, and of what its names and attributes of `self` are assigned to."""
    for item in walk(node):
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            yield item.value
        elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load) and depth < _FAR:
            for value in _values(outline, item):
                yield from _texts(outline, value, depth + 1)
        elif isinstance(item, ast.Attribute) and outline.is_self(item.value) and depth < _FAR:
            for value in _kept(outline, item):
                yield from _texts(outline, value, depth + 1)


def _kept(outline: Outline, node: ast.Attribute) -> list[ast.expr]:
    """What the class around `self.name` assigns to that attribute."""
    owner = outline.owner(node)
    statements = (item for item in walk(owner) if isinstance(item, ast.Assign)) if owner is not None else ()
    return [
        item.value
        for item in statements
        if any(
            isinstance(target, ast.Attribute) and target.attr == node.attr and outline.is_self(target.value)
            for target in item.targets
        )
    ]


def _is_read_by_name(outline: Outline, node: ast.Call, listed_only: bool) -> bool:
    """It is assigned, and the code of the same class treats that as an archive: asks for `files` or (not where
    `listed_only`) for what has a name, and for nothing that only an array has."""
    statement = outline.parents[node]
    around = next((item for item in outline.ancestors(node) if isinstance(item, ast.ClassDef)), None)
    if not isinstance(statement, ast.Assign) or around is None:
        return False
    kept = {ast.unparse(target) for target in statement.targets}
    listed, by_name, by_value = False, False, False
    for item in walk(around):
        if not isinstance(item, (ast.Subscript, ast.Attribute)) or ast.unparse(item.value) not in kept:
            continue
        if isinstance(item, ast.Attribute):
            if item.attr not in _OF_ARCHIVES:
                return False
            listed = listed or item.attr in ("files", "keys", "items")
            continue
        above = outline.parents[item]
        if not isinstance(item.ctx, ast.Load) or isinstance(getattr(above, "ctx", None), (ast.Store, ast.Del)):
            return False
        named = isinstance(item.slice, ast.Constant) and isinstance(item.slice.value, str)
        by_name, by_value = by_name or named, by_value or not named
    return listed or (by_name and not by_value and not listed_only)
