"""What a stretch of code does to the model in a variable."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...finding import Refused
from ...nodes import walk
from ...syntax.binding_rules import default_values, given_to, positional
from ...syntax.resolver import FinalValue
from .file_view import FileView, spelled, walk_scope
from .library import either, endings, names, whole
from .models import dotted


class Need(enum.Enum):
    """What a copy that is built anew lacks, beyond its state dict."""

    CASTS = "dtype and device"
    BUFFERS = "buffers outside the state dict"
    GRADS = "requires_grad"
    MODES = "train or eval mode"
    FLAGS = "flags set on layers"


class Wrapped(Refused):
    """The model is not the bare one any more: it was wrapped, or its layers were replaced."""


DATA_PARALLEL = endings("data_parallel")
SHARDED = endings("sharding")
WRAPPED = endings("sharding", "data_parallel", "wrapping")
_FULLY_SHARDED = names("fully_sharded")
_NO_GRAD = re.compile(r"no_grad|inference_mode|set_grad_enabled")
MODEL_METHODS = {
    **dict.fromkeys(names("casting_methods"), Need.CASTS),
    **dict.fromkeys(("train", "eval"), Need.MODES),
    "requires_grad_": Need.GRADS,
}
_READERS = names("reading_methods")
_OF_TENSORS = names("tensor_methods")
_READING_CALLS = either(whole("reading_functions"), endings("reading_calls"))
_PRINTS = endings("printing_calls")
_SETTINGS = re.compile(r"\.(cfg|config|args|opts?|options|hparams|params)\b")
_AROUND = ("enumerate", "list", "zip", "tuple", "reversed")
_DEPTH = 3  # functions followed at most


@dataclass
class Effects:
    """What happens to the model: what a copy built anew needs beyond the state dict, and why it can't have it."""

    needs: set[Need] = field(default_factory=set)
    refused: Refused | None = None
    prints: bool = False  # or logs: not to be done a second time
    ran: int | None = None  # the line that runs the model with gradients on

    def refuse(self, why: Refused | str) -> None:
        """Remember the first reason."""
        if self.refused is None:
            self.refused = Refused(why) if isinstance(why, str) else why


def _contexts(statement: ast.With) -> str:
    return " ".join(ast.unparse(item.context_expr) for item in statement.items)


def wrapped(name: str, line: int, key: str) -> Wrapped:
    """Why a model that went through `name` is not copied, and what to do instead."""
    last = name.rpartition(".")[2]
    wraps = f"line {line} wraps `{key}` in `{name}`"
    if last in _FULLY_SHARDED:
        return Wrapped(
            f"{wraps}: sharded parameters can't be deep-copied. Build the copy before "
            "that line, shard it in the same way, and let it follow the model shard by shard"
        )
    if SHARDED.search(name):
        return Wrapped(
            f"{wraps}: the engine holds process groups and can't be deep-copied. "
            "Build the copy before that line and read the trained weights from the engine's `.module`"
        )
    if last == "compile":
        return Wrapped(f"{wraps}: copy the bare model before that line, compile the copy too")
    if DATA_PARALLEL.search(name):
        return Wrapped(f"{wraps}: copy the bare model before that line")
    return Wrapped(f"{wraps}, or replaces its layers: copy the bare model before that line")


