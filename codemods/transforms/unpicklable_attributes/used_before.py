"""Objects that a function uses before it sends them: what they open on demand is open by then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Hop, Trace
from ...syntax.branches import exclude_each_other
from ...syntax.outline import Outline
from .classes import Family, Shape, Store


def used_before(family: Family, shape: Shape, store: Store, trace: Trace) -> Hop | None:
    """Where the function that sends the object first runs the method of `store`, such as `dataset[0]` above the loader.

    Only a local name counts whose one value is a new object of the class, and which stands in the sending statement.
    """
    sent = trace[-1] if trace else None
    outline = family.repo.outline(sent.path) if sent is not None else None
    if sent is None or outline is None:
        return None
    leading = _leading_to(family, shape, store.method.name)
    closing = {each.method.name for each in shape.stores(store.target.attr) if each.clears}
    for name in (node for node in outline.nodes if isinstance(node, ast.Name) and node.lineno == sent.line):
        scope, bindings = outline.lookup(name, name.id)
        value = bindings[0].value if len(bindings) == 1 else None
        if not isinstance(value, ast.Call) or not _makes(family, outline, value, shape):
            continue
        found: int | None = None
        for line, _, method in sorted(_uses(outline, name.id, scope)):
            if value.lineno <= line < sent.line:
                if method in leading:
                    found = found or line
                elif method in closing:
                    found = None
        if found is not None and not exclude_each_other(family.repo, [(sent.path, found), (sent.path, sent.line)]):
            return Hop(sent.path, found, f"`{name.id}` is used before, which opens it")
    return None


def _leading_to(family: Family, shape: Shape, method: str) -> set[str]:
    """Methods that call `method`, and itself."""
    found, todo = {method}, [method]
    while todo:
        called = todo.pop()
        callers = {name for relative in family.hierarchy(shape) for name in relative.callers(called)}
        todo += callers - found
        found |= callers
    return found - {"__init__"}


def _makes(family: Family, outline: Outline, call: ast.Call, shape: Shape) -> bool:
    known = {shape.node, *(other.node for other in family.derived(shape))}
    return any(node in known for _, node in family.repo.resolver.classes(outline, call.func))


def _uses(outline: Outline, name: str, scope: ast.AST) -> Iterator[tuple[int, int, str]]:
    """Places in the scope itself, line and column, and the methods of `name` that run there."""
    for node in outline.named.get(name, ()):
        if not isinstance(node, ast.Name) or outline.scope(node) is not scope:
            continue
        above = outline.parents[node]
        if isinstance(above, ast.Subscript) and above.value is node and isinstance(above.ctx, ast.Load):
            yield node.lineno, node.col_offset, "__getitem__"
        elif isinstance(above, ast.For) and above.iter is node:
            yield node.lineno, node.col_offset, "__iter__"
            yield node.lineno, node.col_offset, "__getitem__"
        elif isinstance(above, ast.Attribute):
            call = outline.parents[above]
            if isinstance(call, ast.Call) and call.func is above:
                yield node.lineno, node.col_offset, above.attr
