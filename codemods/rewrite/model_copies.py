"""Finds `deepcopy(model)`: where the model was built, what happened to it since, how sure it is that the copy fails."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..finding import Confidence, Hop, Span, Trace
from .model_uses import DDP, FLAGS, METHODS, WRAPPED, Effects, Uses, parents_of, spelled, walk_scope
from .models import GROUP_CALL, Models, Place, Survey, dotted

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef

_PARALLEL_LAYERS = re.compile(
    r"^[ \t]*(from|import)[ \t]+(colossalai|megatron|fairscale\.nn\.model_parallel)\b|"
    r"(SyncBatchNorm|convert_sync_batchnorm)\w*\([^)]*process_group=[^N)]",
    re.MULTILINE,
)
_DISTRIBUTED = re.compile(
    r"\b(init_process_group|DistributedDataParallel|DDP|FullyShardedDataParallel|FSDP|init_distributed_mode|init_dist|"
    r"Accelerator|deepspeed|colossalai|torch\.distributed)\b"
)
_SNAPSHOT = re.compile(
    r"best|snapshot|ckpt|checkpoint|backup|saved|(^|_)(old|prev|previous|tmp|temp)(_|$)", re.IGNORECASE
)
_USED_AS_MODEL = {
    "parameters", "named_parameters", "modules", "named_modules", "eval", "train", "buffers", "named_buffers",
    "children",
}  # fmt: skip
_MODELISH = re.compile(
    r"(^|_)((model|net|network|encoder|decoder|backbone|head|module|embedding|vae|unet|teacher|student|critic|actor|policy|"
    r"transformer|weight)s?|layer)(_?\d+)?$"
)
_CONFIG = re.compile(
    r"^_?(self\.)?(args?|cfg|config|conf|opts?|options|params|hparams|hps?|hyp|flags)\b", re.IGNORECASE
)
_PLAIN_TORCH = re.compile(
    r"^torch\.(device|distributed\.\w+|get_default_dtype|cuda\.\w+|Size|finfo|\w*int\d+|b?float\d*)$"
)


_MODULE_TYPE = re.compile(r"(Optional\[)?([\w.]+\.)?Module\]?( \| None)?$")
_DEFAULTS = re.compile(r"(^|\.)(set_default_\w+|set_device|use_deterministic_algorithms)$")
_CONTEXTS = re.compile(r"device|inference_mode|dtype|init_empty|init_on|no_init|skip_init|zero\.Init|set_default")
_ON_COPY = ("eval", "train", "requires_grad_")


class Evidence(enum.Enum):
    """What was seen inside the model that can't be copied."""

    GROUP = "process group"
    LOCK = "lock"


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


def copies_in(models: Models, path: str) -> list[Copy]:
    """The copies of models in `path`, in the order of the text."""
    tree, names = models.project.module(path), models.names(path)
    source = models.project.source(path)
    if tree is None or names is None or source is None or "torch" not in source.text:
        return []
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and len(node.args) == 1
        and not node.keywords
        and names.qualified(dotted(node.func) or "") == "copy.deepcopy"
    ]
    if not calls:
        return []
    parents = parents_of(tree)
    search = _Search(models, path, tree, parents)
    found = [search.copy(call) for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset))]
    return [copy for copy in found if copy is not None]


