"""Where a model is built and copied in one file: its names, blocks and what looks like a model."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...finding import Confidence, Span, Trace
from .constructor_survey import Survey
from .resolve import Models, Place, dotted, is_torch_layer
from .uses import METHODS, Effects, spelled, walk_scope

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
USED_AS_MODEL = {
    "parameters", "named_parameters", "modules", "named_modules", "eval", "train", "buffers", "named_buffers",
    "children",
}  # fmt: skip


_HOLDS_LAYERS = re.compile(r"(^|\.)(Sequential|Module(List|Dict)|Transformer\w*)$")


class Evidence(enum.Enum):
    """What was seen inside the model that can't be copied."""

    GROUP = "process group"
    LOCK = "lock"
    CACHE = "cache"  # tensors that are part of a gradient's history, which only leaves may be copied of
    SHARDED = "sharded"  # FSDP, DeepSpeed: no matter what the layers hold


@dataclass(frozen=True)
class Construction:
    """The call that built the model: `value` without the methods of `steps`, which ran on the model since, in order."""

    statement: ast.stmt
    value: ast.expr
    steps: tuple[ast.Call, ...]
    repeated: tuple[ast.stmt, ...]  # statements that set flags on the layers, to be repeated for the copy
    survey: Survey
    external: bool  # built by a library, not by the repository


@dataclass
class Copy:
    """One `deepcopy(model)`."""

    path: str
    call: ast.Call
    statement: ast.stmt
    scope: Scope
    text: str
    span: Span
    confidence: Confidence = Confidence.POSSIBLE
    evidence: Evidence | None = None
    trace: Trace = ()
    construction: Construction | None = None
    effects: Effects = field(default_factory=Effects)
    blocker: str | None = None  # why the model can't be built anew
    distributed: bool = False  # the script trains distributed
    variable: str = ""  # what holds the model, without the `.module` of a wrapper
    maker: str | None = None  # the library's class that copies the model itself, when it is not `deepcopy`


