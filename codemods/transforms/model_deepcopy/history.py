"""How a model was built, and what was done to it between that and its copy: may the copy be built anew?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ...finding import Refused
from .binding import ModelBinding
from .constructor_survey import Trait, survey
from .evidence import shards
from .file_view import FileView, arguments_of, spelled, walk_scope
from .is_model import only_torch, own_method, peel
from .kept_by_forward import freezes
from .library import names
from .model_copy import Construction, History, Site
from .models import dotted
from .repeatable import (
    arguments_changed,
    globals_changed,
    not_repeatable,
    shared_argument,
    surroundings,
    unknown_callable,
)
from .uses import DATA_PARALLEL, WRAPPED, Need, Uses, wrapped

_TESTS = names("repeatable_tests")


@dataclass(frozen=True)
class Copied:
    """What is copied: the model in `key`, maybe the `.module` of a wrapper."""

    key: str
    either: bool  # a wrapper is taken off only where there is one

    @property
    def variable(self) -> str:
        """The variable of the model, without the `.module` of a wrapper."""
        return self.key.removesuffix(".module")

    @property
    def unwrapped(self) -> bool:
        """Whether the `.module` of a wrapper is copied."""
        return self.key != self.variable


def history_of(view: FileView, site: Site, binding: ModelBinding, copied: Copied) -> History:
    """What happened to the model that `binding` builds until it is copied at `site`."""
    call, steps = peel(binding.value)
    assert isinstance(call, ast.Call)
    builder = own_method(view, call)
    inside = survey(view.models, view.path, call, builder.body if builder else ())
    between = list(view.between(site.scope, binding.statement, site.statement))
    only_caches = inside.where(Trait.KEEPS) is not None and not inside.keeps_more and not inside.opaque
    only_caches = only_caches and not freezes(between)
    uses = Uses(view, may_run=only_caches)
    seen = _Between(view, site, copied, uses, list(steps), parallel=copied.either or not copied.unwrapped)
    if binding.refused is not None:
        seen.refuse(binding.refused)
    if len(steps) < _chain_length(binding.value):
        seen.refused = Refused(f"what `{ast.unparse(binding.value)[:60]}` returns may not be the model that was built")
    seen.read(between)
    effects = uses.effects(seen.rest, copied.variable)
    if freezes(between):
        effects = replace(effects, ran=None)
    refused = seen.refused
    if refused is None and not seen.parallel:
        refused = Refused(
            f"`{copied.variable}.module` is the model inside a wrapper, and this function does not show what wraps it"
        )
    shard = next((s for node in [call, *between] if (s := shards(view, node, copied.variable)) is not None), None)
    if shard is not None:
        refused = wrapped(dotted(shard.func) or "", shard.lineno, copied.variable)
    again: list[ast.AST] = [call, *(arg for step in seen.steps for arg in arguments_of(step)), *seen.repeated]
    again += [node for node in ast.walk(builder) if (dotted(node) or "").startswith("self.")] if builder else []
    refused = (
        refused
        or effects.refused
        or arguments_changed(between, again, copied.variable)
        or globals_changed(view, between, inside)
        or unknown_callable(view, site, call)
        or surroundings(view, site, binding.statement, between)
        or shared_argument(view, site, call, binding.statement)
        or not_repeatable(inside)
    )
    construction = Construction(
        binding.statement, call, tuple(seen.steps), tuple(seen.repeated), inside, _is_external(view, call)
    )
    return History(construction, effects, shard is not None, refused)


@dataclass
class _Between:
    """What the statements between the construction and the copy do to the model's variable, one after the other."""

    view: FileView
    site: Site
    copied: Copied
    uses: Uses
    steps: list[ast.Call]  # method calls that every run makes on the model
    parallel: bool  # a DistributedDataParallel is in sight, where its `.module` is copied
    refused: Refused | None = None

    def __post_init__(self) -> None:
        self.repeated: list[ast.stmt] = []  # statements that only set flags, which can run for the copy too
        self.rest: list[ast.AST] = []  # what else may act on the model

    def refuse(self, reason: Refused) -> None:
        """Remember the first reason."""
        self.refused = self.refused or reason

    def read(self, nodes: Iterable[ast.AST]) -> None:
        """Statements, and tests of blocks, in their order."""
        for node in nodes:
            calls = _method_calls(node, self.copied.variable)
            if calls is not None and isinstance(node, ast.stmt) and self._always_runs(node):
                self.steps += calls
            elif isinstance(node, ast.Assign) and spelled(node.targets[0], self.copied.variable):
                self._rebinding(node, calls)
            else:
                self._other(node)

    def _always_runs(self, node: ast.stmt) -> bool:
        return self.view.dominates(node, self.site.statement)

    def _rebinding(self, node: ast.Assign, calls: list[ast.Call] | None) -> None:
        """`model = ...`"""
        name = _called_by(node)
        if name and DATA_PARALLEL.search(name) and (self.copied.either or not self.parallel):
            self.parallel = True
        elif calls is not None:
            self.rest.append(node.value)
        else:
            self._replaced(name, node.lineno, "makes `{key}` something else: copy the bare model before that line")

    def _replaced(self, name: str, line: int, words: str) -> None:
        """The variable is another object from `line` on, which `name` returned."""
        key = self.copied.variable
        self.refuse(
            wrapped(name, line, key) if WRAPPED.search(name) else Refused(f"line {line} {words.format(key=key)}")
        )

    def _other(self, node: ast.AST) -> None:
        own = self.uses.effects([node], self.copied.variable)
        flags_only = own.needs == {Need.FLAGS} and not own.refused and not own.prints
        if (
            flags_only
            and isinstance(node, ast.stmt)
            and self._always_runs(node)
            and _repeatable(node, self.copied.variable)
        ):
            self.repeated.append(node)
            return
        self.rest.append(node)
        for inner in self._stores(node):
            owner = self.view.parents[inner]
            same = isinstance(owner, ast.Assign) and _method_calls(owner, self.copied.variable) is not None
            if not same and not (self.copied.either and _wraps_parallel(owner, self.copied.variable)):
                words = "may make `{key}` something else: copy the model before that line"
                self._replaced(_called_by(owner), getattr(inner, "lineno", 0), words)

    def _stores(self, node: ast.AST) -> Iterator[ast.AST]:
        for inner in walk_scope([node]):
            stored = isinstance(getattr(inner, "ctx", None), (ast.Store, ast.Del))
            if stored and spelled(inner, self.copied.variable):
                yield inner


