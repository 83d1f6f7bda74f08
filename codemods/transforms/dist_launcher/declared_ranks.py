"""Local ranks that a class declares and another parser than argparse fills: torchrun passes no --local_rank.

@configuration
class Settings:
    local_rank = option(default=-1, type=int)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...project import Project
from ...syntax.argparse_options import nodes
from ...syntax.names import last_name

_NAME = "local_rank"
_NAMED = re.compile(r"\blocal_rank\b")
_OF_OPTIONS = frozenset(("type", "help"))  # beside the default, what says that a value is an option
_PARSERS = re.compile(
    r"\b(?:HfArgumentParser|add_arguments|tyro\.cli|pyrallis\.parse|simple_parsing\.parse)\(([^()]*)\)"
)


def declared_ranks(project: Project) -> Iterator[tuple[str, ast.stmt]]:
    """The fields `local_rank` of classes of options, where -1 means one process, and nobody sets another value.

    Each with its file. None where code reads LOCAL_RANK, or sets the local rank of some object itself.
    """
    sources = list(project.matching(_NAMED, words=(_NAME,)))
    if not sources or any(project.matching(re.compile("LOCAL_RANK"), words=("LOCAL_RANK",))):
        return
    trees = {source.path: tree for source in sources if (tree := project.module(source.path)) is not None}
    every = [node for tree in trees.values() for node in nodes(tree)]
    if any(map(_is_set, every)) or not any(map(_decides, every)):
        return
    if not any(project.matching(re.compile("init_process_group"), words=("init_process_group",))):
        return
    parsed = {
        word
        for source in project.matching(_PARSERS)
        for given in _PARSERS.findall(source.text)
        for word in re.findall(r"\w+", given)
    }
    for path, tree in trees.items():
        for owner in (node for node in nodes(tree) if isinstance(node, ast.ClassDef)):
            for field in owner.body:
                if _declares(field, by_name=owner.name in parsed):
                    yield path, field


def _declares(field: ast.stmt, by_name: bool) -> bool:
    """`local_rank = option(default=-1, type=int)`; `local_rank: int = -1` where the class is given to a parser."""
    if isinstance(field, ast.AnnAssign):
        target: ast.expr = field.target
    elif isinstance(field, ast.Assign) and len(field.targets) == 1:
        target = field.targets[0]
    else:
        return False
    if not isinstance(target, ast.Name) or target.id != _NAME or field.value is None:
        return False
    if not isinstance(field.value, ast.Call):
        return by_name and ast.unparse(field.value) == "-1"
    words = {keyword.arg: keyword.value for keyword in field.value.keywords}
    default = words.get("default")
    is_option = by_name or (last_name(field.value.func) != "field" and not _OF_OPTIONS.isdisjoint(words))
    return default is not None and ast.unparse(default) == "-1" and is_option


def _is_set(node: ast.AST) -> bool:
    """`args.local_rank = rank`, `Settings(local_rank=rank)`, `setattr(args, "local_rank", rank)`.

    `self.local_rank = local_rank` only keeps what another object says.
    """
    if isinstance(node, ast.keyword):
        return node.arg == _NAME
    if isinstance(node, ast.Constant):
        return node.value == _NAME
    if not isinstance(node, ast.Attribute) or node.attr != _NAME or isinstance(node.ctx, ast.Load):
        return False
    return not (isinstance(node.value, ast.Name) and node.value.id == "self")


def _decides(node: ast.AST) -> bool:
    """`args.local_rank == -1`, `local_rank != -1`."""
    if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
        return False
    side = node.left.attr if isinstance(node.left, ast.Attribute) else getattr(node.left, "id", "")
    return side == _NAME and ast.unparse(node.comparators[0]) == "-1"