@dataclass
class _Search:
    models: Models
    path: str
    tree: ast.Module
    parents: dict[ast.AST, ast.AST]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def copy(self, call: ast.Call) -> Copy | None:
        """The copy at `call`; None when what is copied is no model, or is a snapshot or a cloned layer."""
        source = self.models.project.source(self.path)
        assert source is not None
        argument = call.args[0]
        key = dotted(argument)
        if isinstance(argument, ast.IfExp):  # deepcopy(model.module if is_parallel(model) else model)
            key = next((text for side in (argument.orelse, argument.body) if (text := dotted(side))), None)
        if key is None or key in ("self", "cls"):
            return None
        chain = [call, *self.ancestors(call)]
        statement = next(node for node in chain if isinstance(node, ast.stmt))
        scope = next(node for node in chain if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)))
        start = source.offset(call.lineno, call.col_offset)
        end = source.offset(call.end_lineno or 0, call.end_col_offset or 0)
        copy = Copy(self.path, call, statement, scope, source.text[start:end], source.span(start, end))

        unwrapped = key.removesuffix(".module") if not isinstance(argument, ast.IfExp) else key
        base = self._base(copy, unwrapped) if not isinstance(argument, ast.IfExp) else None
        if isinstance(argument, ast.IfExp):
            copy.blocker = (
                "whether the model is wrapped is decided at run time: copy the bare model before it is wrapped"
            )
        elif base is None:
            copy.blocker = copy.blocker or (
                f"where `{key}` is built can't be seen here: build the copy where the model is built, with the same "
                "arguments, and give it the model's `state_dict()`"
            )
        if self._set_aside(copy, base):
            return None
        known = self._is_model(base[1]) if base else None
        if known is False or (known is None and not self._used_as_model(copy, unwrapped)):
            return None
        if base is not None:
            self._construction(copy, base, unwrapped, wrapped=unwrapped != key)
        self._judge(copy)
        return copy

    # -- what is set aside -------------------------------------------------------------------------------------------

    def _set_aside(self, copy: Copy, base: tuple[ast.stmt, ast.expr] | None) -> bool:
        """Snapshots, cloned layers, and copies made over and over."""
        inside = set(self.ancestors(base[0])) if base else set()
        for node in self.ancestors(copy.call):
            if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.Dict)):
                return True
            if isinstance(node, ast.Call):
                name = dotted(node.func) or ""
                if re.search(r"(^|\.)(ModuleList|Sequential|ModuleDict|save|append|extend)$", name):
                    return True
            if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and node not in inside:
                return True
            if node is copy.scope:
                break
        return any(_SNAPSHOT.search(dotted(target) or "") for target in _targets(copy.statement))

    # -- is it a model -----------------------------------------------------------------------------------------------

    def _is_model(self, value: ast.expr, path: str | None = None, depth: int = 0) -> bool | None:
        path = path or self.path
        call, _ = peel(value)
        if not isinstance(call, ast.Call):
            return False if isinstance(call, (ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.ListComp)) else None
        function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        name = dotted(function)
        if name is None:
            return None
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
            if any(self._is_model(entry, found.path, depth + 1) for entry in made):
                return True
        if isinstance(found, Place) and isinstance(found.node, ast.FunctionDef) and depth < 4:
            if found.node.returns is not None and re.search(r"\bModule\b", ast.unparse(found.node.returns)):
                return True
            for value in _returned(found.node):
                if self._is_model(value, found.path, depth + 1):
                    return True
        return None

    def _used_as_model(self, copy: Copy, key: str) -> bool:
        chain = list(self._chain(copy.call))
        whole = getattr(copy.statement, "value", None) is (chain[-1] if chain else copy.call)
        keys = {key, *(dotted(target) for target in _targets(copy.statement) if whole)} - {None}
        for node in ast.walk(copy.scope):
            if isinstance(node, ast.Attribute) and node.attr in _USED_AS_MODEL and dotted(node.value) in keys:
                return True
            if isinstance(node, ast.Call) and DDP.search(dotted(node.func) or ""):  # noqa: SIM102
                if any(dotted(inner) in keys for argument in node.args for inner in ast.walk(argument)):
                    return True
            if (
                isinstance(node, ast.arg)
                and node.arg == key
                and node.annotation
                and _MODULE_TYPE.match(ast.unparse(node.annotation))
            ):
                return True
        return any(isinstance(node, ast.Attribute) and node.attr in _ON_COPY for node in chain)

    def _chain(self, call: ast.expr) -> Iterator[ast.expr]:
        """What follows a call: its attributes, and the calls of these."""
        node = call
        while isinstance(parent := self.parents.get(node), (ast.Attribute, ast.Call)):
            if isinstance(parent, ast.Call) and parent.func is not node:
                return
            yield parent
            node = parent

    # -- where it was built ------------------------------------------------------------------------------------------

    def _bindings(self, scope: Scope, key: str, before: ast.stmt) -> list[ast.stmt]:
        """Statements of `scope` above `before` that bind `key`, in order."""
        found: list[ast.stmt] = []
        for node in walk_scope(scope.body):
            if spelled(node, key) and isinstance(node.ctx, (ast.Store, ast.Del)):  # type: ignore[attr-defined]
                statement = next(parent for parent in self.ancestors(node) if isinstance(parent, ast.stmt))
                if (statement.lineno, statement.col_offset) < (before.lineno, before.col_offset):
                    found.append(statement)
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def _dominates(self, statement: ast.stmt, copy: Copy) -> bool:
        """Whether `statement` always ran before the copy: its block holds the copy too, maybe deeper."""
        path = {copy.statement, *self.ancestors(copy.statement)}
        owner = self.parents[statement]
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(owner, block, None)
            if isinstance(statements, list) and statement in statements:
                return any(other in path for other in statements)
        return False

    def _base(self, copy: Copy, key: str) -> tuple[ast.stmt, ast.expr] | None:
        """The statement that builds the model, and the value it assigns; None (`copy.blocker` set) when none does."""
        for statement in reversed(self._bindings(copy.scope, key, copy.statement)):
            value = getattr(statement, "value", None)
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or value is None:
                copy.blocker = f"`{key}` is bound at line {statement.lineno} in a way that shows no construction"
                return None
            if any(spelled(node, key) for node in ast.walk(value)):
                continue  # model = model.to(device), model = DDP(model): looked at later
            single = len(_targets(statement)) == 1 and dotted(_targets(statement)[0]) == key
            call, _ = peel(value)
            if not single or not isinstance(call, ast.Call):
                copy.blocker = f"line {statement.lineno} shows no plain constructor call for `{key}`"
                return (
                    None
                    if single is False or not isinstance(value, (ast.Constant, ast.Dict, ast.List))
                    else (statement, value)
                )
            if not self._dominates(statement, copy):
                copy.blocker = (
                    f"`{key}` is built at line {statement.lineno} under a condition, or in a block that the copy is "
                    "not in: move its construction into one function and call that twice"
                )
                return statement, value
            return statement, value
        return None

    def _construction(self, copy: Copy, base: tuple[ast.stmt, ast.expr], key: str, wrapped: bool) -> None:
        statement, value = base
        call, steps = peel(value)
        assert isinstance(call, ast.Call)
        if len(steps) < _chain_length(value):
            copy.blocker = f"what `{ast.unparse(value)[:60]}` gives is not plainly the constructed model"
        repeated: list[ast.stmt] = []
        uses = Uses(self.models, self.path, self.parents)
        unwrapped = not wrapped
        rest: list[ast.AST] = []
        between = list(self._between(copy, statement))
        for node in between:
            method = _method_steps(node, key)
            if method is not None and self._dominates(node, copy):  # type: ignore[arg-type]
                steps = [*steps, *method]
            elif isinstance(node, ast.Assign) and spelled(node.targets[0], key):
                name = dotted(node.value.func) if isinstance(node.value, ast.Call) else None
                if name and DDP.search(name) and not unwrapped:
                    unwrapped = True
                elif method is not None:
                    rest.append(node.value)
                else:
                    what = f"wraps it in `{name}`" if name and WRAPPED.search(name) else "makes it something else"
                    copy.blocker = (
                        copy.blocker
                        or f"line {node.lineno} binds `{key}` anew and {what}: copy the bare model before that line"
                    )
            else:
                own = uses.effects([node], key)
                flags_only = own.needs == {FLAGS} and not own.blocker and not own.says
                if flags_only and isinstance(node, ast.stmt) and self._dominates(node, copy) and _repeatable(node, key):
                    repeated.append(node)
                    continue
                rest.append(node)
                for inner in walk_scope([node]):
                    if spelled(inner, key) and isinstance(getattr(inner, "ctx", None), (ast.Store, ast.Del)):
                        owner = self.parents[inner]
                        if not (isinstance(owner, ast.Assign) and _method_steps(owner, key) is not None):
                            copy.blocker = copy.blocker or f"line {inner.lineno} may bind `{key}` to something else"  # type: ignore[attr-defined]
        copy.effects = uses.effects(rest, key)
        if not unwrapped:
            copy.blocker = copy.blocker or f"`{key}.module` is what a wrapper holds, and no wrapping is in sight here"
        survey = self.models.survey(self.path, call)
        again: list[ast.AST] = [call, *(arg for step in steps for arg in _arguments(step)), *repeated]
        copy.blocker = (
            copy.blocker
            or copy.effects.blocker
            or self._arguments_changed(copy, between, again, key)
            or self._surroundings(copy, statement, between)
            or self._shared_argument(copy, call, statement)
            or _not_repeatable(survey, call)
        )
        name = dotted(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
        resolved = self.models.resolve(self.path, name) if name else None
        names = self.models.names(self.path)
        external = (
            isinstance(resolved, str) and names is not None and resolved.partition(".")[0] in _outside(names.imports)
        )
        copy.construction = Construction(statement, call, tuple(steps), tuple(repeated), survey, external)

    def _between(self, copy: Copy, base: ast.stmt) -> Iterator[ast.AST]:
        """What runs after `base` and before the copy: whole statements, and the tests of blocks the copy stands in."""
        path = {copy.statement, *self.ancestors(copy.statement)}
        end = (base.end_lineno or base.lineno, base.end_col_offset or 0)

        def inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
            for node in body:
                if node is copy.statement:
                    return
                if node in path:
                    for _, value in ast.iter_fields(node):
                        if isinstance(value, ast.expr) and (node.lineno, node.col_offset) > end:
                            yield value
                        elif isinstance(value, list) and any(isinstance(v, ast.stmt) and v in path for v in value):
                            yield from inside(value)
                            return
                    return
                if (node.lineno, node.col_offset) > end:
                    yield node

        yield from inside(copy.scope.body)

    # -- can it be built again ---------------------------------------------------------------------------------------

    def _arguments_changed(self, copy: Copy, between: list[ast.AST], again: list[ast.AST], key: str) -> str | None:
        reads = {chain for node in again for chain in _chains(node)} - {key}
        for node in between:
            if node in again:
                continue
            for inner in walk_scope([node]):
                for chain in _changed(inner):
                    if chain != key and any(_overlap(chain, read) for read in reads):
                        return f"line {inner.lineno} changes `{chain}`, which the construction uses"  # type: ignore[attr-defined]
        return None

    def _surroundings(self, copy: Copy, base: ast.stmt, between: list[ast.AST]) -> str | None:
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

    def _shared_argument(self, copy: Copy, call: ast.Call, statement: ast.stmt) -> str | None:
        """A module or tensor among the arguments would be shared by both models."""
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            for node in walk_scope([argument]):
                if isinstance(node, ast.Call):
                    name = dotted(node.func) or ""
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
        bindings = self._bindings(copy.scope, chain, before)
        if chain == "self":
            return True
        if not bindings:
            if _CONFIG.match(chain) or chain.partition(".")[0] in ("torch", "nn", "F"):
                return False
            names = self.models.names(self.path)
            if names is not None and chain in names.definitions:
                found = names.definitions[chain]
                return isinstance(found, ast.Call) and self._value_may_be_module(copy, chain, found, before, depth)
            return bool(_MODELISH.search(chain)) or self._key_used_as_model(copy.scope, chain)
        if self._key_used_as_model(copy.scope, chain):
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
                if self._makes_tensor(name) or self._is_model(node):
                    return True
                if name.startswith(("nn.", "torch.nn.")):
                    return True
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not self._function_position(node):
                inner = self._chain_around(node)
                if inner != chain and self._may_be_module(copy, inner, before, depth + 1):
                    return True
        return called and bool(_MODELISH.search(chain))

    def _key_used_as_model(self, scope: Scope, key: str) -> bool:
        return any(
            isinstance(node, ast.Attribute) and node.attr in _USED_AS_MODEL and dotted(node.value) == key
            for node in ast.walk(scope)
        )

    # -- how sure ----------------------------------------------------------------------------------------------------

    def _judge(self, copy: Copy) -> None:
        source = self.models.project.source(self.path)
        assert source is not None
        hops: list[Hop] = []
        built = copy.construction
        if built is not None:
            hops.append(
                Hop(self.path, built.statement.lineno, f"the model is built: {_short(ast.unparse(built.value))}")
            )
            evidence = self._group_argument(copy, built.value, built.statement)
            if evidence is not None:
                hops.append(evidence)
                copy.evidence = Evidence.GROUP
            elif built.survey.group is not None:
                hops.append(_hop(built.survey.group, "a process group is kept on a layer"))
                copy.evidence = Evidence.GROUP
            elif built.survey.lock is not None:
                hops.append(_hop(built.survey.lock, "a lock is kept on a layer"))
                copy.evidence = Evidence.LOCK
        if copy.evidence is None and (match := _PARALLEL_LAYERS.search(source.text)):
            line, _ = source.position(match.start())
            hops.append(
                Hop(self.path, line, f"layers of a model here hold process groups: {_short(match.group().strip())}")
            )
            copy.evidence = Evidence.GROUP
        if copy.evidence is not None:
            copy.confidence = Confidence.PROVEN
        elif built is not None and (distributed := self._distributed()) is not None:
            hops.append(distributed)
            copy.confidence = Confidence.LIKELY
        hops.append(Hop(self.path, copy.call.lineno, f"it is copied: {_short(copy.text)}"))
        copy.trace = tuple(hops)

    def _group_argument(self, copy: Copy, call: ast.expr, statement: ast.stmt) -> Hop | None:
        if not isinstance(call, ast.Call):
            return None
        for keyword, value in [*((None, arg) for arg in call.args), *((kw.arg, kw.value) for kw in call.keywords)]:
            if isinstance(value, ast.Constant):
                continue
            name = dotted(value)
            if isinstance(value, ast.Call) and GROUP_CALL.search(dotted(value.func) or ""):
                return Hop(self.path, value.lineno, f"it is given the process group {_short(ast.unparse(value))}")
            if name is None:
                continue
            for binding in self._bindings(copy.scope, name, statement):
                made = getattr(binding, "value", None)
                if isinstance(made, ast.IfExp):
                    made = made.body if isinstance(made.body, ast.Call) else made.orelse
                if isinstance(made, ast.Call) and GROUP_CALL.search(dotted(made.func) or ""):
                    return Hop(
                        self.path,
                        binding.lineno,
                        f"the process group that it is given is made: {_short(ast.unparse(made))}",
                    )
            if re.search(r"process_group|(^|_)group$|(^|_)pg$", keyword or "") or re.search(
                r"process_group|_group$|(^|_)pg$", name
            ):
                return Hop(self.path, value.lineno, f"it is given a process group, `{name}`")
        return None

    def _distributed(self) -> Hop | None:
        """Where the script, or a file that imports it, trains distributed."""
        stem = self.path[:-3].rpartition("/")[2]
        imported = re.compile(rf"^[ \t]*(from|import)\b.*\b{re.escape(stem)}\b", re.MULTILINE)
        own = self.models.project.source(self.path)
        assert own is not None
        starters = (
            (s for s in self.models.project.matching(imported) if s.path != self.path) if stem != "__init__" else ()
        )
        for source in [own, *starters]:
            if match := _DISTRIBUTED.search(source.text):
                return Hop(source.path, source.position(match.start())[0], f"training is distributed: {match.group()}")
        return None


def _hop(where: str, what: str) -> Hop:
    path, _, line = where.rpartition(":")
    return Hop(path, int(line), what)


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


def _chain_length(value: ast.expr) -> int:
    length = 0
    while (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and isinstance(value.func.value, ast.Call)
    ):
        length, value = length + 1, value.func.value
    return length


def _method_steps(node: ast.AST, key: str) -> list[ast.Call] | None:
    """The method calls of `model.to(device)` or `model = model.to(device).half()`, None for any other statement."""
    value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
    if isinstance(node, ast.Assign) and not (len(node.targets) == 1 and spelled(node.targets[0], key)):
        return None
    if value is None:
        return None
    inner, steps = peel(value)
    return steps if steps and spelled(inner, key) else None


def _targets(statement: ast.stmt) -> list[ast.expr]:
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


def _repeatable(node: ast.stmt, key: str) -> bool:
    """`prepare(model)`, or such calls under an `if` whose test only reads."""
    if isinstance(node, ast.If):
        reads = all(
            not isinstance(inner, ast.Call)
            or (dotted(inner.func) or "").rpartition(".")[2]
            in ("get", "getattr", "hasattr", "isinstance", "bool", "len")
            for inner in ast.walk(node.test)
        )
        return reads and not node.orelse and all(_repeatable(inner, key) for inner in node.body)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _not_repeatable(survey: Survey, call: ast.Call) -> str | None:
    if survey.random_attribute:
        return f"building it draws a random tensor that no state dict holds ({survey.random_attribute})"
    if survey.other_random:
        return f"building it draws from numpy's or Python's random generator ({survey.other_random})"
    if survey.collective:
        return f"building it takes all ranks, or makes a new process group ({survey.collective})"
    if survey.wraps:
        return f"building it wraps the model ({survey.wraps}): copy the bare model before that"
    if survey.changes_global:
        return f"building it changes a global variable ({survey.changes_global})"
    if survey.changes_arguments:
        return f"building it changes an argument in place ({survey.changes_arguments}): a second call may give another"
    return None


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _chains(node: ast.AST) -> Iterator[str]:
    """`a.b` for every variable or chain of attributes that `node` reads."""
    if isinstance(node, (ast.Attribute, ast.Name)) and (text := dotted(node)) is not None:
        yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from _chains(child)


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
    "merge_from_dict",
}


def _changed(node: ast.AST) -> Iterator[str]:
    """Variables and chains that `node` itself binds, or changes in place."""
    target: ast.expr | None = None
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        target = node if isinstance(node, ast.Attribute) else node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
        target = node.func.value
    while target is not None and dotted(target) is None and isinstance(target, (ast.Attribute, ast.Subscript)):
        target = target.value
    if target is not None and (text := dotted(target)) is not None:
        yield text


def _overlap(changed: str, read: str) -> bool:
    return changed == read or read.startswith(f"{changed}.") or changed.startswith(f"{read}.")


def _outside(imports: dict[str, tuple[int, str, str | None]]) -> set[str]:
    return {module.partition(".")[0] for level, module, _ in imports.values() if level == 0}


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
