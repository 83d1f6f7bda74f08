"""What building a model does and leaves in it, as far as the repository shows the classes and functions involved."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...nodes import walk
from ...syntax.names import root_of_chain
from ...syntax.outline import Outline
from . import library
from .kept_by_forward import kept_by_forward
from .library import either, endings, whole
from .models import Models, dotted
from .process_groups import is_called_group, is_constant, is_group, speaks_of_groups, takes_group

_DEPTH = 8  # classes and functions that building one model leads through
_RANDOM_TENSOR = whole("random_tensors")
_LOADS = either(endings("weight_loaders"), whole("torch_loaders"))
_MUTATORS = whole("mutating_methods")
_PLAIN_METACLASSES = library.names("plain_metaclasses")
_COPYING = frozenset(("__deepcopy__", "__getstate__", "__reduce__", "__reduce_ex__"))


class Trait(enum.Enum):
    """What building a model may do, or leave in it."""

    GROUP = "a layer keeps a process group that is created or looked up there"
    NAMED_GROUP = "a layer keeps what is called a group, and may be None"
    LOCK = "a layer keeps a lock"
    LOADS = "reads pretrained weights"
    RANDOM_ATTRIBUTE = "a random tensor that no state dict has"
    OTHER_RANDOM = "the random generator of numpy or of Python moves"
    CHANGES_ARGUMENTS = "changes an argument in place"
    COLLECTIVE = "all ranks have to take part, or a new group is created"
    WRAPS = "DDP, FSDP...: not the bare model"
    CHANGES_GLOBAL = "changes a global variable"
    CACHED = "a function that returns the same object again"
    COPIES = "a class that says itself how it is deep-copied"
    STATE = "its own class says what a copy takes along"
    PRINTS = "says something to the user"
    KEEPS = "running it keeps a tensor with its gradient history as an attribute"


_CALLS = {
    Trait.COLLECTIVE: endings("collectives"),
    Trait.WRAPS: either(endings("fully_sharded", "data_parallel"), whole("compilers_of_models")),
    Trait.OTHER_RANDOM: whole("other_random"),
    Trait.LOCK: whole("locks"),
}
_HELD = (Trait.GROUP, Trait.NAMED_GROUP, Trait.LOCK)  # what a deep copy fails on


@dataclass
class Survey:
    """What was seen of a construction."""

    places: dict[Trait, str] = field(default_factory=dict)  # `path:line` where it was seen first
    seen: bool = False  # some class or function of the construction was read
    module: bool = False  # the class of the model was read
    opaque: bool = False  # something is built whose class the repository does not show
    unsaved_buffers: bool = False
    reads: dict[str, str] = field(default_factory=dict)  # by chain (`config.width`): the file whose global that is
    keeps_more: bool = False  # running it sets other attributes too

    def note(self, trait: Trait, where: str) -> None:
        """Remember the first place of `trait`."""
        self.places.setdefault(trait, where)

    def where(self, trait: Trait) -> str | None:
        """The first place of `trait`, `path:line`."""
        return self.places.get(trait)


def survey(models: Models, path: str, call: ast.expr, body: Iterable[ast.AST] = ()) -> Survey:
    """What running the construction `call`, written in `path`, does and leaves in the model.

    `body`: what the method of the same class runs that is called.
    """
    reading = _Reading(models)
    reading.nodes(path, [call, *body], 0)
    return reading.result


@dataclass
class _Reading:
    models: Models
    result: Survey = field(default_factory=Survey)
    done: set[tuple[str, str]] = field(default_factory=set)  # names followed so far

    def nodes(self, path: str, nodes: Iterable[ast.AST], depth: int) -> None:
        """Everything under `nodes` of `path`."""
        names = self.models.outline(path)
        if names is None:
            return
        for node in (inner for outer in nodes for inner in walk(outer)):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if depth and (chain := _global_read(names, node)) is not None:
                self.result.reads.setdefault(chain, path)
            if isinstance(node, ast.Call):
                self._call(names, node, where, depth)
            elif isinstance(node, ast.Global) or (isinstance(node, ast.AugAssign) and _of_class(names, node.target)):
                self.result.note(Trait.CHANGES_GLOBAL, where)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                kept = [t.attr for t in targets if isinstance(t, ast.Attribute) and dotted(t.value) == "self"]
                if kept:
                    self._kept(names, kept, node.value, where)

    def _call(self, names: Outline, node: ast.Call, where: str, depth: int) -> None:
        result = self.result
        name = dotted(node.func)
        qualified = names.qualified(name) if name else ""
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if _LOADS.search(qualified) or _LOADS.search(method) or not is_constant(given.get("pretrained"), False, None):
            result.note(Trait.LOADS, where)
        if not is_constant(given.get("persistent"), True) or (method == "register_buffer" and len(node.args) > 2):
            result.unsaved_buffers = True
        if name == "print" and names.defined("print") is None:
            result.note(Trait.PRINTS, where)
        if name == "next" and node.args and names.defined(dotted(node.args[0]) or "") is not None:
            result.note(Trait.CHANGES_GLOBAL, where)
        if takes_group(node):
            result.note(Trait.GROUP, where)
        for trait, pattern in _CALLS.items():
            if pattern.search(qualified):
                result.note(trait, where)
        if name:
            self._name(names.path, name, depth)
        elif isinstance(node.func, ast.Subscript) and (table := dotted(node.func.value)):
            self._name(names.path, table, depth)

    def _kept(self, names: Outline, attributes: list[str], value: ast.expr, where: str) -> None:
        """`self.attribute = value`"""
        if speaks_of_groups(self.models, names.path):
            if is_group(value, names):
                self.result.note(Trait.GROUP, where)
            elif is_called_group(attributes, value):
                self.result.note(Trait.NAMED_GROUP, where)
        if any(
            isinstance(inner, ast.Call) and _RANDOM_TENSOR.match(names.qualified(dotted(inner.func) or ""))
            for inner in _outside_parameters(value)
        ):
            self.result.note(Trait.RANDOM_ATTRIBUTE, where)

    def _name(self, path: str, name: str, depth: int) -> None:
        found = self.models.resolve(path, name)
        if isinstance(found, str):
            if name.rpartition(".")[2][:1].isupper() and not found.startswith("torch."):
                self.result.opaque = True
            return
        if (found.path, name) in self.done or depth > _DEPTH:
            return
        self.done.add((found.path, name))
        node = found.node
        if isinstance(node, ast.ClassDef):
            self.result.seen = True
            self.result.module = self.result.module or bool(self.models.is_model_class(path, name))
            for base in filter(None, map(dotted, node.bases)):
                self._name(found.path, base, depth + 1)
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            for init in (item for item in methods if item.name == "__init__"):
                self._changes_arguments(found.path, init)
            self._forward(found.path, methods)
            own = {method.name for method in methods}
            where = f"{found.path}:{node.lineno}"
            before = dict(self.result.places)
            if "__new__" in own or any(dotted(word.value) not in _PLAIN_METACLASSES for word in node.keywords):
                self.result.note(Trait.CACHED, where)
            if "__deepcopy__" in own:
                self.result.note(Trait.COPIES, where)
            self.nodes(found.path, called_from(methods, "__init__"), depth + 1)
            if own & _COPYING and not depth:
                self.result.note(Trait.STATE, where)
            if own & _COPYING:  # what can't be copied is left out, or made again
                for trait in _HELD:
                    if trait not in before:
                        self.result.places.pop(trait, None)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.result.seen = True
            self._changes_arguments(found.path, node)
            if any("cache" in ast.unparse(decorator) for decorator in node.decorator_list):
                self.result.note(Trait.CACHED, f"{found.path}:{node.lineno}")
            self.nodes(found.path, node.body, depth + 1)
        else:
            self.nodes(found.path, [node], depth + 1)
            for entry in walk(node):  # a table of constructors: {"B": Net_B}
                for value in entry.values if isinstance(entry, ast.Dict) else ():
                    if entry_name := dotted(value):
                        self._name(found.path, entry_name, depth + 1)

    def _changes_arguments(self, path: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """`function` changes one of its arguments in place, before rebinding it."""
        arguments = function.args
        own = {arg.arg for arg in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]} - {"self", "cls"}
        nodes = list(walk(function))
        own -= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            if any(chain.partition(".")[0] in own for chain in changed(node)):
                self.result.note(Trait.CHANGES_ARGUMENTS, f"{path}:{node.lineno}")  # type: ignore[attr-defined]

    def _forward(self, path: str, methods: list[ast.FunctionDef]) -> None:
        """What `forward` leaves on the object: tensors with a gradient history, or anything else."""
        names = self.models.outline(path)
        assert names is not None
        for stored, with_history in kept_by_forward(names, methods, called_from(methods, "forward")):
            if with_history:
                self.result.note(Trait.KEEPS, f"{path}:{stored.lineno}")
            else:
                self.result.keeps_more = True


def _global_read(names: Outline, node: ast.AST) -> str | None:
    """The variable of the module, or the attribute of a class or object there, that `node` reads."""
    if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return None
    root = root_of_chain(node)
    if root is None or root not in names.parents:
        return None
    scope, bindings = names.lookup(root, root.id)
    kinds: tuple[type[ast.AST], ...] = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    kinds = (*kinds, ast.ClassDef) if isinstance(node, ast.Attribute) else kinds
    known = bindings and all(isinstance(binding.statement, kinds) and not binding.parameter for binding in bindings)
    return dotted(node) if isinstance(scope, ast.Module) and known else None


def _of_class(names: Outline, target: ast.expr) -> bool:
    """`Net.made`, `cls.made`, `type(self).made`: shared by all objects."""
    if not isinstance(target, ast.Attribute):
        return False
    holder = dotted(target.value) or ast.unparse(target.value)
    return names.defined(holder) is not None or holder in ("cls", "type(self)", "self.__class__")


def called_from(methods: Iterable[ast.FunctionDef], first: str) -> list[ast.FunctionDef]:
    """The method `first`, and the methods that it calls on `self`, directly or through each other."""
    by_name = {method.name: method for method in methods}
    todo, found = [first], list[ast.FunctionDef]()
    while todo:
        method = by_name.pop(todo.pop(), None)
        if method is not None:
            found.append(method)
            todo += [node.attr for node in walk(method) if isinstance(node, ast.Attribute)]
    return found


def changed(node: ast.AST) -> Iterator[str]:
    """Variables and chains (`a.b`) that `node` itself binds, or changes in place: by a store, `.pop()`..."""
    target: ast.expr | None = None
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        target = node if isinstance(node, ast.Attribute) else node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _MUTATORS.match(node.func.attr):
        target = node.func.value
    while target is not None and dotted(target) is None and isinstance(target, (ast.Attribute, ast.Subscript)):
        target = target.value
    if target is not None and (text := dotted(target)) is not None:
        yield text


def _outside_parameters(node: ast.AST) -> Iterator[ast.AST]:
    """Walk `node`, leaving out what is wrapped in a Parameter (the state dict holds it)."""
    if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("Parameter"):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_parameters(child)
