"""Texts that are the source of a lambda."""

from __future__ import annotations

import ast
import re


def is_lambda_text(node: ast.expr) -> bool:
    """`"lambda x: ..."`, also what is put together: `f"lambda x: {body}"`, `"lambda x: " + body`."""
    while not isinstance(node, ast.Constant):
        if isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            node = node.left
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("format", "strip")
        ):
            node = node.func.value
        else:
            return False
    return isinstance(node.value, str) and re.match(r"\s*lambda\b", node.value) is not None
