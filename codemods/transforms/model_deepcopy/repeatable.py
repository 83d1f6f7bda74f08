"""Whether the call that built a model can be made a second time and gives an equal model that shares nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Refused
from .constructor_survey import Survey, Trait, changed
from .file_view import FileView, arguments_of, walk_scope
from .is_model import is_model, own_method, used_as_model
from .library import endings, names
from .model_copy import Site
from .models import dotted
from .process_groups import CONFIGURATION, MAKERS
from .uses import Wrapped

_MODEL_NAME = re.compile(rf"(^|[_.])({'|'.join(sorted(names('model_variables')))})(_?\d+)?$")
_PLAIN_TORCH = re.compile(
    r"^torch\.(device|distributed\.\w+|get_default_dtype|cuda\.\w+|Size|finfo|\w*int\d+|b?float\d*)$"
)
_DEFAULTS = endings("default_setters")
_CONTEXTS = re.compile(r"device|inference_mode|dtype|init_empty|init_on|no_init|skip_init|zero\.Init|set_default")
_DEPTH = 4  # variables followed at most


def arguments_changed(between: list[ast.AST], again: list[ast.AST], key: str) -> Refused | None:
    """A statement before the copy changes what the nodes `again`, which would run a second time, read."""
    reads = {chain for node in again for chain in _chains(node)} - {key}
    for node in between:
        if node in again:
            continue
        for inner in walk_scope([node]):
            for chain in changed(inner):
                if chain != key and any(_overlap(chain, read) for read in reads):
                    line = inner.lineno  # type: ignore[attr-defined]
                    return Refused(f"line {line} changes `{chain}`, which the construction uses")
    return None


def globals_changed(view: FileView, between: list[ast.AST], survey: Survey) -> Refused | None:
    """A statement before the copy changes a global of this file that the construction reads, if not as an argument."""
    reads = [chain for chain, path in survey.reads.items() if path == view.path]
    for inner in (inner for node in between for inner in walk_scope([node])) if reads else ():
        for chain in changed(inner):
            if any(_overlap(chain, read) for read in reads):
                line = inner.lineno  # type: ignore[attr-defined]
                return Refused(f"line {line} changes `{chain}`, which building the model reads")
    return None


def unknown_callable(view: FileView, site: Site, call: ast.Call) -> Refused | None:
    """A callable that was passed in, or a method of the present object, may return anything, even the same model."""
    name = dotted(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
    if name is None:
        return Refused(f"what `{ast.unparse(call.func)}(...)` returns can't be seen")
    if own_method(view, call) is not None:
        return None
    first = name.partition(".")[0]
    arguments = () if isinstance(site.scope, ast.Module) else ast.walk(site.scope.args)
    local = any(isinstance(node, ast.arg) and node.arg == first for node in arguments)
    if local or first == "self" or view.bindings(site.scope, first, site.statement):
        return Refused(
            f"what `{name}(...)` returns can't be seen: call the class, or a function of this repository, by name"
        )
    return None


def surroundings(view: FileView, site: Site, built: ast.stmt, between: list[ast.AST]) -> Refused | None:
    """Defaults and contexts under which building gives something else."""
    for node in between:
        for inner in walk_scope([node]):
            if isinstance(inner, ast.Call) and _DEFAULTS.search(dotted(inner.func) or ""):
                return Refused(f"line {inner.lineno} changes a default that building depends on")
    around = set(view.ancestors(built))
    for node in view.ancestors(site.statement):
        if isinstance(node, (ast.With, ast.AsyncWith)) and node not in around:
            for item in node.items:
                if _CONTEXTS.search(context := ast.unparse(item.context_expr)):
                    return Refused(f"the copy is created inside `with {context}`, the model was built outside")
        if node is site.scope:
            break
    return None


def shared_argument(view: FileView, site: Site, call: ast.Call, built: ast.stmt) -> Refused | None:
    """A module or tensor among the arguments would be shared by both models."""
    modules = _PossibleModules(view, site, built)
    for node in (node for argument in arguments_of(call) for node in walk_scope([argument])):
        if isinstance(node, ast.Call):
            name = dotted(node.func) or ""
            if name in ("next", "input") or any(True for _ in changed(node)):
                return Refused(f"`{ast.unparse(node)[:60]}` among the arguments is another value each time")
            if MAKERS.search(name) and re.search(r"new_", name):
                return Refused(f"building again would make another process group: keep `{name}(...)` in a variable")
            if _makes_tensor(view, name):
                return Refused(f"`{name}(...)` among the arguments would not return the same value again")
        if isinstance(node, ast.Name) and not _is_called(view, node):
            chain = _chain_around(view, node)
            if modules.may_be_one(chain):
                return Refused(
                    f"`{chain}`, an argument of the construction, may be a module or a tensor: "
                    "a model built anew would share it with the first"
                )
    return None


@dataclass(frozen=True)
class _PossibleModules:
    """Which variables may be modules or tensors at `before`, in the function of `site`."""

    view: FileView
    site: Site
    before: ast.stmt

    def may_be_one(self, chain: str, depth: int = 0) -> bool:
        """Whether `chain` (a variable, or an attribute of one) may be a module or a tensor."""
        if chain == "self":
            return True
        bindings = self.view.bindings(self.site.scope, chain, self.before)
        if not bindings:
            return self._from_outside(chain, depth)
        return used_as_model(self.site.scope, chain) or any(
            (not isinstance(binding, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and _is_named_so(chain))
            or self._value_may_be_one(chain, getattr(binding, "value", None), depth)
            for binding in bindings
        )

    def _from_outside(self, chain: str, depth: int) -> bool:
        """For a variable that the function does not bind."""
        if CONFIGURATION.match(chain) or chain.partition(".")[0] in ("torch", "nn", "F"):
            return False
        found = self.view.outline.defined(chain)
        if found is not None:
            return isinstance(found, ast.Call) and self._value_may_be_one(chain, found, depth)
        return _is_named_so(chain) or used_as_model(self.site.scope, chain)

    def _value_may_be_one(self, chain: str, value: ast.expr | None, depth: int) -> bool:
        if value is None or depth > _DEPTH:
            return _is_named_so(chain)
        called = False
        for node in ast.walk(value):
            if isinstance(node, ast.Call):
                called = True
                name = dotted(node.func) or ""
                if _makes_tensor(self.view, name) or is_model(self.view, node) or name.startswith(("nn.", "torch.nn.")):
                    return True
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not _is_called(self.view, node):
                inner = _chain_around(self.view, node)
                if inner != chain and self.may_be_one(inner, depth + 1):
                    return True
        return called and _is_named_so(chain)


def _is_named_so(chain: str) -> bool:
    return bool(_MODEL_NAME.search(chain))


def _makes_tensor(view: FileView, name: str) -> bool:
    qualified = view.qualified(name)
    return (
        qualified.startswith("torch.") and not qualified.startswith("torch.nn.") and not _PLAIN_TORCH.match(qualified)
    )


def _is_called(view: FileView, node: ast.AST) -> bool:
    """Whether `node` only names what is called: `build` of `build(x)`, not `table` of `table.get(x)`."""
    parent = view.parents.get(node)
    while isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node:
        node, parent = parent, view.parents.get(parent)
    return (
        isinstance(parent, ast.Call)
        and parent.func is node
        and not (isinstance(node, ast.Attribute) and node.attr == "get")
    )


def _chain_around(view: FileView, node: ast.AST) -> str:
    """`a.b.c` around `a`; of `table.get(x)` the table."""
    while isinstance(parent := view.parents.get(node), ast.Attribute):
        called = view.parents.get(parent)
        if isinstance(called, ast.Call) and called.func is parent:
            break
        node = parent
    return dotted(node) or ""


_NOT_REPEATABLE = {
    Trait.RANDOM_ATTRIBUTE: "building it draws a random tensor that no state dict holds ({at})",
    Trait.OTHER_RANDOM: "building it draws from numpy's or Python's random generator ({at})",
    Trait.COLLECTIVE: "building it takes all ranks, or makes a new process group ({at})",
    Trait.CACHED: "what builds it keeps its results ({at}): a second call gives the same model",
    Trait.WRAPS: "building it wraps the model ({at}): copy the bare model before that",
    Trait.PRINTS: "building it prints ({at}), and would once more",
    Trait.CHANGES_GLOBAL: "building it changes a global variable ({at})",
    Trait.CHANGES_ARGUMENTS: "building it changes an argument in place ({at}): a second call may give another",
}


def not_repeatable(survey: Survey) -> Refused | None:
    """What building the model does that must not be done twice."""
    for trait, reason in _NOT_REPEATABLE.items():
        if (at := survey.where(trait)) is not None:
            return (Wrapped if trait is Trait.WRAPS else Refused)(reason.format(at=at))
    return None


def _chains(node: ast.AST) -> Iterator[str]:
    """`a.b` for every variable or chain of attributes that `node` reads."""
    if isinstance(node, (ast.Attribute, ast.Name)) and (text := dotted(node)) is not None:
        yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from _chains(child)


def _overlap(changed: str, read: str) -> bool:
    return changed == read or read.startswith(f"{changed}.") or changed.startswith(f"{read}.")
