"""What a list in the place of a generator would change for those who walk over it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....syntax.binding_rules import FUNCTIONS, LOOPS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo

# They stop at what they get beside it, or at an item; those with a number do so where they get that many iterables.
_STOPS = {"any": 1, "all": 1, "islice": 1, "takewhile": 1, "zip": 2, "map": 3, "compress": 2}
_TAKES_ALL = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "max", "min", "Counter", "deque"})


def leaves_early(outline: Outline, use: ast.Attribute) -> bool:
    """`for item in self.items: ... break`: the next loop goes on behind that item, and a list begins again.

    So does `zip(range(2), self.items)`, or `3 in self.items`.
    """
    below: ast.AST = use
    for above in outline.ancestors(use):
        if isinstance(above, (ast.For, ast.AsyncFor)):
            return below is above.iter and any(map(_leaves, above.body))
        if isinstance(above, (ast.stmt, ast.ListComp, ast.SetComp, ast.DictComp)):
            return False
        if isinstance(above, ast.Compare):
            return any(isinstance(each, (ast.In, ast.NotIn)) for each in above.ops)
        if isinstance(above, ast.Call):
            name = last_name(above.func)
            if len(above.args) >= _STOPS.get(name, len(above.args) + 1):
                return True
            if name in _TAKES_ALL:
                return False
        below = above
    return False


def _leaves(node: ast.AST, *, is_inside: bool = False) -> bool:
    """It ends the loop that it stands in; `is_inside`: it stands in a further loop, which a `break` ends instead."""
    if isinstance(node, (ast.Break, ast.Return)):
        return isinstance(node, ast.Return) or not is_inside
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return False
    if isinstance(node, LOOPS):
        return any(_leaves(each, is_inside=True) for each in node.body) or any(
            _leaves(each, is_inside=is_inside) for each in node.orelse
        )
    return any(_leaves(each, is_inside=is_inside) for each in ast.iter_child_nodes(node))


def read_late(repo: Repo, outline: Outline, node: ast.AST) -> tuple[str, str] | None:
    """An attribute of the object that the generator reads item by item, and where (as `path:line`) it is set later."""
    at_once = set(ast.walk(node.generators[0].iter)) if isinstance(node, ast.GeneratorExp) else set[ast.AST]()
    for read in (inner for inner in ast.walk(node) if inner not in at_once):
        if isinstance(read, ast.Attribute) and outline.is_self(read.value):
            for where, store in _stores(repo, read.attr):
                if where.scope(store) is not outline.scope(node):
                    return read.attr, f"{where.path}:{store.lineno}"
    return None


def _stores(repo: Repo, name: str) -> Iterable[tuple[Outline, ast.Attribute]]:
    for where in repo.mentioning(name):
        yield from ((where, use) for use in where.attributes.get(name, ()) if isinstance(use.ctx, ast.Store))
