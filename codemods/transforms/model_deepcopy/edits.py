"""Writes the copy of a model: built anew with `load_state_dict`, or deep-copied with its process groups shared."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Edit, Fix, Import
from ...syntax.imports import reference
from ...tree.source import Source
from .helper_functions import (
    CARRY,
    CARRY_TEXT,
    SHARE,
    extent,
    helper_edits,
    helper_name,
    leftover_import,
    line_end,
    share_helper,
)
from .resolve import Models, dotted
from .scope import Copy, Evidence, peel, targets
from .uses import BUFFERS, CASTS, FLAGS, GRADS, MODES, spelled

_DEVICE = re.compile(r"device|rank|gpu|cuda|cpu", re.IGNORECASE)
_DEVICE_METHODS = ("to", "cuda", "cpu")
_UNSAVED_BUFFERS = re.compile(r"\bpersistent\s*=\s*False\b")
_REQUIRES_GRAD = re.compile(r"(^|[._])(requires_grad_?|freeze(_(model|params|parameters|weights|all))?)$")


STAND_IN = "torch.optim.swa_utils.AveragedModel"  # keeps its copy as `.module`, and does no more with it
_CULPRITS: dict[Evidence | None, str] = {Evidence.LOCK: "a lock", Evidence.CACHE: "tensors with a gradient history"}


@dataclass(frozen=True)
class Rewrite:
    """How one copy will be written: `needs` beyond the state dict; `share` is the deep copy with shared groups."""

    copy: Copy
    share: bool = False
    needs: frozenset[str] = frozenset()
    unsafe: str | None = None


def rewrite(models: Models, copy: Copy) -> Rewrite | str:
    """The way to write `copy`, or why there is none, in words."""
    if copy.maker is not None:
        if copy.maker == STAND_IN and copy.evidence is Evidence.GROUP and _plain_call(models, copy):
            return Rewrite(copy, share=True)
        return (
            f"`{copy.maker}` deep-copies the model itself: build a second model with the same arguments, "
            "`load_state_dict` into it, and average the parameters into that one"
        )
    reason = copy.blocker or _shape(models, copy)
    built = copy.construction
    if reason is None and built is not None:
        loads = built.survey.loads
        if loads is None or copy.evidence is not Evidence.GROUP:
            unsafe = loads and f"building the model loads weights ({loads}): they would be loaded twice"
            return Rewrite(copy, needs=frozenset(_needs(models, copy)), unsafe=unsafe)
    groups = copy.evidence is Evidence.GROUP or (copy.evidence is None and copy.distributed)
    if groups and "wraps" not in (reason or ""):
        return Rewrite(copy, share=True)
    assert reason is not None
    return reason


def _shape(models: Models, copy: Copy) -> str | None:
    """Why the statement of the copy can't become several that build it anew; None when it can."""
    if (reason := _own_line(models, copy)) is not None:
        return reason
    source = models.project.source(copy.path)
    assert source is not None and copy.construction is not None
    target = dotted(_target(copy))
    if target in {dotted(inner) for made in (copy.construction.value, copy.call) for inner in ast.walk(made)}:
        return f"the copy takes the name `{target}`, which is still needed to make it: give it another name"
    segment = source.text[slice(*extent(source, copy.construction.value))]
    if '"""' in segment or "'''" in segment:
        return "the construction contains a string of several lines"
    return None


def _own_line(models: Models, copy: Copy) -> str | None:
    """Why the statement is not `target = copy...` on lines of its own; None when it is."""
    source = models.project.source(copy.path)
    assert source is not None
    statement = copy.statement
    larger = "the copy is part of a larger expression: give it a variable of its own"
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or len(targets(statement)) != 1:
        return larger
    node: ast.expr | None = statement.value
    while isinstance(node, (ast.Call, ast.Attribute)) and node is not copy.call:
        node = node.func if isinstance(node, ast.Call) else node.value
    if dotted(_target(copy)) is None or node is not copy.call:
        return larger
    start, end = extent(source, statement)
    line_start = source.line_starts[statement.lineno - 1]
    rest = source.text[end : line_end(source, end)]
    if source.text[line_start:start].strip() or re.sub(r"#.*", "", rest).strip():
        return "the copy shares its line with other statements: give it a line of its own"
    return None


