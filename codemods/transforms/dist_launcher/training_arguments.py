"""Programs whose local rank is an attribute of the `TrainingArguments` of transformers."""

from __future__ import annotations

import ast
import re

from ...nodes import statements
from .program import Program
from .torch_version import is_about, names_packages

_FIRST = (4, 6)  # `__post_init__` takes LOCAL_RANK from the environment since then
_NAMED = re.compile(r"(?<![\w./-])transformers[\s`'\"*_]{0,5}(?:[=~>]=|=)[\s\"']{0,3}v?(\d+)\.(\d+)")
_OWN = re.compile(r"^\s*local_rank\s*[:=]", re.MULTILINE)


def reads_environment(found: Program) -> bool:
    """They are those of transformers, and every version of it that the repository names there takes LOCAL_RANK."""
    takes = any(_imports(found.tree(path)) for path, _ in found.saying("TrainingArguments"))
    if not takes or any(_OWN.search(found.text(path)) for path in found.paths if found.says_in(path, "local_rank")):
        return False
    named = [
        (int(match[1]), int(match[2]))
        for path in found.project.paths
        if names_packages(path) and is_about(path, found.path)
        if (source := found.project.source(path)) is not None
        for match in _NAMED.finditer(source.text)
    ]
    return bool(named) and min(named) >= _FIRST


def _imports(tree: ast.Module) -> bool:
    """`from transformers import TrainingArguments`, or a kind of them."""
    return any(
        alias.name.endswith("TrainingArguments")
        for node in statements(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "transformers"
        for alias in node.names
    )