@dataclass
class Uses:
    """Classifies uses of a model in one file."""

    view: FileView
    depth: int = 0
    constants: frozenset[str] = frozenset()  # variables that are known to be a literal
    may_run: bool = False  # running the model leaves nothing on it but what can't be copied
    aliases_count: bool = True  # whether a second name is a reason; not so for tensors, which the state dict has

    def effects(self, body: Iterable[ast.AST], key: str) -> Effects:
        """What the statements `body` do to the model in `key`; rebindings of `key` itself are the caller's concern."""
        found = Effects()
        for node in walk_scope(body):
            if isinstance(node, ast.Call) and (name := dotted(node.func)) and _PRINTS.search(name):
                found.prints = True
            if spelled(node, key) and isinstance(getattr(node, "ctx", None), ast.Load):
                self._use(node, key, found)
        return found

    def _use(self, node: ast.AST, key: str, found: Effects) -> None:
        line = getattr(node, "lineno", 0)
        top = node  # the longest chain `key.a.b[0].c` around the variable
        while isinstance(parent := self.view.parents.get(top), (ast.Attribute, ast.Subscript)) and parent.value is top:
            top = parent
        parent = self.view.parents.get(top)
        if isinstance(top, (ast.Attribute, ast.Subscript)) and isinstance(top.ctx, (ast.Store, ast.Del)):
            self._store(top, node, found, line, key)
        elif isinstance(parent, ast.Call) and parent.func is top:
            if top is node:
                quiet = any(
                    isinstance(around, ast.With) and _NO_GRAD.search(_contexts(around))
                    for around in self.view.ancestors(node)
                )
                if not quiet:
                    found.ran = found.ran or line
                if quiet or not self.may_run:
                    found.refuse(f"line {line} runs `{key}`, which may leave something on its layers")
            else:
                self._method(parent, top, node, found, key)
        elif isinstance(parent, (ast.keyword, ast.Call, ast.Starred)):
            call: ast.AST | None = parent
            while isinstance(call, (ast.keyword, ast.Starred)):
                call = self.view.parents.get(call)
            if isinstance(call, ast.Call):
                self._argument(call, top, node, found, key)
        elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and parent.value is top and top is node:
            self._alias(found, f"line {line} gives `{key}` a second name, by which it may be changed")
        elif isinstance(parent, (ast.List, ast.Tuple, ast.Dict, ast.Set)) and top is node:
            if not self._inside_call(parent, re.compile(r"(^|\.)(save|isinstance|print)$")):
                self._alias(found, f"line {line} puts `{key}` into a container, through which it may be changed")
        elif isinstance(parent, ast.For) and parent.iter is top:
            if _SETTINGS.search(ast.unparse(top)):  # no layers
                found.refuse(f"line {line} loops over `{ast.unparse(top)}`, which may change it")
            self._elements(top, found)

    def _alias(self, found: Effects, why: str) -> None:
        if self.aliases_count:
            found.refuse(why)

    def _store(self, top: ast.Attribute | ast.Subscript, node: ast.AST, found: Effects, line: int, key: str) -> None:
        name = top.attr if isinstance(top, ast.Attribute) else "[...]"
        statement = self.view.parents.get(top)
        if name == "requires_grad":
            found.needs.add(Need.GRADS)
        elif name == "training":
            found.needs.add(Need.MODES)
        elif name in ("data", "grad"):
            pass  # the state dict has it
        elif top.value is node and isinstance(statement, ast.Assign) and self._plain(statement.value):
            found.needs.add(Need.FLAGS)
        else:
            found.refuse(f"line {line} sets or removes `{ast.unparse(top)}`, which building `{key}` anew would miss")

    def _method(self, call: ast.Call, top: ast.AST, node: ast.AST, found: Effects, key: str) -> None:
        assert isinstance(top, (ast.Attribute, ast.Subscript))
        name = top.attr if isinstance(top, ast.Attribute) else ""
        if name in MODEL_METHODS:
            found.needs.add(MODEL_METHODS[name])
        elif name == "load_state_dict":
            if any(keyword.arg == "assign" for keyword in call.keywords):
                found.needs |= {Need.CASTS, Need.GRADS}
        elif name in _READERS or (_READING_CALLS.match(name) and not name.endswith("_")):
            self._iterated(call, found)
        elif name in _OF_TENSORS and top.value is not node:
            pass
        elif name == "apply" and len(call.args) == 1:
            self._callee(
                call.args[0],
                0,
                None,
                None,
                found,
                f"line {call.lineno} applies `{ast.unparse(call.args[0])}` to `{key}`",
            )
        elif name.endswith("_") and not name.startswith("_") and top.value is not node:
            if not {"data", "weight", "bias", "grad"} & set((dotted(top) or "").split(".")):
                found.needs.add(Need.BUFFERS)  # a tensor changed in place; the state dict has the parameters
        else:
            found.refuse(
                f"line {call.lineno} calls `{ast.unparse(call.func)}(...)`, which may change more than its state dict"
            )

    def _argument(self, call: ast.Call, top: ast.AST, node: ast.AST, found: Effects, key: str) -> None:
        name = dotted(call.func) or ""
        if name.endswith(".append"):
            self._alias(found, f"line {call.lineno} puts `{key}` into a container, through which it may be changed")
            return
        if _READING_CALLS.search(name) or (DATA_PARALLEL.search(name) and top is node):
            self._elements(top, found)
            return
        if WRAPPED.search(self.view.qualified(name)):
            found.refuse(wrapped(name, call.lineno, key))
            return
        if (
            top is not node
            and isinstance(top, ast.Attribute)
            and top.attr in ("device", "dtype", "config", "cfg", "training")
        ):
            return
        why = f"line {call.lineno} gives `{key}` to `{name or ast.unparse(call.func)}(...)`, which may change it"
        if top is not node or any(isinstance(argument, ast.Starred) for argument in call.args):
            found.refuse(why)
            return
        position = next((i for i, argument in enumerate(call.args) if argument is node), None)
        keyword = next((kw.arg for kw in call.keywords if kw.value is node), None)
        self._callee(call.func, position, keyword, call, found, why)

    def _callee(
        self,
        function: ast.expr,
        position: int | None,
        keyword: str | None,
        call: ast.Call | None,
        found: Effects,
        why: str,
    ) -> None:
        name = dotted(function)
        if isinstance(function, ast.Lambda) or name is None or self.depth > _DEPTH:
            found.refuse(why)
            return
        place = self._definition(function, name)
        if place is None or not isinstance(place.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.refuse(why)
            return
        arguments = place.node.args
        ordered = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
        parameter = keyword or (ordered[position] if position is not None and position < len(ordered) else None)
        if parameter is None:
            found.refuse(why)
            return
        same = place.path == self.view.path
        view = self.view if same else FileView(self.view.models, place.outline)
        constants = self._constants(place.node, call) if call else self.constants
        inner = Uses(view, self.depth + 1, constants)
        effects = inner.effects(place.node.body, parameter)
        rebinds = any(
            isinstance(node, ast.Name) and node.id == parameter and isinstance(node.ctx, (ast.Store, ast.Del))
            for node in walk(place.node)
        )
        if effects.refused or rebinds:
            found.refuse(f"{why} ({place.path}:{place.node.lineno})")
        found.needs |= effects.needs
        found.prints = found.prints or effects.prints

    def _constants(self, function: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call) -> frozenset[str]:
        """Parameters of `function` that hold a literal in this call."""
        if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
            kw.arg is None for kw in call.keywords
        ):
            return frozenset()
        values = default_values(function) | given_to(positional(function), call)
        stored = {n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return frozenset(name for name, value in values.items() if self._plain(value) and name not in stored)

    def _definition(self, function: ast.expr, name: str) -> FinalValue | None:
        if "." not in name:  # a function nested in the present one comes first
            node: ast.AST | None = function
            while node is not None:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    for inner in walk(node):
                        if isinstance(inner, ast.FunctionDef) and inner.name == name and inner is not node:
                            return FinalValue(self.view.outline, inner)
                node = self.view.parents.get(node)
        place = self.view.models.resolve(self.view.path, name)
        return place if isinstance(place, FinalValue) else None

    def _iterated(self, call: ast.Call, found: Effects) -> None:
        """`for p in model.parameters():` does to the model what its body does to `p`."""
        tensors = isinstance(call.func, ast.Attribute) and re.search(r"parameters|buffers", call.func.attr)
        named = isinstance(call.func, ast.Attribute) and call.func.attr.startswith("named_")
        self._elements(call, found, named, aliases_count=not tensors)

    def _elements(self, parts: ast.AST, found: Effects, named: bool = False, aliases_count: bool = True) -> None:
        """What a loop over `parts` of the model does to them. `named`: they come with a name, as a tuple."""
        node, parent = parts, self.view.parents.get(parts)
        numbered = False
        while isinstance(parent, ast.Call) and (around := dotted(parent.func)) in _AROUND:
            numbered |= around == "enumerate"
            node, parent = parent, self.view.parents.get(parent)
        if not (isinstance(parent, ast.For) and parent.iter is node):
            return
        elements = [parent.target]
        while numbered or named:  # what comes before is a number or a name
            elements = [
                last for node in elements for last in (node.elts[-1:] if isinstance(node, ast.Tuple) else [node])
            ]
            numbered, named = numbered and named, False
        for target in (inner for element in elements for inner in walk(element) if isinstance(inner, ast.Name)):
            inner = Uses(self.view, self.depth + 1, self.constants, aliases_count=aliases_count)
            effects = inner.effects(parent.body, target.id)
            if effects.refused:
                found.refuse(effects.refused)
            found.needs |= effects.needs
            found.prints |= effects.prints

    def _inside_call(self, node: ast.AST, called: re.Pattern[str]) -> bool:
        while isinstance(parent := self.view.parents.get(node), ast.expr):
            if isinstance(parent, ast.Call):
                return bool(called.search(dotted(parent.func) or ""))
            node = parent
        return False

    def _plain(self, value: ast.expr) -> bool:
        """A number, string or truth value that every run of the statement gives."""
        return isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id in self.constants)
