"""What a stretch of code does to a model that one of its variables holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .resolve import Models, Place, dotted

# What a copy built anew lacks, beyond its state dict:
CASTS, BUFFERS, GRADS, MODES, FLAGS = "casts", "buffers", "grads", "modes", "flags"
WRAPPED = re.compile(
    r"(^|\.)(FSDP|FullyShardedDataParallel|fully_shard|compile|prepare|prepare_model|boost|enable_lora|get_peft_model|"
    r"deepspeed\.initialize|DeepSpeedEngine|initialize_engine|DDP|DistributedDataParallel|DataParallel|Distributed\w*DataParallel|"
    r"MMDistributedDataParallel|MMDataParallel)$"
)
DDP = re.compile(r"(^|\.)(MM)?(DDP|(Distributed)?DataParallel)$")
SHARDED = re.compile(
    r"(^|\.)(FSDP|FullyShardedDataParallel|fully_shard|deepspeed\.initialize|DeepSpeedEngine|initialize_engine)$"
)
_NO_GRAD = re.compile(r"no_grad|inference_mode|set_grad_enabled")
METHODS = {
    **dict.fromkeys(("to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "xpu", "npu"), CASTS),
    **dict.fromkeys(("train", "eval"), MODES),
    "requires_grad_": GRADS,
}
_READERS = {
    "parameters", "named_parameters", "buffers", "named_buffers", "modules", "named_modules", "children",
    "named_children", "state_dict", "zero_grad", "get_submodule", "get_parameter", "get_buffer", "extra_repr", "numel",
    "size", "dim", "item", "num_parameters", "get_num_params", "no_sync", "keys", "values", "items", "load_state_dict",
    "tolist", "mean", "std", "norm", "sum", "detach", "format",
}  # fmt: skip
_OF_TENSORS = {
    "square",
    "abs",
    "pow",
    "sqrt",
    "exp",
    "clone",
    "view",
    "reshape",
    "flatten",
    "permute",
    "transpose",
    "dim",
}
_READING_CALLS = re.compile(
    r"^(print|len|str|repr|id|type|isinstance|hasattr|getattr|sum|list|tuple|set|dict|sorted|any|all|enumerate|reversed|zip|map|filter|"
    r"next|iter|max|min|(copy\.)?deepcopy|torch\.save|nn\.init\.\w+|torch\.nn\.init\.\w+|init\.\w+)$|"
    r"(^|\.)(info|debug|warning|log|print|pprint|add_text|add_scalar|numel|format|AdamW?|SGD|RMSprop|LBFGS|Adam\w*)$"
)
_SETTINGS = re.compile(r"\.(cfg|config|args|opts?|options|hparams|params)\b")
_AROUND = ("enumerate", "list", "zip", "tuple", "reversed")
_SAYS = re.compile(r"(^|\.)(print|info|debug|warning|warn|log|log_\w+|pprint)$")


@dataclass
class Effects:
    """What happens to the model: `needs` a copy built anew has to be given, and why it can't be (`blocker`)."""

    needs: set[str] = field(default_factory=set)
    blocker: str | None = None
    says: bool = False  # prints or logs: not to be done a second time
    ran: int | None = None  # the line that runs the model with gradients on

    def block(self, why: str) -> None:
        """Remember the first reason."""
        self.blocker = self.blocker or why


