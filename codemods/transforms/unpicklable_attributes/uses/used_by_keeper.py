"""Objects that another one keeps, and uses before both are sent: what they open on demand is open by then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop, Trace
from ....nodes import walk
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ..classes import Shape, Store
from ..family import Family
from .used_before import leading_to

_DEPTH = 4  # names and methods between an object and the attribute that keeps it


def used_by_keeper(family: Family, shape: Shape, store: Store, trace: Trace) -> Hop | None:
    """Where the class that keeps the object first runs the method of `store`: `self.rows.seek(0)` in its `__init__`.

    None where it closes the object as well, in whatever order.
    """
    leading = leading_to(family, shape, store.method.name)
    closing = {each.method.name for each in shape.stores(store.target.attr) if each.clears}
    shapes = [(family.shape(outline, owner), traced) for outline, owner, traced in _keepers(family, trace)]
    for keeper, traced, name in [(shape, own, each) for shape, own in shapes for each in _alike(shape, own)]:
        outline = keeper.outline
        used: Hop | None = None
        for method in sorted(family.pre_transfer_methods(keeper) & keeper.methods.keys()):
            for node in walk(keeper.methods[method]):
                if isinstance(node, ast.Attribute) and _is_kept(keeper, node.value, name, 0):
                    is_store = node.attr == store.target.attr and not isinstance(node.ctx, ast.Load)
                    if is_store or node.attr in closing:
                        return None
                called = _called(outline, node)
                if called is None or called[1] not in leading or not _is_kept(keeper, called[0], name, 0):
                    continue
                if used is None or node.lineno < used.line:  # type: ignore[attr-defined]
                    other = "" if name == traced else f", which may be `self.{name}`,"
                    what = f"`{ast.unparse(called[0])}`{other} is used before, which opens it"
                    used = Hop(outline.path, node.lineno, what)  # type: ignore[attr-defined]
        if used is not None:
            return used
    return None


def _keepers(family: Family, trace: Trace) -> Iterator[tuple[Outline, ast.ClassDef, str]]:
    """The classes on whose objects the trace stores it, each with the attribute."""
    for hop in trace:
        outline = family.repo.outline(hop.path)
        for node in outline.of_kind(ast.Attribute) if outline is not None else ():
            if outline is not None and node.lineno == hop.line and isinstance(node.ctx, ast.Store):
                owner = outline.owner(node) if outline.is_self(node.value) else None
                if owner is not None:
                    yield outline, owner, node.attr


def _alike(keeper: Shape, name: str) -> Iterator[str]:
    """The attribute, and those that are made by the same function or class: what one call makes, another does."""
    makers = {maker for store in keeper.stores(name) for maker in _makers(store.value)}
    yield name
    for other in sorted(keeper.selves.keys() - {name}) if makers else ():
        if any(not makers.isdisjoint(_makers(store.value)) for store in keeper.stores(other)):
            yield other


def _makers(value: ast.expr | None) -> Iterator[str]:
    """What is called to make the value, or it in one of two cases, as written."""
    if isinstance(value, ast.IfExp):
        yield from (*_makers(value.body), *_makers(value.orelse))
    elif isinstance(value, ast.Call):
        yield ast.unparse(value.func)


def _called(outline: Outline, node: ast.AST) -> tuple[ast.expr, str] | None:
    """The object of a call, and the method that runs; `rows[0]` runs one too."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return node.value, "__getitem__"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value, node.func.attr
    if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
        return node.args[0], "__len__"
    return None


def _is_kept(keeper: Shape, value: ast.expr | None, name: str, depth: int) -> bool:
    """It may be what `self.name` is: by a variable, or by a method that gives it."""
    outline = keeper.outline
    if depth > _DEPTH:
        return False
    if isinstance(value, ast.Attribute):
        return value.attr == name and outline.is_self(value.value)
    if isinstance(value, ast.Name):
        bindings = outline.lookup(value, value.id)[1]
        return len(bindings) == 1 and _is_kept(keeper, bindings[0].value, name, depth + 1)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and outline.is_self(value.func.value):
        method = keeper.methods.get(value.func.attr)
        returned = (node.value for node in walk(method) if isinstance(node, ast.Return)) if method is not None else ()
        return any(_is_kept(keeper, each, name, depth + 1) for each in returned)
    return False
