"""Where and as whom the ranks of a program meet: its calls of `init_process_group`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ..rewrite.argparse_options import nodes, options
from .entry import Program, called, is_value


def tcp_rendezvous(found: Program, passes: Callable[[str], bool]) -> tuple[str, int, str] | None:
    """(path, line, text) of an `init_process_group(init_method="tcp://...")`, given there or as an option's default."""
    for path, tree in found.modules.items():
        if "tcp://" not in found.texts[path]:
            continue
        for node in nodes(tree):
            if not (isinstance(node, ast.Call) and called(node) == "init_process_group"):
                continue
            method = next((keyword.value for keyword in node.keywords if keyword.arg == "init_method"), None)
            if method is None:
                continue
            if any(_starts_tcp(part) for part in ast.walk(method)):
                return path, node.lineno, ast.unparse(method)
            if isinstance(method, ast.Attribute):
                spelled = (f"--{method.attr}", f"--{method.attr.replace('_', '-')}")
                for option in options(path, tree, *spelled):
                    default = option.default
                    if default is not None and _starts_tcp(default) and not any(passes(name) for name in spelled):
                        return path, option.line, ast.unparse(default)
    return None


def _starts_tcp(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("tcp://")


def local_as_world(found: Program) -> Iterator[tuple[str, ast.Call, str]]:
    """Calls that take `args.local_rank` for the rank among all: (path, call, what is passed)."""
    for path, tree in found.modules.items():
        if "local_rank" not in found.texts[path]:
            continue
        for node in nodes(tree):
            if isinstance(node, ast.Call) and called(node) in ("init_process_group", "DistributedSampler"):
                for keyword in node.keywords:
                    if keyword.arg == "rank" and is_value(keyword.value, "local_rank", ast.Load):
                        yield path, node, ast.unparse(keyword.value)
