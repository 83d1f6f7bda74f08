"""The helper functions that a copy may need, where they go, and the import that a rewritten copy leaves behind."""

from __future__ import annotations

import ast
import re

from ...finding import Edit, Import
from ...nodes import end_line
from ...syntax.imports import reference
from ...tree.source import Source
from .models import dotted

CARRY = "copy_unsaved_state"
CARRY_TEXT = '''\
def copy_unsaved_state(source, target):
    """Give `target`, a model built like `source`, what a state dict leaves out and `copy.deepcopy` keeps.

    That is dtype, device, `requires_grad`, buffers outside the state dict, train or eval mode, and flags set on layers.
    """
    originals = [*source.parameters(), *source.buffers()]
    for old, new in zip(originals, [*target.parameters(), *target.buffers()]):
        new.data = old.detach().clone()
        new.requires_grad_(old.requires_grad)
    for old, new in zip(source.modules(), target.modules()):
        flags = {name: value for name, value in vars(old).items() if isinstance(value, (bool, int, float, str))}
        vars(new).update(flags)
'''

SHARE = "deepcopy_sharing_groups"
_SHARE_TEXT = '''\
def deepcopy_sharing_groups(model):
    """`copy.deepcopy(model)`, but the copy uses the same process groups: those can't be copied."""
    shared, seen, todo = {{}}, {{}}, [model]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, (type, {module}, {function}, {tensor})):
            continue
        seen[id(item)] = item  # kept alive, so that no id comes up again
        if isinstance(item, {group}):
            shared[id(item)] = item
        else:
            todo += {referents}(item)
    return {deepcopy}(model, shared)
'''


def share_helper(tree: ast.Module, path: str) -> tuple[str, tuple[Import, ...]]:
    spellings: dict[str, str] = {}
    needed: tuple[Import, ...] = ()
    for key, module, name in (
        ("module", "types", "ModuleType"),
        ("function", "types", "FunctionType"),
        ("tensor", "torch", "Tensor"),
        ("referents", "gc", "get_referents"),
        ("deepcopy", "copy", "deepcopy"),
    ):
        spellings[key], imports = reference(tree, path, module, name)
        needed += imports
    group, imports = reference(tree, path, "torch.distributed", "ProcessGroup")
    if imports:  # `import torch`, which the tensors need, brings it along
        distributed, imports = reference(tree, path, "torch", "distributed")
        group = f"{distributed}.ProcessGroup"
    return _SHARE_TEXT.format(**spellings, group=group), needed + imports


def helper_name(tree: ast.Module, name: str, text: str, helpers: dict[str, str]) -> str:
    """`name`, numbered when the file uses it for something else; `helpers` gets the text unless the file has it."""
    wanted = ast.dump(ast.parse(text).body[0])
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            taken.add(node.name)
            if node.name == name and ast.dump(node) == wanted:
                return name
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    helpers[free] = text.replace(f"def {name}(", f"def {free}(")
    return free


def helper_edits(source: Source, tree: ast.Module, calls: list[ast.Call], helpers: dict[str, str]) -> list[Edit]:
    """The helper functions, before the first function or class that uses them, or after the imports."""
    if not helpers:
        return []
    text = "\n\n\n".join(text.rstrip("\n") for text in helpers.values())
    indent = (
        "\t"
        if re.search(r"^\t", source.text, re.MULTILINE) and not re.search(r"^    \S", source.text, re.MULTILINE)
        else None
    )
    if indent:
        text = re.sub(r"^( {4})+", lambda match: indent * (len(match.group()) // 4), text, flags=re.MULTILINE)
    first = min(call.lineno for call in calls)
    user = next(node for node in tree.body if end_line(node) >= first)
    if isinstance(user, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        line = min([user.lineno, *(decorator.lineno for decorator in user.decorator_list)])
        while line > 1 and source.line_text(line - 1).startswith("#"):
            line -= 1
        at = source.line_starts[line - 1]
        return [Edit(source.path, at, at, f"{text}\n\n\n")]
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom)) and node.lineno < first]
    if not imports:
        at = source.line_starts[user.lineno - 1]
        return [Edit(source.path, at, at, f"{text}\n\n\n")]
    line = end_line(imports[-1]) + 1
    blank = 0
    while line <= len(source.line_starts) and not source.line_text(line).strip():
        line, blank = line + 1, blank + 1
    at = source.line_starts[line - 1]
    return [Edit(source.path, at, at, "\n" * max(0, 2 - blank) + f"{text}\n\n\n")]


def leftover_import(source: Source, tree: ast.Module, calls: list[ast.Call]) -> list[Edit]:
    """Removes `from copy import deepcopy` (or `import copy`) when these copies were its last use."""
    roots = {(dotted(call.func) or "").partition(".")[0] for call in calls}
    gone = {id(node) for call in calls for node in ast.walk(call.func)}
    edits: list[Edit] = []
    if source.path.endswith("__init__.py"):
        return []
    for root in sorted(roots):
        kept = any(isinstance(node, ast.Name) and node.id == root and id(node) not in gone for node in ast.walk(tree))
        mentioned = any(isinstance(node, ast.Constant) and node.value == root for node in ast.walk(tree))
        binders = [
            (node, alias)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
            if (alias.asname or alias.name.partition(".")[0]) == root
        ]
        if kept or mentioned or len(binders) != 1:
            continue
        node, alias = binders[0]
        if "copy" not in (alias.name, getattr(node, "module", None)):
            continue  # what else copies a model (AveragedModel) is still called
        alone = any(
            isinstance(value, list) and value == [node]
            for other in ast.walk(tree)
            for _, value in ast.iter_fields(other)
        )
        if not alone or node in tree.body:
            edits += _without_alias(source, node, alias)
    return edits


def _without_alias(source: Source, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> list[Edit]:
    start, end = source.range_of(node)
    if len(node.names) > 1:
        index = node.names.index(alias)
        if index + 1 < len(node.names):
            cut = (source.range_of(alias)[0], source.range_of(node.names[index + 1])[0])
        else:
            cut = (source.range_of(node.names[index - 1])[1], source.range_of(alias)[1])
        return [Edit(source.path, *cut, "")]
    first, last = source.line_starts[node.lineno - 1], end_line(node)
    rest = source.text[end : line_end(source, end)]
    if source.text[first:start].strip() or rest.strip() or last >= len(source.line_starts):
        return []
    above = node.lineno < 2 or not source.line_text(node.lineno - 1).strip()
    if above and last < len(source.line_starts) - 1 and not source.line_text(last + 1).strip():
        last += 1
    return [Edit(source.path, first, source.line_starts[last], "")]


def line_end(source: Source, offset: int) -> int:
    """Offset of the end of the line (newline excluded) that holds `offset`."""
    match = re.compile(r"\r\n|\r|\n").search(source.text, offset)
    return match.start() if match else len(source.text)
