"""Dicts in other containers: `{name: row.items() for name, row in rows.items()}` takes views of what `rows` holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.outline import Outline

ANY_KEY = "*"  # in place of a subscript: each of them
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def container_of(outline: Outline, name: ast.Name) -> ast.expr | None:
    """What the innermost loop that binds the name goes over, where the name is for what is in that."""
    for above in outline.ancestors(name):
        for target, walked in _loops(above):
            if (found := _walked(target, walked, name.id)) is not None:
                return found
    return None


def loop_variables(outline: Outline, container: ast.expr) -> Iterator[ast.Name]:
    """The variables of the loops over the container, for what is in it."""
    walked: ast.AST = container
    for above in outline.ancestors(container):
        if not isinstance(above, (ast.Attribute, ast.Call)):
            for target, over in _loops(above) if not isinstance(above, ast.comprehension) else _of_part(above):
                if over is walked:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name) and _walked(target, over, name.id) is container:
                            yield name
            return
        walked = above


def _loops(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of a loop or comprehension, each with what it goes over."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [(node.target, node.iter)]
    return [(each.target, each.iter) for each in node.generators] if isinstance(node, _COMPREHENSIONS) else []


def _of_part(node: ast.comprehension) -> list[tuple[ast.expr, ast.expr]]:
    return [(node.target, node.iter)]


def _walked(target: ast.expr, walked: ast.expr, name: str) -> ast.expr | None:
    """`rows` where `name` is `row` of `row in rows`, `row in rows.values()`, `key, row in rows.items()`."""
    second = target.elts[1] if isinstance(target, ast.Tuple) and len(target.elts) > 1 else None
    called = walked.func if isinstance(walked, ast.Call) else None
    of_pairs = isinstance(second, ast.Name) and second.id == name
    alone = isinstance(target, ast.Name) and target.id == name
    if isinstance(called, ast.Attribute):
        return called.value if (of_pairs and called.attr == "items") or (alone and called.attr == "values") else None
    if isinstance(called, ast.Name) and isinstance(walked, ast.Call) and len(walked.args) == 1:
        plain = (of_pairs and called.id == "enumerate") or (alone and called.id in ("list", "sorted", "reversed"))
        return walked.args[0] if plain else None
    return walked if alone and isinstance(walked, (ast.Name, ast.Attribute, ast.Subscript)) else None
