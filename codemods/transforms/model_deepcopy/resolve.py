"""What a name means at the top level of a file, followed through imports, and which classes are models."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ...nodes import statements
from ...project import Project
from ...syntax import names as syntax
from ...syntax.modules import Modules
from ...tree.source import Source
from .library import ending, names

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr

_DEPTH = 8  # re-exports and base classes followed at most
_TORCH_MODULES = re.compile(r"torch\.nn\.(modules\.\w+\.)?[A-Z]\w*$")
_VISION_MODELS = re.compile(r"(torchvision\.models|timm\.models)\.[\w.]*[A-Z]\w*$")
_HUGGING_FACE = re.compile(r"(diffusers|transformers)\.([\w.]*\.)?(?P<name>[A-Z]\w*)$")
_MODEL_NAME = ending("model_class_endings")
_TASK_MODEL = re.compile(r"For[A-Z]\w+$")  # transformers: BertForTokenClassification
_NO_MODEL_NAME = ending("no_model_endings")
_MODULE_BASES = names("module_bases")


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of a chain of names, None for anything else."""
    return syntax.dotted(node) or None


def is_torch_layer(qualified: str) -> bool:
    """`torch.nn.Linear`..."""
    return bool(_TORCH_MODULES.match(qualified))


def _is_library_model(qualified: str) -> bool:
    """Whether the class `qualified` of a library is a model, by the library's own naming."""
    if qualified in _MODULE_BASES or is_torch_layer(qualified) or _VISION_MODELS.match(qualified):
        return True
    found = _HUGGING_FACE.match(qualified)
    name = found["name"] if found else ""
    return bool(_MODEL_NAME.search(name) or _TASK_MODEL.search(name)) and not _NO_MODEL_NAME.search(name)


@dataclass(frozen=True)
class Place:
    """A definition and the file it stands in."""

    path: str
    node: Definition


class Names:
    """Import aliases and top-level definitions of one module."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.imports: dict[str, tuple[int, str, str | None]] = {}  # name -> (level, module, member)
        self.stars: list[tuple[int, str]] = []
        self.definitions: dict[str, Definition] = {}
        for node in statements(tree):
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
    distributed: dict[str, bool] = field(default_factory=dict)  # by path, see evidence.distributed
    stores: dict[ast.AST, dict[str, list[ast.expr]]] = field(default_factory=dict)  # by scope, see FileView.bindings

    def source(self, path: str) -> Source:
        """The text of a file that is known to be there."""
        source = self.project.source(path)
        assert source is not None
        return source

    def names(self, path: str) -> Names | None:
        """The names of a file, None when it doesn't parse."""
        if path not in self._names:
            tree = self.project.module(path)
            self._names[path] = None if tree is None else Names(path, tree)
        return self._names[path]

    @cached_property
    def _modules(self) -> Modules:
        return Modules(self.project.python_paths)

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
            target = self._modules.relative(path, level, inner) if level else self._modules.absolute(path, inner)
            if target is not None and target != path:
                found = self.resolve(target, ".".join(wanted[cut:]), depth + 1)
                if isinstance(found, Place) or found != ".".join(wanted[cut:]):
                    return found
        return None

    def is_model_class(self, path: str, name: str, depth: int = 0) -> bool | None:
        """Whether the class `name` of `path` derives from `torch.nn.Module`; None when the project doesn't show it."""
        found = self.resolve(path, name)
        if isinstance(found, str):
            return True if _is_library_model(found) else None
        if not isinstance(found.node, ast.ClassDef) or depth > _DEPTH:
            return None
        bases = [dotted(base) for base in found.node.bases]
        answers = [self.is_model_class(found.path, base, depth + 1) for base in bases if base and base != "object"]
        return True if any(answers) else (None if None in answers or None in bases else False)