def _plain_call(models: Models, copy: Copy) -> bool:
    """`target = AveragedModel(model, ...)` on a line of its own, with a device that may be written twice."""
    call = copy.call
    whole = getattr(copy.statement, "value", None) is call and _own_line(models, copy) is None
    open_ended = any(isinstance(a, ast.Starred) for a in call.args) or any(kw.arg is None for kw in call.keywords)
    device = _device(call)
    calls = [node for node in ast.walk(device) if isinstance(node, ast.Call)] if device else []
    return whole and not open_ended and all(dotted(node.func) == "torch.device" for node in calls)


def _device(call: ast.Call) -> ast.expr | None:
    """The device that an `AveragedModel` is put on."""
    named = (keyword.value for keyword in call.keywords if keyword.arg == "device")
    return next(named, call.args[1] if len(call.args) > 1 else None)


def _needs(models: Models, copy: Copy) -> Iterator[str]:
    """What has to be carried over, less what the following calls settle."""
    built = copy.construction
    assert built is not None
    needs = set(copy.effects.needs)
    survey = built.survey
    unseen = survey.opaque or not survey.seen
    maybe = unseen and any(True for _ in models.project.matching(_UNSAVED_BUFFERS, word="persistent"))
    if survey.unsaved_buffers or built.external or maybe:
        needs.add(BUFFERS)
    if _follow(copy, ("train", "eval")):
        needs.discard(MODES)
    if _follow(copy, ("requires_grad_",)) or _next_settles_grads(models, copy):
        needs.discard(GRADS)
    yield from needs


def _follow(copy: Copy, methods: tuple[str, ...]) -> ast.Call | None:
    """The last call of one of `methods` in the chain after the copy."""
    node = getattr(copy.statement, "value", None)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node is not copy.call:
        if node.func.attr in methods:
            return node
        node = node.func.value
    return None


def _next_settles_grads(models: Models, copy: Copy) -> bool:
    target = dotted(_target(copy))
    block = next(
        (
            value
            for node in ast.walk(copy.scope)
            for _, value in ast.iter_fields(node)
            if isinstance(value, list) and copy.statement in value
        ),
        [],
    )
    following = block[block.index(copy.statement) + 1 :][:1] if block else []
    for node in following:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            name = dotted(call.func) or ""
            if _REQUIRES_GRAD.search(name) and (
                (call.args and dotted(call.args[0]) == target) or name == f"{target}.requires_grad_"
            ):
                return True
        if (
            isinstance(node, ast.For)
            and isinstance(node.iter, ast.Call)
            and dotted(node.iter.func) == f"{target}.parameters"
        ):
            body = node.body[0]
            return (
                len(node.body) == 1
                and isinstance(body, (ast.Assign, ast.Expr))
                and "requires_grad" in ast.unparse(body)
            )
    return False


def _target(copy: Copy) -> ast.expr:
    return targets(copy.statement)[0]


# -- the edits of one file ---------------------------------------------------------------------------------------


def joint_edits(models: Models, members: list[Rewrite]) -> Fix | str:
    """One fix for these copies of one file: their helper functions and the import they leave behind are shared."""
    path = members[0].copy.path
    source, tree = models.project.source(path), models.project.module(path)
    assert source is not None and tree is not None
    edits: list[Edit] = []
    needed: list[Import] = []
    helpers: dict[str, str] = {}
    try:
        for member in members:
            if member.share:
                text, imports = share_helper(tree, path)
                needed += imports
                name = helper_name(tree, SHARE, text, helpers)
                if member.copy.maker is None:
                    edits.append(Edit(path, *extent(source, member.copy.call.func), name))
                else:
                    identity, imports = reference(tree, path, "torch.nn", "Identity")
                    if imports:  # `import torch`, which the helper function needs, brings it along
                        identity, imports = reference(tree, path, "torch", "nn")
                        identity += ".Identity"
                    needed += imports
                    edits += _given_its_copy(source, member.copy, identity, name)
            else:
                edit, imports = _rebuilt(models, source, tree, member, helpers)
                needed += imports
                edits.append(edit)
    except ValueError as error:
        return f"a name that the rewrite needs means something else in this file ({error})"
    edits += helper_edits(source, tree, [member.copy.call for member in members], helpers)
    if any(each.module == "copy" for each in needed) or not any(member.share for member in members):
        edits += leftover_import(source, tree, [member.copy.call for member in members])
    titles = {
        "deep-copy the model with its process groups shared"
        if m.share
        else "build the copy anew and load the state dict"
        for m in members
    }
    return Fix("; ".join(sorted(titles)), tuple(edits), tuple(dict.fromkeys(needed)), members[0].unsafe)


