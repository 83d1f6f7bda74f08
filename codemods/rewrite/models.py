"""What a model is made of, as far as the repository shows it: names followed through imports, classes on demand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..flow import syntax
from ..project import Project

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr

_DEPTH = 8  # re-exports and base classes followed at most
_TORCH_MODULES = re.compile(r"torch\.nn\.(modules\.\w+\.)?[A-Z]\w*$")
_OTHER_MODULES = re.compile(
    r"(torchvision\.models|timm\.models)\.[\w.]*[A-Z]\w*$|"
    # besides models these have schedulers, tokenizers, pipelines and configurations, which hold no state dict
    r"(diffusers|transformers)\.([\w.]*\.)?(?!\w*(Config|Tokenizer\w*|Output|Mixin)$)"
    r"[A-Z]\w*(Model|ModelWithProjection|Encoder|Decoder|Net|UNet\w*|Autoencoder\w*|AutoencoderKL\w*|For[A-Z]\w+)$|"
    r"(diffusers|transformers)\.([\w.]*\.)?(UNet|Autoencoder)\w*$"
)
_MODULE_BASES = {
    "torch.nn.Module",
    "torch.nn.modules.module.Module",
    "torch.jit.ScriptModule",
    "pytorch_lightning.LightningModule",
    "lightning.LightningModule",
    "lightning.pytorch.LightningModule",
    "mmengine.model.BaseModule",
    "mmengine.model.BaseModel",
    "mmcv.runner.BaseModule",
    "diffusers.ModelMixin",
    "diffusers.models.modeling_utils.ModelMixin",
    "transformers.PreTrainedModel",
    "transformers.modeling_utils.PreTrainedModel",
}
GROUP_NAME = re.compile(r"(^|_)(process_?group|group|pg)s?$")
GROUP_CALL = re.compile(r"(^|\.)(new_group|new_subgroups\w*|get_\w*group|get_group)$")
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


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of a chain of names, None for anything else."""
    return syntax.dotted(node) or None


@dataclass(frozen=True)
class Place:
    """A definition and the file it stands in."""

    path: str
    node: Definition


@dataclass
class Survey:
    """What building a model does and leaves in it, as far as the repository shows; strings are `path:line`."""

    seen: bool = False  # some class or function of the construction was read
    opaque: bool = False  # something is built whose class the repository does not show
    group: str | None = None
    lock: str | None = None
    loads: str | None = None  # reads pretrained weights
    random_attribute: str | None = None  # a random tensor that no state dict holds
    other_random: str | None = None  # numpy's or Python's generator moves
    changes_arguments: str | None = None
    collective: str | None = None  # all ranks have to take part, or a new group is made
    wraps: str | None = None  # DDP, FSDP...: not the bare model
    changes_global: str | None = None
    cached: str | None = None  # a function that gives the same object again
    unsaved_buffers: bool = False
    keeps: str | None = None  # running it keeps a tensor with its gradient history as an attribute
    keeps_more: bool = False  # running it sets other attributes too


