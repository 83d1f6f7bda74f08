"""Writes the copies of one file: built anew with `load_state_dict`, or deep-copied with their process groups shared."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from ...finding import Answer, Edit, Fix, Import, Refused
from ...syntax.imports import reference
from ...tree.source import Source
from .decide import Rebuilt, Rewrite, Shared, device_of, later_call, target_of
from .file_view import arguments_of, spelled
from .helper_functions import (
    CARRY,
    CARRY_TEXT,
    SHARE,
    helper_edits,
    helper_name,
    leftover_import,
    line_end,
    share_helper,
)
from .is_model import peel
from .model_copy import Copy, Evidence
from .models import Models, dotted
from .uses import Need

_DEVICE = re.compile(r"device|rank|gpu|cuda|cpu", re.IGNORECASE)
_DEVICE_METHODS = ("to", "cuda", "cpu")
_NOT_COPYABLE: dict[Evidence | None, str] = {Evidence.LOCK: "a lock", Evidence.CACHE: "tensors with a gradient history"}


def joint_edits(models: Models, members: list[Rewrite]) -> Answer:
    """One fix for these copies of one file: their helper functions and the import they leave behind are shared."""
    path = members[0].copy.site.path
    source, tree = models.source(path), models.project.module(path)
    assert tree is not None
    edits: list[Edit] = []
    needed: list[Import] = []
    helpers: dict[str, str] = {}
    try:
        for member in members:
            if isinstance(member, Shared):
                text, imports = share_helper(tree, path)
                needed += imports
                name = helper_name(tree, SHARE, text, helpers)
                if member.copy.copying_class is None:
                    edits.append(Edit(path, *source.range_of(member.copy.site.call.func), name))
                else:
                    identity, imports = reference(tree, path, "torch.nn", "Identity")
                    if imports:  # `import torch`, which the helper function needs, brings it along
                        identity, imports = reference(tree, path, "torch", "nn")
                        identity += ".Identity"
                    needed += imports
                    edits += _stand_in_edits(source, member.copy, identity, name)
            else:
                edit, imports = _rebuilt(models, source, tree, member, helpers)
                needed += imports
                edits.append(edit)
    except ValueError as error:
        return Refused(f"a name that the rewrite needs means something else in this file ({error})")
    edits += helper_edits(source, tree, [member.copy.site.call for member in members], helpers)
    if any(need.module == "copy" for need in needed) or not any(isinstance(m, Shared) for m in members):
        edits += leftover_import(source, tree, [member.copy.site.call for member in members])
    titles = {
        "Deep-copy the model with its process groups shared"
        if isinstance(m, Shared)
        else "Build the copy anew and load the state dict"
        for m in members
    }
    return Fix("; ".join(sorted(titles)), tuple(edits), tuple(dict.fromkeys(needed)), members[0].unsafe)


def _stand_in_edits(source: Source, copy: Copy, identity: str, helper: str) -> list[Edit]:
    """`AveragedModel(model)` copies a stand-in instead, and its module becomes a copy that shares the groups."""
    model = copy.site.call.args[0]
    device = device_of(copy.site.call)
    moved = "" if device is None or ast.unparse(device) == "None" else f".to({source.text_of(device)})"
    start, end = source.range_of(copy.site.statement)
    indent = source.text[source.line_starts[copy.site.statement.lineno - 1] : start]
    target = source.text_of(target_of(copy))
    given = source.text_of(model)
    end = line_end(source, end)
    return [
        Edit(
            copy.site.path,
            start,
            start,
            f"# it deep-copies what it is given, but process groups can't be copied\n{indent}",
        ),
        Edit(copy.site.path, *source.range_of(model), f"{identity}()"),
        Edit(copy.site.path, end, end, f"\n{indent}{target}.module = {helper}({given}){moved}"),
    ]


def _rebuilt(
    models: Models, source: Source, tree: ast.Module, member: Rebuilt, helpers: dict[str, str]
) -> tuple[Edit, tuple[Import, ...]]:
    copy, built = member.copy, member.construction
    path, statement = copy.site.path, copy.site.statement
    start, end = source.range_of(statement)
    indent = source.text[source.line_starts[statement.lineno - 1] : start]
    deeper = indent + ("\t" if indent.endswith("\t") else _first_indent(source.text))
    target, key = (
        source.text_of(target_of(copy)),
        source.text[slice(*source.range_of(copy.site.call.args[0]))],
    )
    if isinstance(copy.site.call.args[0], ast.IfExp):
        key = f"({key})"
    chained = statement.value is not copy.site.call  # type: ignore[attr-defined]

    random, imports = reference(tree, path, "torch", "random")
    cuda, more = reference(tree, path, "torch", "cuda")
    comment = "" if chained else _trailing_comment(source, end)
    what = _NOT_COPYABLE.get(copy.seen.evidence, "process groups")
    exists = _exists_already(member, target_of(copy))
    if exists:
        lines = [f"# loaded, not deep-copied: {what} inside a model can't be copied"]
        imports = more = ()
    else:
        lines = [
            f"# built anew, not deep-copied: {what} inside a model can't be copied",
            f"{indent}with {random}.fork_rng(devices=range({cuda}.device_count())):",
            f"{deeper}{target} = {_construction_text(source, member, deeper)}{comment}",
        ]
    lines += [indent + _repeated_text(source, node, copy.site.variable, target, indent) for node in built.repeated]
    lines.append(f"{indent}{target}.load_state_dict({key}.state_dict()){comment if exists else ''}")
    lines += [indent + line for line in _carried(copy, tree, member.needs, key, target, deeper[len(indent) :], helpers)]
    if chained:
        call_start, call_end = source.range_of(copy.site.call)
        lines.append(indent + source.text[start:call_start] + target)
        return Edit(path, start, call_end, "\n".join(lines)), imports + more
    if comment:
        end = line_end(source, end)
    return Edit(path, start, end, "\n".join(lines)), imports + more


def _exists_already(member: Rebuilt, target: ast.expr) -> bool:
    """Whether the copy's variable holds a model just built by the same call, unused so far: its state is loaded."""
    copy, built = member.copy, member.construction
    name = dotted(target)
    found: ast.stmt | None = None
    for block in (getattr(node, "body", []) for node in ast.walk(copy.site.scope)):
        if not isinstance(block, list) or copy.site.statement not in block:
            continue
        for statement in block[: block.index(copy.site.statement)]:
            same = (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and dotted(statement.targets[0]) == name
                and built.statement in block
                and ast.dump(statement.value) == ast.dump(_built_value(built.statement))
            )
            if same:
                found = statement
            elif any(dotted(node) == name for node in ast.walk(statement)):
                found = None
    changed = len(built.steps) > len(peel(_built_value(built.statement))[1])
    return found is not None and not changed and not built.repeated and not copy.history.effects.needs