def _given_its_copy(source: Source, copy: Copy, identity: str, helper: str) -> list[Edit]:
    """`AveragedModel(model)`: it copies a stand-in, and is given a copy of the model that shares the groups."""
    model = copy.call.args[0]
    device = _device(copy.call)
    moved = (
        "" if device is None or ast.unparse(device) == "None" else f".to({source.text[slice(*extent(source, device))]})"
    )
    start, end = extent(source, copy.statement)
    indent = source.text[source.line_starts[copy.statement.lineno - 1] : start]
    target = source.text[slice(*extent(source, _target(copy)))]
    given = source.text[slice(*extent(source, model))]
    end = line_end(source, end)
    return [
        Edit(
            copy.path, start, start, f"# it deep-copies what it is given, but process groups can't be copied\n{indent}"
        ),
        Edit(copy.path, *extent(source, model), f"{identity}()"),
        Edit(copy.path, end, end, f"\n{indent}{target}.module = {helper}({given}){moved}"),
    ]


def _rebuilt(
    models: Models, source: Source, tree: ast.Module, member: Rewrite, helpers: dict[str, str]
) -> tuple[Edit, tuple[Import, ...]]:
    copy = member.copy
    built = copy.construction
    assert built is not None
    path, statement = copy.path, copy.statement
    start, end = extent(source, statement)
    indent = source.text[source.line_starts[statement.lineno - 1] : start]
    deeper = indent + ("\t" if indent.endswith("\t") else models.project.concrete(path).default_indent)
    target, key = (
        source.text[slice(*extent(source, _target(copy)))],
        source.text[slice(*extent(source, copy.call.args[0]))],
    )
    if isinstance(copy.call.args[0], ast.IfExp):
        key = f"({key})"
    chained = statement.value is not copy.call  # type: ignore[attr-defined]

    random, imports = reference(tree, path, "torch", "random")
    cuda, more = reference(tree, path, "torch", "cuda")
    comment = "" if chained else _trailing_comment(source, end)
    what = _CULPRITS.get(copy.evidence, "process groups")
    exists = _exists_already(copy, _target(copy))
    if exists:
        lines = [f"# loaded, not deep-copied: {what} inside a model can't be copied"]
        imports = more = ()
    else:
        lines = [
            f"# built anew, not deep-copied: {what} inside a model can't be copied",
            f"{indent}with {random}.fork_rng(devices=range({cuda}.device_count())):",
            f"{deeper}{target} = {_construction_text(source, copy, member.needs, deeper)}{comment}",
        ]
    lines += [indent + _repeated_text(source, node, copy.variable, target, indent) for node in built.repeated]
    lines.append(f"{indent}{target}.load_state_dict({key}.state_dict()){comment if exists else ''}")
    lines += [indent + line for line in _carried(copy, tree, member.needs, key, target, deeper[len(indent) :], helpers)]
    if chained:
        call_start, call_end = extent(source, copy.call)
        lines.append(indent + source.text[start:call_start] + target)
        return Edit(path, start, call_end, "\n".join(lines)), imports + more
    if comment:
        end = line_end(source, end)
    return Edit(path, start, end, "\n".join(lines)), imports + more


def _exists_already(copy: Copy, target: ast.expr) -> bool:
    """Whether the copy's variable holds a model just built by the same call, unused so far: its state is loaded."""
    assert copy.construction is not None
    name = dotted(target)
    found: ast.stmt | None = None
    for block in (getattr(node, "body", []) for node in ast.walk(copy.scope)):
        if not isinstance(block, list) or copy.statement not in block:
            continue
        for statement in block[: block.index(copy.statement)]:
            same = (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and dotted(statement.targets[0]) == name
                and copy.construction.statement in block
                and ast.dump(statement.value) == ast.dump(_built_value(copy.construction.statement))
            )
            if same:
                found = statement
            elif any(dotted(node) == name for node in ast.walk(statement)):
                found = None
    changed = len(copy.construction.steps) > len(peel(_built_value(copy.construction.statement))[1])
    return found is not None and not changed and not copy.construction.repeated and not copy.effects.needs


