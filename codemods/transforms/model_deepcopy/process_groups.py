"""Process groups of torch.distributed: what is one, what has the name of one, which layers of a repository keep one."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TypeGuard

from ...syntax.outline import Outline
from .library import endings, names
from .models import Models, dotted

MAKERS = endings("group_makers")
CONFIGURATION = re.compile(rf"^_?(self\.)?({'|'.join(sorted(names('configuration_variables')))})\b", re.IGNORECASE)
_WORLD = endings("group_constants")
_PLACE_OF_GROUP = 5  # among the arguments of `SyncBatchNorm`
_SYNCED = endings("synchronised_layers")
# Outline of variables: what is called so may be a process group, or None; it makes no finding `proven`.
_GROUP_NAME = re.compile(r"(^|_)(process_?group|group|pg)s?$")
_GROUP_ARGUMENT = re.compile(
    r"process_group|((^|_)(parallel|tp|sp|dp|pp|cp|ep|mp|world|comm|dist|sync|rank)_)group$|(^|[._])pg$|^group$"
)
_SPEAKS_OF_GROUPS = re.compile(r"\bdist\b|distributed|ProcessGroup|process_group|parallel", re.IGNORECASE)
MAKES_GROUPS = re.compile(r"\b(?:new_group|new_subgroups\w*|get_\w*group|group\.WORLD)\b")
MAKING_WORDS = re.compile(r"new_group|new_subgroups\w*|get_\w*group|WORLD")  # each match holds one


def speaks_of_groups(models: Models, path: str) -> bool:
    """Whether a `group` in this file can be a process group: a convolution has groups too."""
    source = models.project.source(path)
    return source is not None and _speaks(source.text)


@lru_cache(maxsize=64)
def _speaks(text: str) -> bool:
    return bool(_SPEAKS_OF_GROUPS.search(text))


def is_constant(node: ast.expr | None, *values: object) -> bool:
    """No argument, or one of these constants."""
    return node is None or (isinstance(node, ast.Constant) and node.value in values)


def is_group(value: ast.expr | None, names: Outline | None) -> bool:
    """Whether `value` is seen to be a process group: `dist.new_group(...)`, `dist.group.WORLD`, `mesh.get_group()`."""
    if isinstance(value, ast.IfExp):
        return is_group(value.body, names) or is_group(value.orelse, names)
    if isinstance(value, ast.BoolOp):
        return any(is_group(entry, names) for entry in value.values)
    called = isinstance(value, ast.Call)
    name = dotted(value.func if isinstance(value, ast.Call) else value) if value is not None else None
    if name is None:
        return False
    name = names.qualified(name) if names is not None else name
    return bool((MAKERS if called else _WORLD).search(name))


def takes_group(call: ast.Call) -> bool:
    """`SyncBatchNorm(..., process_group=group)`, which keeps it; None is the default group, which is not kept."""
    name = dotted(call.func) or ""
    place = 1 if name.endswith("convert_sync_batchnorm") else _PLACE_OF_GROUP
    given = [*call.args[place : place + 1], *(word.value for word in call.keywords if word.arg == "process_group")]
    return bool(_SYNCED.search(name)) and any(not is_constant(value, None) for value in given)


def has_group_name(keyword: str, value: ast.expr) -> bool:
    """Whether an argument, which is no constant, is a process group by its keyword or its own name."""
    own = (dotted(value) or "").rpartition(".")[2]
    return not isinstance(value, ast.Constant) and bool(_GROUP_ARGUMENT.search(keyword) or _GROUP_ARGUMENT.search(own))


def is_called_group(attributes: list[str], value: ast.expr) -> bool:
    """Whether `value`, which becomes one of these attributes, has the name of a process group; it may be None."""
    return (
        isinstance(value, (ast.Name, ast.Attribute, ast.BoolOp, ast.IfExp))
        and any(_GROUP_NAME.search(attribute) and not attribute.startswith(("num_", "n_")) for attribute in attributes)
        and any(
            isinstance(node, ast.Name) and bool(_GROUP_NAME.search(node.id)) and node.id not in ("groups", "group_size")
            for node in ast.walk(value)
        )
    )


def puts_group(node: ast.AST, variable: str = "") -> TypeGuard[ast.Assign]:
    """`layer.group = group`: on `variable`, a part of it or a local name, not on `self`."""
    if not isinstance(node, ast.Assign):
        return False
    owners = []
    for target in node.targets:
        holder = ast.unparse(target.value) if isinstance(target, ast.Attribute) else "self"
        on_self = holder.startswith("self") and not (variable and re.match(rf"{re.escape(variable)}\b", holder))
        if isinstance(target, ast.Attribute) and not on_self and not CONFIGURATION.match(holder):
            owners.append(target.attr)
    return bool(owners) and (is_group(node.value, None) or is_called_group(owners, node.value))