def _is_external(view: FileView, call: ast.Call) -> bool:
    """Whether a library's class or function builds the model, other than torch's own layers."""
    name = dotted(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
    resolved = view.models.resolve(view.path, name) if name else None
    if not isinstance(resolved, str):
        return False
    outside = {origin.partition(".")[0] for origin in view.outline.imported.values() if not origin.startswith(".")}
    return resolved.partition(".")[0] in outside and not only_torch(view, call)


def _chain_length(value: ast.expr) -> int:
    length = 0
    while (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and isinstance(value.func.value, ast.Call)
    ):
        length, value = length + 1, value.func.value
    return length


def _method_calls(node: ast.AST, key: str) -> list[ast.Call] | None:
    """The method calls of `model.to(device)` or `model = model.to(device).half()`, None for any other statement."""
    value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
    if isinstance(node, ast.Assign) and not (len(node.targets) == 1 and spelled(node.targets[0], key)):
        return None
    if value is None:
        return None
    inner, steps = peel(value)
    return steps if steps and spelled(inner, key) else None


def _called_by(node: ast.AST) -> str:
    """`torch.compile` of `model = torch.compile(model)`"""
    return (dotted(node.value.func) or "") if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else ""


def _wraps_parallel(node: ast.AST, key: str) -> bool:
    """`model = DDP(model, ...)`"""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and bool(DATA_PARALLEL.search(dotted(node.value.func) or ""))
        and bool(node.value.args)
        and spelled(node.value.args[0], key)
    )


def _repeatable(node: ast.stmt, key: str) -> bool:
    """`prepare(model)`, or such calls under an `if` whose test only reads."""
    if isinstance(node, ast.If):
        reads = all(
            not isinstance(inner, ast.Call) or (dotted(inner.func) or "").rpartition(".")[2] in _TESTS
            for inner in ast.walk(node.test)
        )
        return reads and not node.orelse and all(_repeatable(inner, key) for inner in node.body)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
