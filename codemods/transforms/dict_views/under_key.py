"""A view that a dict keeps under a literal key, and what is done with what stands under that key elsewhere.

Where such a dict gets to may be too far to follow (`return {"names": table.keys()}` of another file), and a list has no
set operators: `settings["names"] - {"a"}`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.outline import Outline
from ...syntax.repo import Repo
from .holders import Difference
from .next_holders import holders_of


def problems_under_key(repo: Repo, outline: Outline, view: ast.expr) -> Iterator[Difference]:
    """What a list can't do of what any file does with the value under the key of `view`."""
    key = _key_of(outline, view)
    for where in repo.mentioning(key):
        for node in where.nodes:
            if _is_read(node, key):
                for problem in holders_of(where, node)[1]:
                    if problem.fatal and not _is_with_a_constant(where.parents[node]):
                        yield Difference(problem.path, problem.line, f'{problem.text} (`["{key}"]`)', fatal=True)


def _key_of(outline: Outline, view: ast.expr) -> str:
    """The key under which a display or an assignment keeps `view`; "" where there is none."""
    above = outline.parents[view]
    keys: list[ast.expr | None] = []
    if isinstance(above, ast.Dict):
        keys = [key for key, value in zip(above.keys, above.values, strict=True) if value is view]
    elif isinstance(above, ast.Assign):
        keys = [target.slice for target in above.targets if isinstance(target, ast.Subscript)]
    written = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return written[0] if written else ""


def _is_read(node: ast.AST, key: str) -> bool:
    """`options["key"]` or `options.get("key")`"""
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Constant) and node.slice.value == key
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "get":
        return False
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == key


def _is_with_a_constant(node: ast.AST) -> bool:
    """`options["size"] - 1`, `options["mode"] == "train"`: no view stands there."""
    sides: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
    return any(isinstance(side, ast.Constant) for side in sides)
