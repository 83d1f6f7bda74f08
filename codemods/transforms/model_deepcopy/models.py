"""The models of one project: which classes are models, by what their names and bases mean."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property

from ...project import Project
from ...syntax import names as syntax
from ...syntax.modules import Modules
from ...syntax.outline import Outline, outline_of
from ...syntax.resolver import FinalValue, Resolver
from ...tree.source import Source
from .library import ending, names

_DEPTH = 8  # base classes followed at most
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


@dataclass
class Models:
    """Answers about the models of one project; every file is parsed only when a name leads there."""

    project: Project
    distributed: dict[str, bool] = field(default_factory=dict)  # by path, see evidence.distributed
    stores: dict[ast.AST, dict[str, list[ast.expr]]] = field(default_factory=dict)  # by scope, see FileView.bindings

    def source(self, path: str) -> Source:
        """The text of a file that is known to be there."""
        source = self.project.source(path)
        assert source is not None
        return source

    def outline(self, path: str) -> Outline | None:
        """The outline of a file, None when it doesn't parse."""
        return outline_of(self.project, path)

    @cached_property
    def resolver(self) -> Resolver:
        """What names mean in these files."""
        return Resolver(self.project, Modules(self.project.python_paths))

    def resolve(self, path: str, name: str) -> FinalValue | str:
        """What `name` (dotted) is at the top level of `path`, or its dotted origin if outside."""
        outline = self.outline(path)
        return name if outline is None else self.resolver.value_of(outline, name)

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
