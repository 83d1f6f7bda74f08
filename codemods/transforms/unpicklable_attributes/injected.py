"""What is passed to classes of a repository from outside: by calls, builders and tables, through base classes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from ...syntax.binding_rules import default_values, positional
from ...syntax.names import last_name, whose_class
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.unpicklable import Made, Recogniser
from ...syntax.unpicklable_table import MODULE
from .classes import Method, Shape
from .family import Family
from .remaking.containers import is_dataclass

_BUILDER = re.compile(r"(?i)^_*(?:build|create|make|get|instantiate)(?:_|$)")
GIVES_GENERATOR = re.compile(r"\b_*[A-Z]\w*\([ \t]*(?:self\.)?\w+\(")  # `Locked(numbers(3))`
_TAKES = ("get", "pop")
Place = tuple[str, str, int]  # a class: its file, its name, and which one of that name it is there. Lines would move
Taken = tuple[Place, str]  # and a parameter of its constructor


def place_of(shape: Shape) -> Place:
    """Where the class is found again."""
    name = shape.node.name
    return shape.outline.path, name, shape.outline.definitions[name].index(shape.node)


class Given:
    """Answers for one run. `handed`: which file passes something to which classes and parameters, as `passed_in`."""

    def __init__(
        self, repo: Repo, family: Family, recogniser: Recogniser, handed: Callable[[], Mapping[str, Sequence[Taken]]]
    ) -> None:
        self.repo, self.family, self.recogniser = repo, family, recogniser
        self._files = handed

    def of(self, shape: Shape, parameter: str, seen: frozenset[Shape] = frozenset()) -> list[Made]:
        """What objects of `shape`, or of classes below it, may get as that parameter of its constructor."""
        if shape in seen:
            return []
        seen |= {shape}
        taken = (place_of(shape), parameter) in self._taken
        found = list(self._handed.get((shape.node, parameter), [])) if taken else []
        for below in self.family.derived(shape):
            init = below.methods.get("__init__")
            if init is None:
                found += self.of(below, parameter, seen)
                continue
            for call in _calls_of_base(below.outline, init):
                for name, value in self._passed(shape, below.outline, call):
                    if name == parameter:
                        found += self.recogniser.made(below.outline, value)
                        if isinstance(value, ast.Name) and value.id in _parameters(init):
                            found += self.of(below, value.id, seen)
                if parameter not in _parameters(init) and any(keyword.arg is None for keyword in call.keywords):
                    found += self.of(below, parameter, seen)  # `super().__init__(**kwargs)`
        return found

    def kept(self, shape: Shape, method: Method, value: ast.expr | None) -> list[Made]:
        """What `value`, of a statement in `method`, is when it is a parameter, or is taken from `**kwargs`."""
        if method.name != "__init__" or value is None:
            return []
        more = method.args.kwarg.arg if method.args.kwarg is not None else ""
        whole, value = isinstance(value, ast.Name), _iterated(value)
        if isinstance(value, ast.Name):
            _, bindings = shape.outline.lookup(value, value.id)
            found = self.of(shape, value.id) if any(binding.parameter for binding in bindings) else []
            found += self._by_default(shape, method, value.id) if not found else []
            return found if whole and len(bindings) == 1 else [replace(made, within="") for made in found]
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _TAKES:
            holder, key = value.func.value, value.args[0] if value.args else None
        elif isinstance(value, ast.Subscript):
            holder, key = value.value, value.slice
        else:
            return []
        named = isinstance(key, ast.Constant) and isinstance(holder, ast.Name) and holder.id == more
        return self.of(shape, str(key.value)) if named and isinstance(key, ast.Constant) else []

    def _by_default(self, shape: Shape, method: Method, parameter: str) -> list[Made]:
        """The module that the parameter is where no call passes it: `def __init__(self, size, lib=math)`."""
        default = default_values(method).get(parameter)
        made = self.recogniser.made(shape.outline, default) if default is not None else ()
        place = f"{shape.outline.path}:{getattr(default, 'lineno', 0)}"
        return [replace(each, given=place, choice=True) for each in made if each.kind is MODULE]

    @cached_property
    def _taken(self) -> frozenset[Taken]:
        return frozenset(taken for passed in self._files().values() for taken in passed)

    @cached_property
    def _handed(self) -> dict[tuple[ast.ClassDef, str], list[Made]]:
        """By class and parameter; under the class itself where that has a constructor, else under the base that has."""
        found: dict[tuple[ast.ClassDef, str], list[Made]] = {}
        for path in self._files():
            for taker, name, made in self.passed_in(path):
                found.setdefault((taker.node, name), []).append(made)
        return found

    def passed_in(self, path: str) -> Iterator[tuple[Shape, str, Made]]:
        """What the calls of a file pass: to which class, as which parameter."""
        outline = self.repo.outline(path)
        for call in self._making(outline) if outline is not None else ():
            assert outline is not None
            for shape, name, value in self._passes(outline, call):
                for made in self.recogniser.made(outline, value):
                    yield self._taker(shape), name, replace(made, given=f"{path}:{call.lineno}", choice=True)

    def _making(self, outline: Outline) -> Iterator[ast.Call]:
        """The calls that may make an object of a class of the repository, by the name of what is called."""
        for name, calls in outline.calls.items():
            original = outline.imported.get(name or "", "").rpartition(".")[2]
            known = original == "partial" or any(map(self.family.is_class_name, (name or "", original)))
            every = known or name in ("partial", "__class__", "cls") or _builds(name or "")
            for call in calls:
                if every or isinstance(call.func, (ast.Subscript, ast.Call)):
                    yield call

    def _passes(self, outline: Outline, call: ast.Call) -> Iterator[tuple[Shape, str, ast.expr]]:
        for shape in self._made_by(outline, call):
            for name, value in self._passed(shape, outline, call):
                yield shape, name, value
        if _builds(last_name(call.func)):
            for word in call.keywords:
                keyword = word.arg if not isinstance(word.value, ast.Constant) else None
                if keyword is not None and self.recogniser.made(outline, word.value):
                    yield from ((shape, keyword, word.value) for shape in self._registered_with(keyword))

    def _made_by(self, outline: Outline, call: ast.Call) -> Iterator[Shape]:
        """The classes of the repository that the call may make an object of."""
        made = call.args[0] if outline.home_name(call.func) == "partial" and call.args else call.func
        if (owner := _own_class(outline, call.func)) is not None:
            yield self.family.shape(outline, owner)
        elif isinstance(call.func, (ast.Subscript, ast.Call)):
            yield from self._of_table(outline, call.func)
        elif self.family.is_class_name(outline.home_name(made)):
            classes = self.repo.resolver.classes(outline, made)
            if len(classes) == 1:
                yield self.family.shape(*classes[0])

    def _of_table(self, outline: Outline, function: ast.Subscript | ast.Call) -> Iterator[Shape]:
        """`DATASETS[name](...)`, `DATASETS.get(name)(...)`, with `DATASETS = {"a": A, "b": B}` somewhere."""
        table = function.value if isinstance(function, ast.Subscript) else getattr(function.func, "value", None)
        if not isinstance(table, ast.Name):
            return
        _, bindings = outline.lookup(table, table.id)
        for value in (binding.value for binding in bindings):
            for entry in value.values if isinstance(value, ast.Dict) else ():
                classes = self.repo.resolver.classes(outline, entry)
                if len(classes) == 1:
                    yield self.family.shape(*classes[0])

    @cached_property
    def _registered(self) -> list[Shape]:
        """Classes with a decorator like `@DATASETS.register_module()`."""
        found = []
        for outline in self.repo.mentioning("register") + self.repo.mentioning("register_module"):
            for node in outline.of_kind(ast.ClassDef):
                if any("register" in ast.unparse(mark) for mark in node.decorator_list):
                    found.append(self.family.shape(outline, node))
        return list(dict.fromkeys(found))

    def _registered_with(self, parameter: str) -> Iterator[Shape]:
        for shape in self._registered:
            init = self._taker(shape).methods.get("__init__")
            if init is not None and parameter in _parameters(init):
                yield shape

    def _taker(self, shape: Shape) -> Shape:
        return next((other for other in self.family.line(shape) if "__init__" in other.methods), shape)

    def _passed(self, shape: Shape, outline: Outline, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """Parameters of the constructor of `shape` with what the call gives them, where that is no constant."""
        taker = self._taker(shape)
        init = taker.methods.get("__init__")
        names = positional(init)[1:] if init is not None else _fields(self.family, shape)
        skipped = 1 if call.args and (last_name(call.func) == "partial" or _names_base(outline, call)) else 0
        for name, value in zip(names, call.args[skipped:], strict=False):
            if isinstance(value, ast.Starred):
                break
            if not isinstance(value, ast.Constant):
                yield name, value
        for keyword in call.keywords:
            if keyword.arg is None:
                yield from _unpacked(outline, keyword.value)
            elif not isinstance(keyword.value, ast.Constant):
                yield keyword.arg, keyword.value


def _own_class(outline: Outline, made: ast.expr) -> ast.ClassDef | None:
    """The class around that `cls(...)` makes an object of, in a method of the class; `type(self)(...)` in any."""
    of_object = whose_class(made)
    if of_object is not None:
        return outline.owner(made) if outline.is_self(of_object) else None
    method = outline.method(made) if isinstance(made, ast.Name) else None
    is_of_class = method is not None and any(last_name(mark) == "classmethod" for mark in method.decorator_list)
    first = positional(method)[:1] if method is not None else []
    return outline.owner(made) if is_of_class and first == [getattr(made, "id", "")] else None


@lru_cache(maxsize=4096)  # most names are called in many files
def _builds(name: str) -> bool:
    return _BUILDER.match(name) is not None


def _parameters(init: Method) -> list[str]:
    arguments = init.args
    return [parameter.arg for parameter in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]


def _fields(family: Family, shape: Shape) -> list[str]:
    """Names of the fields of a dataclass, those of base classes first."""
    found = [
        statement.target.id
        for above in reversed([*family.line(shape)])
        for statement in (above.node.body if is_dataclass(above) else ())
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]
    return list(dict.fromkeys(found))


def _calls_of_base(outline: Outline, init: Method) -> Iterator[ast.Call]:
    """`super().__init__(...)` and `Base.__init__(self, ...)`."""
    for node in outline.own(init):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__":
            yield node


def _names_base(outline: Outline, call: ast.Call) -> bool:
    """`Base.__init__(self, x)`: the first argument is the object."""
    return last_name(call.func) == "__init__" and outline.is_self(call.args[0])


def _unpacked(outline: Outline, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Entries of the dict that `**value` unpacks: `dict(a=b)`, `{"a": b}`, a local name for one, filled or not."""
    if isinstance(value, ast.Call) and last_name(value.func) == "dict":
        yield from ((keyword.arg, keyword.value) for keyword in value.keywords if keyword.arg is not None)
    elif isinstance(value, ast.Dict):
        for key, item in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant):
                yield str(key.value), item
    elif isinstance(value, ast.Name):
        scope, bindings = outline.lookup(value, value.id)
        for binding in bindings:
            if binding.value is not None and not isinstance(binding.value, ast.Name):
                yield from _unpacked(outline, binding.value)
        for node in outline.own(scope):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
                continue
            if isinstance(target.value, ast.Name) and target.value.id == value.id and isinstance(node, ast.Assign):
                yield str(target.slice.value), node.value


def _iterated(value: ast.expr) -> ast.expr:
    """`x` of `iter(x)` and `x.__iter__()`: what a generator or file gives there is itself."""
    if isinstance(value, ast.Call) and not value.keywords:
        if isinstance(value.func, ast.Name) and value.func.id == "iter" and len(value.args) == 1:
            return value.args[0]
        if isinstance(value.func, ast.Attribute) and value.func.attr == "__iter__" and not value.args:
            return value.func.value
    return value