@dataclass
class ModelScope:
    """Questions about one file that the search for copies and the check of their construction share."""

    models: Models
    path: str
    tree: ast.Module
    parents: dict[ast.AST, ast.AST]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def chain(self, call: ast.expr) -> Iterator[ast.expr]:
        """What follows a call: its attributes, and the calls of these."""
        node = call
        while isinstance(parent := self.parents.get(node), (ast.Attribute, ast.Call)):
            if isinstance(parent, ast.Call) and parent.func is not node:
                return
            yield parent
            node = parent

    def bindings(self, scope: Scope, key: str, before: ast.stmt) -> list[ast.stmt]:
        """Statements of `scope` above `before` that bind `key`, in order."""
        found: list[ast.stmt] = []
        for node in walk_scope(scope.body):
            if spelled(node, key) and isinstance(node.ctx, (ast.Store, ast.Del)):  # type: ignore[attr-defined]
                statement = next(parent for parent in self.ancestors(node) if isinstance(parent, ast.stmt))
                if (statement.lineno, statement.col_offset) < (before.lineno, before.col_offset):
                    found.append(statement)
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def dominates(self, statement: ast.stmt, copy: Copy) -> bool:
        """Whether `statement` always ran before the copy: its block holds the copy too, maybe deeper."""
        path = {copy.statement, *self.ancestors(copy.statement)}
        owner = self.parents[statement]
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(owner, block, None)
            if isinstance(statements, list) and statement in statements:
                return any(other in path for other in statements)
        return False

    def base(self, copy: Copy, key: str) -> tuple[ast.stmt, ast.expr] | None:
        """The statement that builds the model, and the value it assigns; None (`copy.blocker` set) when none does."""
        for statement in reversed(self.bindings(copy.scope, key, copy.statement)):
            value = getattr(statement, "value", None)
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or value is None:
                copy.blocker = f"`{key}` is bound at line {statement.lineno} in a way that shows no construction"
                return None
            if any(spelled(node, key) for node in ast.walk(value)):
                continue  # model = model.to(device), model = DDP(model): looked at later
            single = len(targets(statement)) == 1 and dotted(targets(statement)[0]) == key
            call, _ = peel(value)
            if not single or not isinstance(call, ast.Call):
                copy.blocker = f"line {statement.lineno} shows no plain constructor call for `{key}`"
                return (
                    None
                    if single is False or not isinstance(value, (ast.Constant, ast.Dict, ast.List))
                    else (statement, value)
                )
            if not self.dominates(statement, copy):
                copy.blocker = (
                    f"`{key}` is built at line {statement.lineno} under a condition, or in a block that the copy is "
                    "not in: move its construction into one function and call that twice"
                )
                return statement, value
            return statement, value
        return None

    def own_method(self, call: ast.Call) -> ast.FunctionDef | None:
        """The method that `self.build(...)` calls, where it does no more than build and give back something new."""
        name = dotted(call.func) or ""
        owner = next((node for node in self.ancestors(call) if isinstance(node, ast.ClassDef)), None)
        if owner is None or not name.startswith("self.") or name.count(".") != 1:
            return None
        wanted = name.partition(".")[2]
        found = [node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name == wanted]
        if len(found) != 1 or any(dotted(mark) != "staticmethod" for mark in found[0].decorator_list):
            return None
        for node in walk_scope(found[0].body):
            kept = isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del))
            if kept and (ast.unparse(node)).startswith("self"):
                return None
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)):
                return None
            if isinstance(node, ast.Call) and re.fullmatch(r"self\.\w+", dotted(node.func) or ""):
                return None
            if isinstance(node, ast.Return) and (node.value is None or (dotted(node.value) or "").startswith("self")):
                return None
        return None if self._overridden(owner.name, wanted) else found[0]

    def _overridden(self, owner: str, method: str) -> bool:
        for source in self.models.project.matching(re.compile(rf"\bclass\s+\w+\s*\([^)]*\b{owner}\b"), word=owner):
            for node in ast.walk(self.models.project.module(source.path) or ast.Module([], [])):
                derived = isinstance(node, ast.ClassDef) and any(
                    (dotted(base) or "").rpartition(".")[2] == owner for base in node.bases
                )
                if derived and any(isinstance(item, ast.FunctionDef) and item.name == method for item in node.body):  # type: ignore[attr-defined]
                    return True
        return False

    def is_model(self, value: ast.expr, path: str | None = None, depth: int = 0) -> bool | None:
        path = path or self.path
        call, _ = peel(value)
        if not isinstance(call, ast.Call):
            return False if isinstance(call, (ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.ListComp)) else None
        function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        name = dotted(function)
        if name is None:
            return None
        if path == self.path and (method := self.own_method(call)) is not None:
            return any(self.is_model(value, path, depth + 1) for value in _returned(method)) or None
        answer = self.models.is_model_class(path, name)
        if answer is not None:
            return answer
        names = self.models.names(path)
        qualified = names.qualified(name) if names else name
        if re.match(
            r"timm\.(create_model|models\.create_model|models\.factory\.create_model)$|torchvision\.models\.\w+",
            qualified,
        ):
            return True
        found = self.models.resolve(path, name)
        if isinstance(found, Place) and isinstance(found.node, ast.Dict) and depth < 4:  # a table of constructors
            made = [ast.Call(func=entry, args=[], keywords=[]) for entry in found.node.values]
            if any(self.is_model(entry, found.path, depth + 1) for entry in made):
                return True
        if isinstance(found, Place) and isinstance(found.node, ast.FunctionDef) and depth < 4:
            if found.node.returns is not None and re.search(r"\bModule\b", ast.unparse(found.node.returns)):
                return True
            for value in _returned(found.node):
                if self.is_model(value, found.path, depth + 1):
                    return True
        return None

    def only_torch(self, value: ast.expr) -> bool:
        """Whether nothing but layers of torch itself is built: without a group among the arguments they hold none."""
        names = self.models.names(self.path)
        calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
        if names is None or not all(
            (name := dotted(call.func)) and is_torch_layer(names.qualified(name)) for call in calls
        ):
            return False
        given = (inner for call in calls if _HOLDS_LAYERS.search(dotted(call.func) or "") for inner in call.args)
        return all(isinstance(inner, (ast.Call, ast.Constant)) for inner in given)

    def used_as_model_by_name(self, scope: Scope, key: str) -> bool:
        return any(
            isinstance(node, ast.Attribute) and node.attr in USED_AS_MODEL and dotted(node.value) == key
            for node in ast.walk(scope)
        )


def peel(value: ast.expr) -> tuple[ast.expr, list[ast.Call]]:
    """The construction inside `Net(...).to(device).train()`, and the method calls on it, in order."""
    steps: list[ast.Call] = []
    while (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in METHODS
        and isinstance(value.func.value, (ast.Call, ast.Name, ast.Attribute))
        and (isinstance(value.func.value, ast.Call) or dotted(value.func.value) is not None)
    ):
        steps.insert(0, value)
        value = value.func.value
    return value, steps


def targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What a function returns; a returned name stands for the values assigned to it."""
    nodes = list(walk_scope(function.body))
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            if isinstance(node.value, ast.Name):
                for other in nodes:
                    if isinstance(other, ast.Assign) and any(
                        spelled(target, node.value.id) for target in other.targets
                    ):
                        yield other.value
            else:
                yield node.value
