"""What building a model does and leaves in it, as far as the repository shows the classes and functions involved."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from ...project import Project
from .resolve import Models, Names, dotted, is_torch_layer

CONFIG = re.compile(r"^_?(self\.)?(args?|cfg|config|conf|opts?|options|params|hparams|hps?|hyp|flags)\b", re.IGNORECASE)
_DEPTH = 8  # classes and functions that building one model leads through
GROUP_CALL = re.compile(r"(^|\.)(new_group|new_subgroups\w*|get_\w*group|get_group)$")
_WORLD = re.compile(r"(^|\.)group\.WORLD$")
_SYNCED = re.compile(r"(^|\.)(SyncBatchNorm|convert_sync_batchnorm)$")  # torch.nn: they keep `process_group`
_MAKES_GROUPS = re.compile(r"\b(?:new_group|new_subgroups\w*|get_\w*group|group\.WORLD)\b")
_GROUP_NAME = re.compile(r"(^|_)(process_?group|group|pg)s?$")
_GROUP_ARGUMENT = re.compile(
    r"process_group|((^|_)(parallel|tp|sp|dp|pp|cp|ep|mp|world|comm|dist|sync|rank)_)group$|(^|[._])pg$|^group$"
)
_SPEAKS_OF_GROUPS = re.compile(r"\bdist\b|distributed|ProcessGroup|process_group|parallel", re.IGNORECASE)
_RANDOM_TENSOR = re.compile(r"^torch\.(rand|randn|randint|randperm|normal|bernoulli|multinomial)(_like)?$")
_OTHER_RANDOM = re.compile(r"^(random|numpy\.random)\.\w+$")
_LOCK = re.compile(r"^(threading|_thread|multiprocessing)\.(R?Lock|allocate_lock|Condition|Event|(Bounded)?Semaphore)$")
_COLLECTIVE = re.compile(
    r"(^|\.)(new_group|new_subgroups\w*|init_device_mesh|DeviceMesh|barrier|broadcast\w*|all_reduce|all_gather\w*)$"
)
_WRAPS = re.compile(
    r"(^|\.)(FSDP|FullyShardedDataParallel|fully_shard|(MM)?(DDP|(Distributed)?DataParallel))$|"
    r"^(torch\.compile|deepspeed\.initialize)$"
)
_LOADS = re.compile(
    r"(^|[._])(from_pretrained|load_pretrained\w*|load_state_dict_from_url|load_url|load_checkpoint|hf_hub_download|download\w*)$"
    r"|^torch\.(load|hub\.load)$|(^|\.)load_file$"
)
_MUTATORS = re.compile(
    r"(pop|popitem|update|append|extend|insert|remove|discard|clear|add|setdefault|subtract|sort|reverse|merge_from_\w+)$"
)


_PLAIN_METACLASSES = ("ABCMeta", "abc.ABCMeta", "type")
_COPYING = frozenset(("__deepcopy__", "__getstate__", "__reduce__", "__reduce_ex__"))


@dataclass
class Survey:
    """What was seen of a construction; strings are `path:line`."""

    seen: bool = False  # some class or function of the construction was read
    module: bool = False  # the class of the model was read
    opaque: bool = False  # something is built whose class the repository does not show
    group: str | None = None  # a layer keeps a process group that is made or asked for there
    named_group: str | None = None  # a layer keeps what is called a group, and may be None
    passed_group: str | None = None  # the construction itself passes what is called a group
    lock: str | None = None
    loads: str | None = None  # reads pretrained weights
    random_attribute: str | None = None  # a random tensor that no state dict holds
    other_random: str | None = None  # numpy's or Python's generator moves
    changes_arguments: str | None = None
    collective: str | None = None  # all ranks have to take part, or a new group is made
    wraps: str | None = None  # DDP, FSDP...: not the bare model
    changes_global: str | None = None
    cached: str | None = None  # a function that gives the same object again
    copies: str | None = None  # a class that says itself how it is deep-copied
    unsaved_buffers: bool = False
    keeps: str | None = None  # running it keeps a tensor with its gradient history as an attribute
    keeps_more: bool = False  # running it sets other attributes too

    def note(self, what: str, where: str) -> None:
        """Remember the first place of `what`."""
        if getattr(self, what) is None:
            setattr(self, what, where)


def survey(models: Models, path: str, call: ast.expr, body: Iterable[ast.AST] = ()) -> Survey:
    """What running the construction `call`, written in `path`, does and leaves in the model.

    `body`: what the method of the same class runs that is called.
    """
    reading = _Reading(models)
    reading.nodes(path, [call, *body], 0)
    return reading.result


def speaks_of_groups(models: Models, path: str) -> bool:
    """Whether a `group` in this file can be a process group: a convolution has groups too."""
    source = models.project.source(path)
    return source is not None and bool(_SPEAKS_OF_GROUPS.search(source.text))


@dataclass
class _Reading:
    models: Models
    result: Survey = field(default_factory=Survey)
    done: set[tuple[str, str]] = field(default_factory=set)  # names followed so far

    def nodes(self, path: str, nodes: Iterable[ast.AST], depth: int) -> None:
        """Everything under `nodes` of `path`."""
        names = self.models.names(path)
        if names is None:
            return
        for node in (inner for outer in nodes for inner in ast.walk(outer)):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call):
                self._call(names, node, where, depth)
            elif isinstance(node, ast.Global) or (isinstance(node, ast.AugAssign) and _of_class(names, node.target)):
                self.result.note("changes_global", where)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                kept = [t.attr for t in targets if isinstance(t, ast.Attribute) and dotted(t.value) == "self"]
                if kept:
                    self._kept(names, kept, node.value, where)

    def _call(self, names: Names, node: ast.Call, where: str, depth: int) -> None:
        result = self.result
        name = dotted(node.func)
        qualified = names.qualified(name) if name else ""
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if _LOADS.search(qualified) or _LOADS.search(method) or not _is(given.get("pretrained"), False, None):
            result.note("loads", where)
        if not _is(given.get("persistent"), True) or (method == "register_buffer" and len(node.args) > 2):
            result.unsaved_buffers = True
        if name == "next" and node.args and dotted(node.args[0]) in names.definitions:
            result.note("changes_global", where)
        if takes_group(node):
            result.note("group", where)
        words = [*(("", value) for value in node.args), *((word.arg or "", word.value) for word in node.keywords)]
        if depth == 0 and any(has_group_name(keyword, value) for keyword, value in words):
            result.note("passed_group", where)
        for what, pattern in (("collective", _COLLECTIVE), ("wraps", _WRAPS), ("other_random", _OTHER_RANDOM),
                              ("lock", _LOCK)):  # fmt: skip
            if pattern.search(qualified):
                result.note(what, where)
        if name:
            self._name(names.path, name, depth)
        elif isinstance(node.func, ast.Subscript) and (table := dotted(node.func.value)):
            self._name(names.path, table, depth)

    def _kept(self, names: Names, attributes: list[str], value: ast.expr, where: str) -> None:
        """`self.attribute = value`"""
        if speaks_of_groups(self.models, names.path):
            if is_group(value, names):
                self.result.note("group", where)
            elif is_called_group(attributes, value):
                self.result.note("named_group", where)
        if any(
            isinstance(inner, ast.Call) and _RANDOM_TENSOR.match(names.qualified(dotted(inner.func) or ""))
            for inner in _outside_parameters(value)
        ):
            self.result.note("random_attribute", where)

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
            held = (self.result.group, self.result.named_group, self.result.lock)
            if "__new__" in own or any(dotted(word.value) not in _PLAIN_METACLASSES for word in node.keywords):
                self.result.note("cached", where)
            if "__deepcopy__" in own:
                self.result.note("copies", where)
            self.nodes(found.path, called_from(methods, "__init__"), depth + 1)
            if own & _COPYING:  # what can't be copied is left out, or made anew
                self.result.group, self.result.named_group, self.result.lock = held
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.result.seen = True
            self._changes_arguments(found.path, node)
            if any("cache" in ast.unparse(decorator) for decorator in node.decorator_list):
                self.result.note("cached", f"{found.path}:{node.lineno}")
            self.nodes(found.path, node.body, depth + 1)
        else:
            self.nodes(found.path, [node], depth + 1)
            for entry in ast.walk(node):  # a table of constructors: {"B": Net_B}
                for value in entry.values if isinstance(entry, ast.Dict) else ():
                    if entry_name := dotted(value):
                        self._name(found.path, entry_name, depth + 1)

    def _changes_arguments(self, path: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """`function` changes one of its arguments in place, before rebinding it."""
        arguments = function.args
        own = {arg.arg for arg in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]} - {"self", "cls"}
        nodes = list(ast.walk(function))
        own -= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            if any(chain.partition(".")[0] in own for chain in changed(node)):
                self.result.note("changes_arguments", f"{path}:{node.lineno}")  # type: ignore[attr-defined]

    def _forward(self, path: str, methods: list[ast.FunctionDef]) -> None:
        """What `forward` leaves on the object: the outputs of its own layers, or anything else."""
        names = self.models.names(path)
        assert names is not None
        layers: set[str] = set()
        for node in (inner for method in methods if method.name == "__init__" for inner in ast.walk(method)):
            if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
                continue
            if is_torch_layer(names.qualified(dotted(node.value.func) or "")):
                layers |= {name for target in node.targets if (name := dotted(target)) and name.startswith("self.")}

        def by_layer(value: ast.expr | None) -> bool:
            return isinstance(value, ast.Call) and dotted(value.func) in layers

        for method in called_from(methods, "forward"):
            assigned = [node for node in ast.walk(method) if isinstance(node, ast.Assign)]
            computed: dict[str, bool] = {}  # local names: is it only ever what a layer gives?
            for node in assigned:
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        computed[target.id] = by_layer(node.value) and computed.get(target.id, True)
            for stored in ast.walk(method):
                if not (isinstance(stored, ast.Attribute) and isinstance(stored.ctx, (ast.Store, ast.Del))):
                    continue
                value = next((node.value for node in assigned if stored in node.targets), None)
                known = by_layer(value) or (isinstance(value, ast.Name) and computed.get(value.id, False))
                if dotted(stored.value) == "self" and known:
                    self.result.note("keeps", f"{path}:{stored.lineno}")
                else:
                    self.result.keeps_more = True


def _of_class(names: Names, target: ast.expr) -> bool:
    """`Net.made`, `cls.made`, `type(self).made`: shared by all objects."""
    if not isinstance(target, ast.Attribute):
        return False
    holder = dotted(target.value) or ast.unparse(target.value)
    return holder in names.definitions or holder in ("cls", "type(self)", "self.__class__")


def called_from(methods: Iterable[ast.FunctionDef], first: str) -> list[ast.FunctionDef]:
    """The method `first`, and the methods that it calls on `self`, directly or through each other."""
    by_name = {method.name: method for method in methods}
    todo, found = [first], list[ast.FunctionDef]()
    while todo:
        method = by_name.pop(todo.pop(), None)
        if method is not None:
            found.append(method)
            todo += [node.attr for node in ast.walk(method) if isinstance(node, ast.Attribute)]
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


def _is(node: ast.expr | None, *values: object) -> bool:
    """No argument, or one of these constants."""
    return node is None or (isinstance(node, ast.Constant) and node.value in values)


def is_group(value: ast.expr | None, names: Names | None) -> bool:
    """Whether `value` is seen to be a process group: `dist.new_group(...)`, `dist.group.WORLD`, `mesh.get_group()`."""
    if isinstance(value, ast.IfExp):
        return is_group(value.body, names) or is_group(value.orelse, names)
    if isinstance(value, ast.BoolOp):
        return any(is_group(each, names) for each in value.values)
    called = isinstance(value, ast.Call)
    name = dotted(value.func if isinstance(value, ast.Call) else value) if value is not None else None
    if name is None:
        return False
    name = names.qualified(name) if names is not None else name
    return bool((GROUP_CALL if called else _WORLD).search(name))


def takes_group(call: ast.Call) -> bool:
    """`SyncBatchNorm(..., process_group=group)`, which keeps it; None is the default group, which is not kept."""
    given = (word.value for word in call.keywords if word.arg == "process_group")
    return bool(_SYNCED.search(dotted(call.func) or "")) and any(not _is(value, None) for value in given)


def has_group_name(keyword: str, value: ast.expr) -> bool:
    """Whether an argument, which is no constant, is a process group by its keyword or its own name."""
    own = (dotted(value) or "").rpartition(".")[2]
    return not isinstance(value, ast.Constant) and bool(_GROUP_ARGUMENT.search(keyword) or _GROUP_ARGUMENT.search(own))


def is_called_group(attributes: list[str], value: ast.expr) -> bool:
    """Whether `value`, which becomes one of these attributes, has the name of a process group; it may be None."""
    return (
        isinstance(value, (ast.Name, ast.Attribute, ast.BoolOp, ast.IfExp))
        and any(_GROUP_NAME.search(attribute) and not attribute.startswith(("num_", "n_")) for attribute in attributes)
        and any(
            isinstance(node, ast.Name) and bool(_GROUP_NAME.search(node.id)) and node.id not in ("groups", "group_size")
            for node in ast.walk(value)
        )
    )


def group_keepers(project: Project) -> list[tuple[str, int, str]]:
    """(path, line, name) of the layers of the repository that keep a process group and are built somewhere in it."""
    models = Models(project)
    found: list[tuple[str, int, str]] = []
    for source in project.matching(_MAKES_GROUPS):
        tree = models.project.module(source.path)
        names = models.names(source.path)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.ClassDef) or not models.is_model_class(source.path, node.name):
                continue
            kept = [
                inner
                for inner in ast.walk(node)
                if isinstance(inner, ast.Assign)
                and is_group(inner.value, names)
                and any(isinstance(target, ast.Attribute) for target in inner.targets)
            ]
            built = re.compile(rf"\b{re.escape(node.name)}\s*\(")
            if (kept and node.decorator_list) or (
                kept
                and any(
                    not re.search(r"class\s+$", text.text[max(0, match.start() - 20) : match.start()])
                    for text in project.matching(built, word=node.name)
                    for match in built.finditer(text.text)
                )
            ):  # registered: built by its name
                found.append((source.path, kept[0].lineno, node.name))
    return found


def puts_group(node: ast.AST, variable: str = "") -> TypeGuard[ast.Assign]:
    """`layer.group = group`: on `variable`, a part of it or a local name, not on `self`."""
    if not isinstance(node, ast.Assign):
        return False
    owners = []
    for target in node.targets:
        holder = ast.unparse(target.value) if isinstance(target, ast.Attribute) else "self"
        on_self = holder.startswith("self") and not (variable and re.match(rf"{re.escape(variable)}\b", holder))
        if isinstance(target, ast.Attribute) and not on_self and not CONFIG.match(holder):
            owners.append(target.attr)
    return bool(owners) and (is_group(node.value, None) or is_called_group(owners, node.value))


def _outside_parameters(node: ast.AST) -> Iterator[ast.AST]:
    """Walk `node`, leaving out what is wrapped in a Parameter (the state dict holds it)."""
    if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("Parameter"):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_parameters(child)