def _built_value(statement: ast.stmt) -> ast.expr:
    value: ast.expr = statement.value  # type: ignore[attr-defined]
    return value


def _trailing_comment(source: Source, end: int) -> str:
    rest = source.text[end : line_end(source, end)]
    return rest.rstrip() if rest.strip() else ""


def _construction_text(source: Source, member: Rebuilt, indent: str) -> str:
    """The construction as it is written, continuation lines moved along, with the method calls that still matter."""
    copy, built = member.copy, member.construction
    line = source.line_text(built.value.lineno)
    old_indent = line[: len(line) - len(line.lstrip())]
    text = _moved(source.text_of(built.value), old_indent, indent)
    for step in built.steps:
        assert isinstance(step.func, ast.Attribute)
        name = step.func.attr
        spelling = ", ".join(
            [source.text_of(arg) for arg in step.args]
            + [f"{kw.arg}={source.text_of(kw.value)}" for kw in step.keywords]
        )
        if len(member.needs) > 1 or member.needs & {Need.CASTS, Need.FLAGS}:
            continue  # the helper function carries everything
        if name in ("train", "eval") and (later_call(copy, ("train", "eval")) or Need.MODES in member.needs):
            continue
        if name == "requires_grad_" and (later_call(copy, ("requires_grad_",)) or Need.GRADS in member.needs):
            continue
        later = later_call(copy, _DEVICE_METHODS)
        if _only_moves(step) and later is not None and _only_moves(later):
            continue
        text += f".{name}({spelling})"
    return text


def _only_moves(call: ast.Call) -> bool:
    """`.cuda()`, `.cpu()` or `.to(device)`: the device is set and nothing else."""
    assert isinstance(call.func, ast.Attribute)
    arguments = arguments_of(call)
    if call.func.attr not in _DEVICE_METHODS or len(arguments) > 1 or (call.func.attr == "to" and not arguments):
        return False
    return all(_DEVICE.search(ast.unparse(argument)) for argument in arguments)


def _moved(text: str, old: str, new: str) -> str:
    """`text` with the indentation `old` of its continuation lines replaced by `new`."""
    first, *rest = re.split(r"\r\n|\r|\n", text)
    return "\n".join([first, *(new + line[len(old) :] if line.startswith(old) else line for line in rest)])


def _repeated_text(source: Source, node: ast.stmt, key: str, target: str, indent: str) -> str:
    start, end = source.range_of(node)
    text, at = "", start
    spots = [inner for inner in ast.walk(node) if spelled(inner, key)]
    for spot in sorted(spots, key=lambda inner: (inner.lineno, inner.col_offset)):  # type: ignore[attr-defined]
        first, last = source.range_of(spot)
        text += source.text[at:first] + target
        at = last
    text += source.text[at:end]
    return _moved(text, source.text[source.line_starts[node.lineno - 1] : start], indent)


def _carried(
    copy: Copy, tree: ast.Module, needs: frozenset[Need], key: str, target: str, step: str, helpers: dict[str, str]
) -> list[str]:
    """Lines that give the copy what the state dict leaves out: two for one need, a helper function for more."""
    single = {
        Need.BUFFERS: ("buffers", "new.copy_(old)"),
        Need.GRADS: ("parameters", "new.requires_grad_(old.requires_grad)"),
        Need.MODES: ("modules", "new.training = old.training"),
    }
    if not needs:
        return []
    used = {node.id for node in ast.walk(copy.site.scope) if isinstance(node, ast.Name)}
    if len(needs) == 1 and not used & {"old", "new"} and (only := next(iter(needs))) in single:
        what, line = single[only]
        return [f"for old, new in zip({key}.{what}(), {target}.{what}()):", f"{step}{line}"]
    bare = key[1:-1] if key.startswith("(") else key
    return [f"{helper_name(tree, CARRY, CARRY_TEXT, helpers)}({bare}, {target})"]


def _first_indent(text: str) -> str:
    """By what the first block of a file is indented; four spaces where there is none."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return next((token.string for token in tokens if token.type == tokenize.INDENT), "    ")
