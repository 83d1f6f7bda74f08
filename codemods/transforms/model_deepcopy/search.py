"""Finds `deepcopy(model)`: where the model was built, what happened to it since, how sure it is that the copy fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Confidence, Hop
from .callers import Built, built_elsewhere, site_of
from .constructor_survey import CONFIG, group_keepers, survey
from .evidence import Seen, hop, short
from .rebuildable import arguments_of, not_repeatable
from .resolve import Models, Place, dotted
from .scope import USED_AS_MODEL, Construction, Copy, Evidence, peel, targets
from .submodules import constructions
from .uses import (
    DDP,
    FLAGS,
    WRAPPED,
    Uses,
    parents_of,
    spelled,
    walk_scope,
    wrapped_words,
)

_SNAPSHOT = re.compile(r"best|snapshot|ckpt|checkpoint|backup|saved|(^|_)te?mp(_|$)", re.IGNORECASE)
_MODULE_TYPE = re.compile(r"(Optional\[)?([\w.]+\.)?Module\]?( \| None)?$")
_UNWRAPS = re.compile(r"(^|\.)(de_parallel|unwrap\w*|get_bare_model|bare_model|remove_ddp)$")
# Classes that deep-copy the model they are given.
MAKERS = frozenset(
    (
        "torch.optim.swa_utils.AveragedModel",
        "timm.utils.ModelEma",
        "timm.utils.ModelEmaV2",
        "timm.utils.ModelEmaV3",
        "ema_pytorch.EMA",
    )
)
_ON_COPY = ("eval", "train", "requires_grad_")


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
        and (
            (len(node.args) == 1 and not node.keywords and names.qualified(dotted(node.func) or "") == "copy.deepcopy")
            or (node.args and names.qualified(dotted(node.func) or "") in MAKERS)
        )
    ]
    if not calls:
        return []
    parents = parents_of(tree)
    search = _Search(models, path, tree, parents)
    ordered = sorted(calls, key=lambda call: (call.lineno, call.col_offset))
    found = [search.copy(call) or search.part(call) for call in ordered]
    return [copy for copy in found if copy is not None]


class _Search(Seen):
    def copy(self, call: ast.Call) -> Copy | None:
        """The copy at `call`; None when what is copied is no model, or is a snapshot or a cloned layer."""
        argument = call.args[0]
        key, either = _copied(argument)
        if isinstance(argument, ast.Call) and not self._only_unwraps(argument):
            return None
        if key is None or key in ("self", "cls"):
            return None
        copy = site_of(self, call)
        names = self.models.names(self.path)
        maker = names.qualified(dotted(call.func) or "") if names else ""
        copy.maker = maker if maker in MAKERS else None
        unwrapped = copy.variable = key.removesuffix(".module")
        base = self.base(copy, unwrapped)
        if base is None:
            copy.blocker = copy.blocker or (
                f"where `{key}` is built can't be seen here: build the copy where the model is built, with the same "
                "arguments, and give it the model's `state_dict()`"
            )
        if self._set_aside(copy, base):
            return None
        known = self.is_model(base[1]) if base else None
        if base is None and not CONFIG.match(unwrapped):
            known = any(built.search.is_model(built.call) for built in built_elsewhere(self, copy, unwrapped)) or None
        if known is False or (known is None and not self._used_as_model(copy, unwrapped)):
            return None
        if base is not None:
            self._construction(copy, base, unwrapped, wrapped=unwrapped != key, either=either)
        self._judge(copy)
        harmless = copy.construction is not None and self.only_torch(copy.construction.value)
        says_itself = copy.construction is not None and copy.construction.survey.copies
        if says_itself or (copy.evidence is None and (copy.maker is not None or harmless)):
            return None
        return copy

    def part(self, call: ast.Call) -> Copy | None:
        """The copy at `call` of a layer, of one of several models, of a snapshot: where it is seen to hold a group."""
        if any(isinstance(node, ast.Dict) or _called_by_name(node, "save") for node in self.ancestors(call)):
            return None  # it is pickled next, which fails just as well
        copy = site_of(self, call)
        for built in constructions(self, copy, call.args[0]):
            assert isinstance(built.search, _Search)
            if not built.search.is_model(built.call):
                continue
            inside = survey(self.models, built.search.path, built.call)
            evidence, confidence, hops = built.search.evidence(built.site, built.call, built.statement, inside)
            sure = confidence.reaches(Confidence.LIKELY)
            if evidence is Evidence.GROUP and sure and inside.copies is None:
                copy.evidence, copy.confidence = evidence, confidence
                copy.trace = (*hops, *built.hops, Hop(self.path, call.lineno, f"it is copied: {short(copy.text)}"))
                copy.blocker = "it is a part of a model, or a snapshot"
                return copy
        return None

    def _only_unwraps(self, call: ast.Call) -> bool:
        """As far as the function is in sight, it gives back its argument or what that wraps."""
        found = self.models.resolve(self.path, dotted(call.func) or "")
        if not isinstance(found, Place):
            return True
        if not isinstance(found.node, ast.FunctionDef) or not found.node.args.args:
            return False
        own = found.node.args.args[0].arg
        for node in walk_scope(found.node.body):
            if isinstance(node, ast.Return):
                value = node.value
                if isinstance(value, ast.Call) and dotted(value.func) == "getattr" and len(value.args) == 3:
                    value = value.args[0]
                sides = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                if any(side is None or (dotted(side) or "").removesuffix(".module") != own for side in sides):
                    return False
        return True

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
        return any(_SNAPSHOT.search(dotted(target) or "") for target in targets(copy.statement))

    def _used_as_model(self, copy: Copy, key: str) -> bool:
        chain = list(self.chain(copy.call))
        whole = getattr(copy.statement, "value", None) is (chain[-1] if chain else copy.call)
        keys = {key, *(dotted(target) for target in targets(copy.statement) if whole)} - {None}
        for node in ast.walk(copy.scope):
            if isinstance(node, ast.Attribute) and node.attr in USED_AS_MODEL and dotted(node.value) in keys:
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

    def _construction(self, copy: Copy, base: tuple[ast.stmt, ast.expr], key: str, wrapped: bool, either: bool) -> None:
        statement, value = base
        call, steps = peel(value)
        assert isinstance(call, ast.Call)
        if len(steps) < _chain_length(value):
            copy.blocker = f"what `{ast.unparse(value)[:60]}` gives is not plainly the constructed model"
        repeated: list[ast.stmt] = []
        builder = self.own_method(call)
        inside = survey(self.models, self.path, call, builder.body if builder else ())
        only_caches = inside.keeps is not None and not inside.keeps_more and not inside.opaque
        uses = Uses(self.models, self.path, self.parents, may_run=only_caches)
        unwrapped = either or not wrapped
        rest: list[ast.AST] = []
        between = list(self.between(copy, statement))
        for node in between:
            method = _method_steps(node, key)
            if method is not None and self.dominates(node, copy):  # type: ignore[arg-type]
                steps = [*steps, *method]
            elif isinstance(node, ast.Assign) and spelled(node.targets[0], key):
                name = dotted(node.value.func) if isinstance(node.value, ast.Call) else None
                if name and DDP.search(name) and (either or not unwrapped):
                    unwrapped = True
                elif method is not None:
                    rest.append(node.value)
                else:
                    copy.blocker = copy.blocker or (
                        wrapped_words(name, node.lineno, key)
                        if name and WRAPPED.search(name)
                        else f"line {node.lineno} makes `{key}` something else: copy the bare model before that line"
                    )
            else:
                own = uses.effects([node], key)
                flags_only = own.needs == {FLAGS} and not own.blocker and not own.says
                if flags_only and isinstance(node, ast.stmt) and self.dominates(node, copy) and _repeatable(node, key):
                    repeated.append(node)
                    continue
                rest.append(node)
                for inner in walk_scope([node]):
                    if spelled(inner, key) and isinstance(getattr(inner, "ctx", None), (ast.Store, ast.Del)):
                        owner = self.parents[inner]
                        same = isinstance(owner, ast.Assign) and _method_steps(owner, key) is not None
                        if not same and not (either and _wraps_parallel(owner, key)):
                            line = getattr(inner, "lineno", 0)
                            name = _called_by(owner)
                            copy.blocker = copy.blocker or (
                                wrapped_words(name, line, key)
                                if WRAPPED.search(name)
                                else f"line {line} may make `{key}` something else: copy the model before that line"
                            )
        copy.effects = uses.effects(rest, key)
        if not unwrapped:
            copy.blocker = copy.blocker or f"`{key}.module` is what a wrapper holds, and no wrapping is in sight here"
        shard = next((found for node in [call, *between] if (found := self.shards(node, key)) is not None), None)
        if shard is not None:
            copy.evidence = Evidence.SHARDED
            copy.blocker = wrapped_words(dotted(shard.func) or "", shard.lineno, key)
        again: list[ast.AST] = [call, *(arg for step in steps for arg in arguments_of(step)), *repeated]
        again += [node for node in ast.walk(builder) if (dotted(node) or "").startswith("self.")] if builder else []
        copy.blocker = (
            copy.blocker
            or copy.effects.blocker
            or self.arguments_changed(copy, between, again, key)
            or self.unknown_callable(copy, call)
            or self.surroundings(copy, statement, between)
            or self.shared_argument(copy, call, statement)
            or not_repeatable(inside)
        )
        name = dotted(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
        resolved = self.models.resolve(self.path, name) if name else None
        names = self.models.names(self.path)
        outside = _outside(names.imports) if names else set()
        external = isinstance(resolved, str) and resolved.partition(".")[0] in outside and not self.only_torch(call)
        copy.construction = Construction(statement, call, tuple(steps), tuple(repeated), inside, external)

    def _judge(self, copy: Copy) -> None:
        hops: list[Hop] = []
        built = copy.construction
        sharded = copy.evidence is Evidence.SHARDED
        if built is not None:
            copy.evidence, copy.confidence, hops = self.evidence(copy, built.value, built.statement, built.survey)
        else:
            self._elsewhere(copy, hops)
        if copy.evidence is None and built is not None and built.survey.keeps and copy.effects.ran:
            copy.evidence, copy.confidence = Evidence.CACHE, Confidence.PROVEN
            hops += [
                hop(built.survey.keeps, "running the model keeps a tensor with its gradient history on it"),
                Hop(self.path, copy.effects.ran, "the model runs"),
            ]
        if sharded and copy.evidence is None:
            copy.evidence, copy.confidence = Evidence.SHARDED, Confidence.PROVEN
            hops.append(Hop(self.path, copy.statement.lineno, "it is sharded by then"))
        if copy.evidence is None:
            copy.distributed = copy.distributed or self.distributed()
            unknown = built is None or built.survey.opaque or not built.survey.module
            keepers = self.models.project.derive(group_keepers) if unknown else []
            if keepers:
                path, line, name = keepers[0]
                hops.append(Hop(path, line, f"a process group is kept on a layer, `{name}`, which this model may hold"))
                copy.confidence = Confidence.LIKELY
        hops.append(Hop(self.path, copy.call.lineno, f"it is copied: {short(copy.text)}"))
        copy.trace = tuple(hops)

    def _unpacked(self, copy: Copy) -> Iterator[Built]:
        """`model, tokenizer = build(...)`"""
        for statement in reversed(self.bindings(copy.scope, copy.variable, copy.statement)):
            call = statement.value if isinstance(statement, ast.Assign) else None
            if call is not None and any(spelled(node, copy.variable) for node in ast.walk(call)):
                continue  # model = model.to(device)
            if isinstance(call, ast.Call) and isinstance(targets(statement)[0], ast.Tuple):
                yield Built(self, copy, statement, call, ())
            return

    def _elsewhere(self, copy: Copy, hops: list[Hop]) -> None:
        """Evidence from where the model is built, when that is another function."""
        for built in [*self._unpacked(copy), *built_elsewhere(self, copy, copy.variable)]:
            assert isinstance(built.search, _Search)
            method = built.search.own_method(built.call)
            inside = survey(self.models, built.search.path, built.call, method.body if method else ())
            evidence, confidence, steps = built.search.evidence(built.site, built.call, built.statement, inside)
            copy.distributed = copy.distributed or built.search.distributed()
            if evidence is not None:
                copy.evidence, copy.confidence = evidence, confidence
                hops += [*steps, *built.hops]
                return


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


def _copied(argument: ast.expr) -> tuple[str | None, bool]:
    """The variable that is copied, and whether a wrapper is taken off only where there is one."""
    if isinstance(argument, ast.IfExp):  # deepcopy(model.module if is_parallel(model) else model)
        sides = {(dotted(side) or "?").removesuffix(".module") for side in (argument.orelse, argument.body)}
        return (sides.pop(), True) if len(sides) == 1 and "?" not in sides else (None, False)
    if isinstance(argument, ast.Call) and argument.args:
        name = dotted(argument.func) or ""
        default = argument.args[-1]
        if name == "getattr" and len(argument.args) == 3 and dotted(default) == dotted(argument.args[0]):
            return dotted(default), True
        if _UNWRAPS.search(name) and len(argument.args) == 1:
            return dotted(default), True
        return None, False
    return dotted(argument), False


def _called_by_name(node: ast.AST, name: str) -> bool:
    """`torch.save(...)`, for the name `save`."""
    return isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == name


def _called_by(node: ast.AST) -> str:
    """`torch.compile` of `model = torch.compile(model)`"""
    return (dotted(node.value.func) or "") if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else ""


def _wraps_parallel(node: ast.AST, key: str) -> bool:
    """`model = DDP(model, ...)`"""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and bool(DDP.search(dotted(node.value.func) or ""))
        and bool(node.value.args)
        and spelled(node.value.args[0], key)
    )


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


def _outside(imports: dict[str, tuple[int, str, str | None]]) -> set[str]:
    return {module.partition(".")[0] for level, module, _ in imports.values() if level == 0}
