"""What is known of one `deepcopy(model)`: where it stands, how the model was built, what in it can't be copied."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field, replace

from ...finding import Confidence, Hop, Refused, Span, Trace
from .constructor_survey import Survey
from .file_view import FileView, Scope
from .uses import Effects


class Evidence(enum.Enum):
    """What was seen inside the model that can't be copied."""

    GROUP = "process group"
    LOCK = "lock"
    CACHE = "cache"  # tensors that are part of a gradient's history, which only leaves may be copied of
    SHARDED = "sharded"  # FSDP, DeepSpeed: no matter what the layers hold


@dataclass(frozen=True)
class Seen:
    """Evidence about one model, how sure it is, and the steps to it; `evidence` None when nothing was seen."""

    evidence: Evidence | None = None
    confidence: Confidence = Confidence.POSSIBLE
    steps: tuple[Hop, ...] = ()


@dataclass(frozen=True)
class Site:
    """A call, with the statement and the function that it stands in, and the variable of the model there."""

    path: str
    call: ast.Call
    statement: ast.stmt
    scope: Scope
    variable: str = ""  # without the `.module` of a wrapper

    @classmethod
    def of(cls, view: FileView, call: ast.Call) -> Site:
        """The place of `call` in the file of `view`."""
        around = [call, *view.ancestors(call)]
        statement = next(node for node in around if isinstance(node, ast.stmt))
        scope = next(node for node in around if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)))
        return cls(view.path, call, statement, scope)

    def of_variable(self, variable: str) -> Site:
        """The same place, for the model in `variable`."""
        return replace(self, variable=variable)


@dataclass(frozen=True)
class Construction:
    """The call that built the model: `value` without the methods of `steps`, which ran on the model since, in order."""

    statement: ast.stmt
    value: ast.Call
    steps: tuple[ast.Call, ...]
    repeated: tuple[ast.stmt, ...]  # statements that set flags on the layers, to be repeated for the copy
    survey: Survey
    external: bool  # built by a library, not by the repository


@dataclass(frozen=True)
class History:
    """How a model was built and what was done to it before it was copied."""

    construction: Construction | None = None  # None: not in the function of the copy
    effects: Effects = field(default_factory=Effects)
    sharded: bool = False
    refused: Refused | None = None  # why the model can't be built anew


@dataclass(frozen=True)
class Copy:
    """One `deepcopy(model)`."""

    site: Site
    text: str
    span: Span
    seen: Seen
    trace: Trace
    history: History = History()
    distributed: bool = False  # the script trains distributed
    copying_class: str | None = None  # the library's class that copies the model itself, when it is not `deepcopy`