class Names:
    """Import aliases and top-level definitions of one module."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.imports: dict[str, tuple[int, str, str | None]] = {}  # name -> (level, module, member)
        self.stars: list[tuple[int, str]] = []
        self.definitions: dict[str, Definition] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname:
                        self.imports[alias.asname] = (0, alias.name, None)
                    else:
                        top = alias.name.partition(".")[0]
                        self.imports[top] = (0, top, None)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.name == "*":
                        self.stars.append((node.level, node.module or ""))
                    else:
                        self.imports[alias.asname or alias.name] = (node.level, node.module or "", alias.name)
        for node in _top_level(tree.body):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                self.definitions[node.name] = node
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.definitions[target.id] = node.value

    def qualified(self, name: str) -> str:
        """`name` with its first part replaced by what the module imported it as: `nn.Module` -> `torch.nn.Module`."""
        first, _, rest = name.partition(".")
        if first not in self.imports:
            return name
        level, module, member = self.imports[first]
        return ".".join(part for part in ("." * level + module, member, rest) if part)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try)):
            yield from _top_level(node.body)
            yield from _top_level(node.orelse)


@dataclass
class Models:
    """Answers about the models of one project; every file is parsed only when a name leads there."""

    project: Project
    _names: dict[str, Names | None] = field(default_factory=dict)

    def names(self, path: str) -> Names | None:
        """The names of a file, None when it doesn't parse."""
        if path not in self._names:
            tree = self.project.module(path)
            self._names[path] = None if tree is None else Names(path, tree)
        return self._names[path]

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.project.python_paths:
            parts = path[:-3].split("/")
            stem = parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
            found.setdefault(stem, []).append(path)
        return found

    def file_of(self, importer: str, module: str, level: int = 0) -> str | None:
        """The file of the project that `importer` reaches as `module`, None when there is none or more than one."""
        if level:
            folder = importer.split("/")[:-level] if level <= importer.count("/") + 1 else []
            base = "/".join([*folder, *filter(None, module.split("."))])
            options = [f"{base}.py", f"{base}/__init__.py"] if base else ["__init__.py"]
            paths = set(self.project.python_paths)
            return next((option for option in options if option in paths), None)
        tail = module.replace(".", "/")
        options = [
            path
            for path in self._by_stem.get(module.rpartition(".")[2], ())
            if f"/{path}".endswith((f"/{tail}.py", f"/{tail}/__init__.py"))
        ]
        here = importer.rpartition("/")[0]
        beside = [
            p for p in options if p in (f"{here}/{tail}.py".lstrip("/"), f"{here}/{tail}/__init__.py".lstrip("/"))
        ]
        if beside or len(options) == 1:
            return (beside or options)[0]
        return min(options, key=len) if options and "." in module else None

    def resolve(self, path: str, name: str, depth: int = 0) -> Place | str:
        """What `name` (dotted) means at the top level of `path`: its definition, or its qualified name if outside."""
        names = self.names(path)
        if names is None or depth > _DEPTH:
            return name
        first, _, rest = name.partition(".")
        if first in names.definitions and not rest:
            value = names.definitions[first]
            alias = dotted(value) if isinstance(value, ast.expr) else None
            return self.resolve(path, alias, depth + 1) if alias and alias != name else Place(path, value)
        if first in names.imports:
            level, module, member = names.imports[first]
            wanted = [part for part in (member, *rest.split(".")) if part]
            return self._member(path, level, module, wanted, depth) or names.qualified(name)
        for level, module in names.stars:
            found = self._member(path, level, module, name.split("."), depth)
            if found is not None:
                return found
        return name

    def _member(self, path: str, level: int, module: str, wanted: list[str], depth: int) -> Place | str | None:
        """`module.wanted...` seen from `path`, the longest module tried first; None when outside the project."""
        for cut in range(len(wanted) - 1, -1, -1):
            inner = ".".join(filter(None, [module, *wanted[:cut]]))
            target = self.file_of(path, inner, level)
            if target is not None and target != path:
                found = self.resolve(target, ".".join(wanted[cut:]), depth + 1)
                if isinstance(found, Place) or found != ".".join(wanted[cut:]):
                    return found
        return None

    def is_model_class(self, path: str, name: str, depth: int = 0) -> bool | None:
        """Whether the class `name` of `path` derives from `torch.nn.Module`; None when the project doesn't show it."""
        found = self.resolve(path, name)
        if isinstance(found, str):
            if found in _MODULE_BASES or _TORCH_MODULES.match(found) or _OTHER_MODULES.match(found):
                return True
            return None
        if not isinstance(found.node, ast.ClassDef) or depth > _DEPTH:
            return None
        bases = [dotted(base) for base in found.node.bases]
        answers = [self.is_model_class(found.path, base, depth + 1) for base in bases if base and base != "object"]
        return True if any(answers) else (None if None in answers or None in bases else False)

    def survey(self, path: str, call: ast.expr, body: Iterable[ast.AST] = ()) -> Survey:
        """What running the construction `call`, written in `path`, does and leaves in the model.

        `body`: what the method of the same class runs that is called.
        """
        result = Survey()
        self._survey_nodes(path, [call, *body], result, set(), 0)
        return result

    def speaks_of_groups(self, path: str) -> bool:
        """Whether a `group` in this file can be a process group: a convolution has groups too."""
        source = self.project.source(path)
        return source is not None and bool(_SPEAKS_OF_GROUPS.search(source.text))

    def _survey_nodes(
        self, path: str, nodes: list[ast.AST], result: Survey, done: set[tuple[str, str]], depth: int
    ) -> None:
        names = self.names(path)
        if names is None:
            return
        for node in (inner for outer in nodes for inner in ast.walk(outer)):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call):
                name = dotted(node.func)
                qualified = names.qualified(name) if name else ""
                if _LOADS.search(qualified) or (isinstance(node.func, ast.Attribute) and _LOADS.search(node.func.attr)):
                    result.loads = result.loads or where
                if any(kw.arg == "pretrained" and not _is(kw.value, False, None) for kw in node.keywords):
                    result.loads = result.loads or where
                if any(kw.arg == "persistent" and not _is(kw.value, True) for kw in node.keywords):
                    result.unsaved_buffers = True
                if isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer" and len(node.args) > 2:
                    result.unsaved_buffers = True
                if _COLLECTIVE.search(qualified):
                    result.collective = result.collective or where
                if _WRAPS.search(qualified):
                    result.wraps = result.wraps or where
                if _OTHER_RANDOM.match(qualified):
                    result.other_random = result.other_random or where
                if _LOCK.match(qualified):
                    result.lock = result.lock or where
                if name:
                    self._survey_name(path, name, result, done, depth)
                elif isinstance(node.func, ast.Subscript) and (table := dotted(node.func.value)):
                    self._survey_name(path, table, result, done, depth)
            elif isinstance(node, ast.Global):
                result.changes_global = result.changes_global or where
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                kept = [t.attr for t in targets if isinstance(t, ast.Attribute) and dotted(t.value) == "self"]
                if not kept or node.value is None:
                    continue
                called = dotted(node.value.func) if isinstance(node.value, ast.Call) else None
                if _holds_group(kept, node.value, called) and self.speaks_of_groups(path):
                    result.group = result.group or where
                if any(
                    isinstance(inner, ast.Call) and _RANDOM_TENSOR.match(names.qualified(dotted(inner.func) or ""))
                    for inner in _outside_parameters(node.value)
                ):
                    result.random_attribute = result.random_attribute or where

    def _survey_forward(self, path: str, methods: list[ast.FunctionDef], result: Survey) -> None:
        """What `forward` leaves on the object: the outputs of its own layers, or anything else."""
        names = self.names(path)
        assert names is not None
        layers: set[str] = set()
        for node in (inner for method in methods if method.name == "__init__" for inner in ast.walk(method)):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                made = names.qualified(dotted(node.value.func) or "")
                if _TORCH_MODULES.match(made):
                    layers |= {name for target in node.targets if (name := dotted(target)) and name.startswith("self.")}
        for method in _called_from(methods, "forward"):
            computed: dict[str, bool] = {}
            for node in ast.walk(method):
                if isinstance(node, ast.Assign):
                    by_layer = isinstance(node.value, ast.Call) and dotted(node.value.func) in layers
                    for target in node.targets:
                        if isinstance(target, ast.Name):
                            computed[target.id] = by_layer and computed.get(target.id, True)
            for node in ast.walk(method):
                if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del))):
                    continue
                where = f"{path}:{node.lineno}"
                stored = next(
                    (s.value for s in ast.walk(method) if isinstance(s, ast.Assign) and node in s.targets), None
                )
                by_layer = isinstance(stored, ast.Call) and dotted(stored.func) in layers
                if dotted(node.value) == "self" and (
                    by_layer or (isinstance(stored, ast.Name) and computed.get(stored.id, False))
                ):
                    result.keeps = result.keeps or where
                else:
                    result.keeps_more = True

    def _survey_name(self, path: str, name: str, result: Survey, done: set[tuple[str, str]], depth: int) -> None:
        found = self.resolve(path, name)
        if isinstance(found, str):
            if name.rpartition(".")[2][:1].isupper() and not found.startswith("torch."):
                result.opaque = True
            return
        key = (found.path, name)
        if key in done or depth > _DEPTH:
            return
        done.add(key)
        node = found.node
        if isinstance(node, ast.ClassDef):
            result.seen = True
            for base in filter(None, map(dotted, node.bases)):
                self._survey_name(found.path, base, result, done, depth + 1)
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            for init in (item for item in methods if item.name == "__init__"):
                result.changes_arguments = result.changes_arguments or changes_arguments(found.path, init)
            self._survey_forward(found.path, methods, result)
            built = _called_from(methods, "__init__")
            self._survey_nodes(found.path, list[ast.AST](built), result, done, depth + 1)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            result.seen = True
            result.changes_arguments = result.changes_arguments or changes_arguments(found.path, node)
            if any("cache" in ast.unparse(decorator) for decorator in node.decorator_list):
                result.cached = result.cached or f"{found.path}:{node.lineno}"
            self._survey_nodes(found.path, list[ast.AST](node.body), result, done, depth + 1)
        else:
            self._survey_nodes(found.path, [node], result, done, depth + 1)
            for entry in ast.walk(node):  # a table of constructors: {"B": Net_B}
                if isinstance(entry, ast.Dict):
                    for value in entry.values:
                        if entry_name := dotted(value):
                            self._survey_name(found.path, entry_name, result, done, depth + 1)