def _built_value(statement: ast.stmt) -> ast.expr:
    value: ast.expr = statement.value  # type: ignore[attr-defined]
    return value


def _trailing_comment(source: Source, end: int) -> str:
    rest = source.text[end : line_end(source, end)]
    return rest.rstrip() if rest.strip() else ""


def _construction_text(source: Source, copy: Copy, needs: frozenset[str], indent: str) -> str:
    """The construction as it is written, continuation lines moved along, with the method calls that still matter."""
    built = copy.construction
    assert built is not None
    line = source.line_text(built.value.lineno)
    old_indent = line[: len(line) - len(line.lstrip())]
    text = _moved(source.text[slice(*extent(source, built.value))], old_indent, indent)
    for step in built.steps:
        assert isinstance(step.func, ast.Attribute)
        name = step.func.attr
        spelling = ", ".join(
            [source.text[slice(*extent(source, arg))] for arg in step.args]
            + [f"{kw.arg}={source.text[slice(*extent(source, kw.value))]}" for kw in step.keywords]
        )
        carried = {CARRY} if len(needs) > 1 or needs & {CASTS, FLAGS} else needs  # the helper function carries all
        if name in ("train", "eval") and (_follow(copy, ("train", "eval")) or carried & {CARRY, MODES}):
            continue
        if name == "requires_grad_" and (_follow(copy, ("requires_grad_",)) or carried & {CARRY, GRADS}):
            continue
        if CARRY in carried:
            continue
        later = _follow(copy, _DEVICE_METHODS)
        if _only_moves(step) and later is not None and _only_moves(later):
            continue
        text += f".{name}({spelling})"
    return text


def _only_moves(call: ast.Call) -> bool:
    """`.cuda()`, `.cpu()` or `.to(device)`: the device is set and nothing else."""
    assert isinstance(call.func, ast.Attribute)
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if call.func.attr not in _DEVICE_METHODS or len(arguments) > 1 or (call.func.attr == "to" and not arguments):
        return False
    return all(_DEVICE.search(ast.unparse(argument)) for argument in arguments)


def _moved(text: str, old: str, new: str) -> str:
    """`text` with the indentation `old` of its continuation lines replaced by `new`."""
    first, *rest = re.split(r"\r\n|\r|\n", text)
    return "\n".join([first, *(new + line[len(old) :] if line.startswith(old) else line for line in rest)])


def _repeated_text(source: Source, node: ast.stmt, key: str, target: str, indent: str) -> str:
    start, end = extent(source, node)
    text, at = "", start
    spots = [inner for inner in ast.walk(node) if spelled(inner, key)]
    for spot in sorted(spots, key=lambda inner: (inner.lineno, inner.col_offset)):  # type: ignore[attr-defined]
        first, last = extent(source, spot)
        text += source.text[at:first] + target
        at = last
    text += source.text[at:end]
    return _moved(text, source.text[source.line_starts[node.lineno - 1] : start], indent)


def _carried(
    copy: Copy, tree: ast.Module, needs: frozenset[str], key: str, target: str, step: str, helpers: dict[str, str]
) -> list[str]:
    """Lines that give the copy what the state dict leaves out: two for one need, a helper function for more."""
    single = {
        BUFFERS: ("buffers", "new.copy_(old)"),
        GRADS: ("parameters", "new.requires_grad_(old.requires_grad)"),
        MODES: ("modules", "new.training = old.training"),
    }
    if not needs:
        return []
    used = {node.id for node in ast.walk(copy.scope) if isinstance(node, ast.Name)}
    if len(needs) == 1 and not used & {"old", "new"} and (only := next(iter(needs))) in single:
        what, line = single[only]
        return [f"for old, new in zip({key}.{what}(), {target}.{what}()):", f"{step}{line}"]
    assert needs <= {BUFFERS, GRADS, MODES, CASTS, FLAGS}
    bare = key[1:-1] if key.startswith("(") else key
    return [f"{helper_name(tree, CARRY, CARRY_TEXT, helpers)}({bare}, {target})"]
