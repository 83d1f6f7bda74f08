"""Whether the call that built a model can be made a second time and gives an equal model that shares nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .constructor_survey import CONFIG, GROUP_CALL, Survey, changed
from .resolve import dotted
from .scope import Copy, ModelScope
from .uses import walk_scope

_MODELISH = re.compile(
    r"(^|_)((model|net|network|encoder|decoder|backbone|head|module|embedding|vae|unet|teacher|student|critic|actor|policy|"
    r"transformer|weight)s?|layer)(_?\d+)?$"
)
_PLAIN_TORCH = re.compile(
    r"^torch\.(device|distributed\.\w+|get_default_dtype|cuda\.\w+|Size|finfo|\w*int\d+|b?float\d*)$"
)
_DEFAULTS = re.compile(r"(^|\.)(set_default_\w+|set_device|use_deterministic_algorithms)$")
_CONTEXTS = re.compile(r"device|inference_mode|dtype|init_empty|init_on|no_init|skip_init|zero\.Init|set_default")


class Again(ModelScope):
    """Each check gives the reason, in words, why not; None when nothing speaks against it."""

    def arguments_changed(self, copy: Copy, between: list[ast.AST], again: list[ast.AST], key: str) -> str | None:
        reads = {chain for node in again for chain in _chains(node)} - {key}
        for node in between:
            if node in again:
                continue
            for inner in walk_scope([node]):
                for chain in changed(inner):
                    if chain != key and any(_overlap(chain, read) for read in reads):
                        return f"line {inner.lineno} changes `{chain}`, which the construction uses"  # type: ignore[attr-defined]
        return None

    def unknown_callable(self, copy: Copy, call: ast.Call) -> str | None:
        """A callable that was passed in, or a method of the present object, may give anything, even the same model."""
        name = dotted(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
        if name is None:
            return f"what `{ast.unparse(call.func)}(...)` gives can't be seen"
        first = name.partition(".")[0]
        arguments = () if isinstance(copy.scope, ast.Module) else ast.walk(copy.scope.args)
        if self.own_method(call) is not None:
            return None
        local = any(isinstance(node, ast.arg) and node.arg == first for node in arguments)
        if local or first == "self" or self.bindings(copy.scope, first, copy.statement):
            return f"what `{name}(...)` gives can't be seen: call the class, or a function of this repository, by name"
        return None

    def surroundings(self, copy: Copy, base: ast.stmt, between: list[ast.AST]) -> str | None:
        """Defaults and contexts under which building gives something else."""
        for node in between:
            for inner in walk_scope([node]):
                if isinstance(inner, ast.Call) and _DEFAULTS.search(dotted(inner.func) or ""):
                    return f"line {inner.lineno} changes a default that building depends on"
        around = set(self.ancestors(base))
        for node in self.ancestors(copy.statement):
            if isinstance(node, (ast.With, ast.AsyncWith)) and node not in around:
                for item in node.items:
                    if _CONTEXTS.search(context := ast.unparse(item.context_expr)):
                        return f"the copy is made inside `with {context}`, the model was built outside"
            if node is copy.scope:
                break
        return None

    def shared_argument(self, copy: Copy, call: ast.Call, statement: ast.stmt) -> str | None:
        """A module or tensor among the arguments would be shared by both models."""
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            for node in walk_scope([argument]):
                if isinstance(node, ast.Call):
                    name = dotted(node.func) or ""
                    if name in ("next", "input") or any(True for _ in changed(node)):
                        return f"`{ast.unparse(node)[:60]}` among the arguments gives something else each time"
                    if GROUP_CALL.search(name) and re.search(r"new_", name):
                        return f"building again would make another process group: keep `{name}(...)` in a variable"
                    if self._makes_tensor(name):
                        return f"`{name}(...)` among the arguments would not give the same again"
                if not isinstance(node, ast.Name) or self._function_position(node):
                    continue
                chain = self._chain_around(node)
                if self._may_be_module(copy, chain, statement):
                    return (
                        f"`{chain}`, an argument of the construction, may be a module or a tensor: "
                        "a model built anew would share it with the first"
                    )
        return None

    def _makes_tensor(self, name: str) -> bool:
        names = self.models.names(self.path)
        qualified = names.qualified(name) if names else name
        return (
            qualified.startswith("torch.")
            and not qualified.startswith("torch.nn.")
            and not _PLAIN_TORCH.match(qualified)
        )

    def _function_position(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        while isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node:
            node, parent = parent, self.parents.get(parent)
        return (
            isinstance(parent, ast.Call)
            and parent.func is node
            and not (isinstance(node, ast.Attribute) and node.attr == "get")
        )

    def _chain_around(self, node: ast.AST) -> str:
        while isinstance(parent := self.parents.get(node), ast.Attribute):
            node = parent
        return dotted(node) or ""

    def _may_be_module(self, copy: Copy, chain: str, before: ast.stmt, depth: int = 0) -> bool:
        bindings = self.bindings(copy.scope, chain, before)
        if chain == "self":
            return True
        if not bindings:
            if CONFIG.match(chain) or chain.partition(".")[0] in ("torch", "nn", "F"):
                return False
            names = self.models.names(self.path)
            if names is not None and chain in names.definitions:
                found = names.definitions[chain]
                return isinstance(found, ast.Call) and self._value_may_be_module(copy, chain, found, before, depth)
            return bool(_MODELISH.search(chain)) or self.used_as_model_by_name(copy.scope, chain)
        if self.used_as_model_by_name(copy.scope, chain):
            return True
        return any(
            (not isinstance(binding, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and bool(_MODELISH.search(chain)))
            or self._value_may_be_module(copy, chain, getattr(binding, "value", None), before, depth)
            for binding in bindings
        )

    def _value_may_be_module(
        self, copy: Copy, chain: str, value: ast.expr | None, before: ast.stmt, depth: int
    ) -> bool:
        if value is None or depth > 4:
            return bool(_MODELISH.search(chain))
        called = False
        for node in ast.walk(value):
            if isinstance(node, ast.Call):
                called = True
                name = dotted(node.func) or ""
                if self._makes_tensor(name) or self.is_model(node):
                    return True
                if name.startswith(("nn.", "torch.nn.")):
                    return True
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not self._function_position(node):
                inner = self._chain_around(node)
                if inner != chain and self._may_be_module(copy, inner, before, depth + 1):
                    return True
        return called and bool(_MODELISH.search(chain))


def not_repeatable(survey: Survey) -> str | None:
    if survey.random_attribute:
        return f"building it draws a random tensor that no state dict holds ({survey.random_attribute})"
    if survey.other_random:
        return f"building it draws from numpy's or Python's random generator ({survey.other_random})"
    if survey.collective:
        return f"building it takes all ranks, or makes a new process group ({survey.collective})"
    if survey.cached:
        return f"what builds it keeps its results ({survey.cached}): a second call gives the same model"
    if survey.wraps:
        return f"building it wraps the model ({survey.wraps}): copy the bare model before that"
    if survey.changes_global:
        return f"building it changes a global variable ({survey.changes_global})"
    if survey.changes_arguments:
        return f"building it changes an argument in place ({survey.changes_arguments}): a second call may give another"
    return None


def arguments_of(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _chains(node: ast.AST) -> Iterator[str]:
    """`a.b` for every variable or chain of attributes that `node` reads."""
    if isinstance(node, (ast.Attribute, ast.Name)) and (text := dotted(node)) is not None:
        yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from _chains(child)


def _overlap(changed: str, read: str) -> bool:
    return changed == read or read.startswith(f"{changed}.") or changed.startswith(f"{read}.")