def parents_of(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """The parent of every node under `tree`."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def walk_scope(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node of these statements but not those inside nested functions and classes (their decorators aside)."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from walk_scope(ast.iter_child_nodes(node))


def spelled(node: ast.AST, key: str) -> bool:
    """Whether `node` is exactly the variable `key` (a name, or a chain such as `self.model`)."""
    return isinstance(node, (ast.Name, ast.Attribute)) and dotted(node) == key


def _contexts(statement: ast.With) -> str:
    return " ".join(ast.unparse(item.context_expr) for item in statement.items)


def wrapped_words(name: str, line: int, key: str) -> str:
    """Why a model that went through `name` is not copied, and what to do instead."""
    last = name.rpartition(".")[2]
    if last in ("FSDP", "FullyShardedDataParallel", "fully_shard"):
        return (
            f"line {line} wraps `{key}` in `{name}`: sharded parameters can't be deep-copied. Build the copy before "
            "that line, shard it in the same way, and let it follow the model shard by shard"
        )
    if SHARDED.search(name):
        return (
            f"line {line} wraps `{key}` in `{name}`: the engine holds process groups and can't be deep-copied. "
            "Build the copy before that line and read the trained weights from the engine's `.module`"
        )
    if last == "compile":
        return f"line {line} wraps `{key}` in `{name}`: copy the bare model before that line, compile the copy too"
    if DDP.search(name):
        return f"line {line} wraps `{key}` in `{name}`: copy the bare model before that line"
    return f"line {line} wraps `{key}` in `{name}`, or replaces its layers: copy the bare model before that line"


@dataclass
class Uses:
    """Classifies uses of a model in one file."""

    models: Models
    path: str
    parents: dict[ast.AST, ast.AST]
    depth: int = 0
    constants: frozenset[str] = frozenset()  # names known to hold a literal
    may_run: bool = False  # running the model leaves nothing on it but what can't be copied

    def effects(self, body: Iterable[ast.AST], key: str) -> Effects:
        """What the statements `body` do to the model in `key`; rebindings of `key` itself are the caller's concern."""
        found = Effects()
        for node in walk_scope(body):
            if isinstance(node, ast.Call) and (name := dotted(node.func)) and _SAYS.search(name):
                found.says = True
            if spelled(node, key) and isinstance(getattr(node, "ctx", None), ast.Load):
                self._use(node, key, found)
        return found

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def _use(self, node: ast.AST, key: str, found: Effects) -> None:
        line = getattr(node, "lineno", 0)
        top = node  # the longest chain `key.a.b[0].c` around the variable
        while isinstance(parent := self.parents.get(top), (ast.Attribute, ast.Subscript)) and parent.value is top:
            top = parent
        parent = self.parents.get(top)
        if isinstance(top, (ast.Attribute, ast.Subscript)) and isinstance(top.ctx, (ast.Store, ast.Del)):
            self._store(top, node, found, line, key)
        elif isinstance(parent, ast.Call) and parent.func is top:
            if top is node:
                quiet = any(
                    isinstance(each, ast.With) and _NO_GRAD.search(_contexts(each)) for each in self._around(node)
                )
                if not quiet:
                    found.ran = found.ran or line
                if quiet or not self.may_run:
                    found.block(f"line {line} runs `{key}`, which may leave something on its layers")
            else:
                self._method(parent, top, node, found, key)
        elif isinstance(parent, (ast.keyword, ast.Call, ast.Starred)):
            call: ast.AST | None = parent
            while isinstance(call, (ast.keyword, ast.Starred)):
                call = self.parents.get(call)
            if isinstance(call, ast.Call):
                self._argument(call, top, node, found, key)
        elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and parent.value is top and top is node:
            found.block(f"line {line} gives `{key}` a second name, by which it may be changed")
        elif isinstance(parent, (ast.List, ast.Tuple, ast.Dict, ast.Set)) and top is node:
            if not self._inside_call(parent, re.compile(r"(^|\.)(save|isinstance|print)$")):
                found.block(f"line {line} puts `{key}` into a container, through which it may be changed")
        elif isinstance(parent, ast.For) and parent.iter is top:
            if _SETTINGS.search(ast.unparse(top)):  # no layers
                found.block(f"line {line} loops over `{ast.unparse(top)}`, which may change it")
            self._elements(top, found)

    def _store(self, top: ast.Attribute | ast.Subscript, node: ast.AST, found: Effects, line: int, key: str) -> None:
        name = top.attr if isinstance(top, ast.Attribute) else "[...]"
        statement = self.parents.get(top)
        if name == "requires_grad":
            found.needs.add(GRADS)
        elif name == "training":
            found.needs.add(MODES)
        elif name in ("data", "grad"):
            pass  # the state dict has it
        elif top.value is node and isinstance(statement, ast.Assign) and self._plain(statement.value):
            found.needs.add(FLAGS)
        else:
            found.block(f"line {line} sets or removes `{ast.unparse(top)}`, which building `{key}` anew would miss")

    def _method(self, call: ast.Call, top: ast.AST, node: ast.AST, found: Effects, key: str) -> None:
        assert isinstance(top, (ast.Attribute, ast.Subscript))
        name = top.attr if isinstance(top, ast.Attribute) else ""
        if name in METHODS:
            found.needs.add(METHODS[name])
        elif name == "load_state_dict":
            if any(keyword.arg == "assign" for keyword in call.keywords):
                found.needs |= {CASTS, GRADS}
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
                found.needs.add(BUFFERS)  # a tensor changed in place; the state dict has the parameters
        else:
            found.block(
                f"line {call.lineno} calls `{ast.unparse(call.func)}(...)`, which may change more than its state dict"
            )

    def _argument(self, call: ast.Call, top: ast.AST, node: ast.AST, found: Effects, key: str) -> None:
        name = dotted(call.func) or ""
        names = self.models.names(self.path)
        qualified = names.qualified(name) if names else name
        if name.endswith(".append"):
            found.block(f"line {call.lineno} puts `{key}` into a container, through which it may be changed")
            return
        if _READING_CALLS.search(name) or (DDP.search(name) and top is node):
            self._elements(top, found)
            return
        if WRAPPED.search(qualified):
            found.block(wrapped_words(name, call.lineno, key))
            return
        if (
            top is not node
            and isinstance(top, ast.Attribute)
            and top.attr in ("device", "dtype", "config", "cfg", "training")
        ):
            return
        why = f"line {call.lineno} gives `{key}` to `{name or ast.unparse(call.func)}(...)`, which may change it"
        if top is not node or any(isinstance(argument, ast.Starred) for argument in call.args):
            found.block(why)
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
        if isinstance(function, ast.Lambda) or name is None or self.depth > 3:
            found.block(why)
            return
        place = self._definition(function, name)
        if place is None or not isinstance(place.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.block(why)
            return
        arguments = place.node.args
        ordered = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
        parameter = keyword or (ordered[position] if position is not None and position < len(ordered) else None)
        if parameter is None:
            found.block(why)
            return
        parents = self.parents if place.path == self.path else parents_of(place.node)
        constants = self._constants(place.node, call) if call else self.constants
        inner = Uses(self.models, place.path, parents, self.depth + 1, constants)
        effects = inner.effects(place.node.body, parameter)
        rebinds = any(
            isinstance(node, ast.Name) and node.id == parameter and isinstance(node.ctx, (ast.Store, ast.Del))
            for node in ast.walk(place.node)
        )
        if effects.blocker or rebinds:
            found.block(f"{why} ({place.path}:{place.node.lineno})")
        found.needs |= effects.needs
        found.says = found.says or effects.says

    def _constants(self, function: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call) -> frozenset[str]:
        """Parameters of `function` that hold a literal in this call."""
        if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
            kw.arg is None for kw in call.keywords
        ):
            return frozenset()
        arguments = function.args
        ordered = [*arguments.posonlyargs, *arguments.args]
        values: dict[str, ast.expr | None] = dict(
            zip((a.arg for a in ordered[len(ordered) - len(arguments.defaults) :]), arguments.defaults, strict=False)
        )
        values |= {a.arg: value for a, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False)}
        values |= dict(zip((a.arg for a in ordered), call.args, strict=False))
        values |= {kw.arg: kw.value for kw in call.keywords if kw.arg}
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return frozenset(name for name, value in values.items() if value and self._plain(value) and name not in stored)

    def _definition(self, function: ast.expr, name: str) -> Place | None:
        if "." not in name:  # a function nested in the present one comes first
            node: ast.AST | None = function
            while node is not None:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    for inner in ast.walk(node):
                        if isinstance(inner, ast.FunctionDef) and inner.name == name and inner is not node:
                            return Place(self.path, inner)
                node = self.parents.get(node)
        place = self.models.resolve(self.path, name)
        return place if isinstance(place, Place) else None

    def _iterated(self, call: ast.Call, found: Effects) -> None:
        """`for p in model.parameters():` does to the model what its body does to `p`."""
        tensors = isinstance(call.func, ast.Attribute) and re.search(r"parameters|buffers", call.func.attr)
        named = isinstance(call.func, ast.Attribute) and call.func.attr.startswith("named_")
        self._elements(call, found, named, r"second name|container" if tensors else "$^")

    def _elements(self, parts: ast.AST, found: Effects, named: bool = False, harmless: str = "$^") -> None:
        """What a loop over `parts` of the model does to each; `harmless`: reasons that are none here."""
        node, parent = parts, self.parents.get(parts)
        numbered = False
        while isinstance(parent, ast.Call) and (around := dotted(parent.func)) in _AROUND:
            numbered |= around == "enumerate"
            node, parent = parent, self.parents.get(parent)
        if not (isinstance(parent, ast.For) and parent.iter is node):
            return
        elements = [parent.target]
        while numbered or named:  # what comes before is a number or a name
            elements = [
                last for each in elements for last in (each.elts[-1:] if isinstance(each, ast.Tuple) else [each])
            ]
            numbered, named = numbered and named, False
        for target in (inner for element in elements for inner in ast.walk(element) if isinstance(inner, ast.Name)):
            inner = Uses(self.models, self.path, self.parents, self.depth + 1, self.constants)
            effects = inner.effects(parent.body, target.id)
            if effects.blocker and not re.search(harmless, effects.blocker):
                found.block(effects.blocker)
            found.needs |= effects.needs
            found.says |= effects.says

    def _inside_call(self, node: ast.AST, called: re.Pattern[str]) -> bool:
        while isinstance(parent := self.parents.get(node), ast.expr):
            if isinstance(parent, ast.Call):
                return bool(called.search(dotted(parent.func) or ""))
            node = parent
        return False

    def _plain(self, value: ast.expr) -> bool:
        """A number, string or truth value that every run of the statement gives."""
        return isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id in self.constants)