def _called_from(methods: list[ast.FunctionDef], first: str) -> list[ast.FunctionDef]:
    """The method `first`, and the methods that it calls on `self`, directly or through each other."""
    by_name = {method.name: method for method in methods}
    todo, found = [first], list[ast.FunctionDef]()
    while todo:
        method = by_name.pop(todo.pop(), None)
        if method is not None:
            found.append(method)
            todo += [node.attr for node in ast.walk(method) if isinstance(node, ast.Attribute)]
    return found


def _is(node: ast.expr, *values: object) -> bool:
    return isinstance(node, ast.Constant) and node.value in values


def _holds_group(attributes: list[str], value: ast.expr, called: str | None) -> bool:
    if called is not None:
        return bool(GROUP_CALL.search(called))
    return (
        isinstance(value, (ast.Name, ast.Attribute, ast.BoolOp, ast.IfExp))
        and any(GROUP_NAME.search(attribute) and not attribute.startswith(("num_", "n_")) for attribute in attributes)
        and _names_group(value)
    )


def _names_group(value: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Name) and bool(GROUP_NAME.search(node.id)) and node.id not in ("groups", "group_size")
        for node in ast.walk(value)
    )


def _outside_parameters(node: ast.AST) -> Iterator[ast.AST]:
    """Walk `node`, leaving out what is wrapped in a Parameter (the state dict holds it)."""
    if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("Parameter"):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_parameters(child)


_MUTATORS = {
    "pop",
    "popitem",
    "update",
    "append",
    "extend",
    "insert",
    "remove",
    "clear",
    "setdefault",
    "sort",
    "reverse",
}


def changed_names(node: ast.AST) -> Iterator[tuple[str, int]]:
    """(root name, line) of what is changed in place under `node`: stores into attributes or items, `.pop()`..."""
    for inner in ast.walk(node):
        target: ast.expr | None = None
        if isinstance(inner, (ast.Attribute, ast.Subscript)) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            target = inner.value
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _MUTATORS:
            target = inner.func.value
        while isinstance(target, (ast.Attribute, ast.Subscript)):
            target = target.value
        if isinstance(target, ast.Name):
            yield target.id, inner.lineno  # type: ignore[attr-defined]


def changes_arguments(path: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """`path:line` where `function` changes one of its arguments in place (before rebinding it), else None."""
    arguments = function.args
    parameters = {arg.arg for arg in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]} - {"self", "cls"}
    rebound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for name, line in changed_names(function):
        if name in parameters - rebound:
            return f"{path}:{line}"
    return None
