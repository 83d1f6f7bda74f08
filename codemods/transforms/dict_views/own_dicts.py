"""Objects that are a dict and keep a view of themselves: what may change one."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ...syntax.file_tree import position
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from .next_holders import makes_dict


def changed_at(
    repo: Repo, outline: Outline, owner: ast.ClassDef, taken: ast.AST, changing: Collection[str]
) -> tuple[Outline, ast.AST] | None:
    """The first place that may change an object of the class after the view of it is `taken`.

    `changing`: the methods of dicts that change one.
    """
    for where in dict.fromkeys((outline, *repo.mentioning(owner.name))):
        for base, change in _changes(where, changing):
            own = where is outline and (where.is_self(base) or _is_super(base)) and where.owner(base) is owner
            if own:
                early = where.scope(base) is outline.scope(taken) and position(change) < position(taken)
                if not early:
                    return where, change
            elif not where.is_self(base) and _may_be_another(where, base):
                return where, change
    return None


def _changes(outline: Outline, changing: Collection[str]) -> Iterator[tuple[ast.expr, ast.AST]]:
    """What is changed as dicts are, with the place."""
    for node in outline.nodes:
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield node.value, node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in changing:
            yield node.func.value, node


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _may_be_another(outline: Outline, base: ast.expr) -> bool:
    """Not a variable or an attribute that is seen to get plain dicts, lists and the like only."""
    if isinstance(base, ast.Name):
        _, bindings = outline.lookup(base, base.id)
        values = [binding.value for binding in bindings]
    elif isinstance(base, ast.Attribute):
        stores = (each for each in outline.attributes.get(base.attr, ()) if isinstance(each.ctx, ast.Store))
        values = [getattr(outline.statement(each), "value", None) for each in stores]
    else:
        return isinstance(base, ast.Subscript)
    return not values or not all(value is not None and _is_plain(value) for value in values)


def _is_plain(value: ast.expr) -> bool:
    displays = (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.Constant)
    return isinstance(value, displays) or makes_dict(value)
