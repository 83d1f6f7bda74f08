"""Objects that a function uses before it sends them: what they open on demand is open by then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop, Trace
from ....nodes import end_line
from ....syntax.binding_rules import FUNCTIONS, positional
from ....syntax.branches import exclude_each_other
from ....syntax.outline import Outline
from ..classes import Shape, Store
from ..family import Family

_CALLS = 2  # functions that pass an object on
_DEPTH = 6  # calls and names between an object and what it is bound to


def used_before(family: Family, shape: Shape, store: Store, trace: Trace) -> Hop | None:
    """Where the function that sends the object first runs the method of `store`, such as `dataset[0]` above the loader.

    Only a local name counts whose one value is a new object of the class, also by calls that give it back
    (`Reader().open()`), or a list or dict of such; it stands in the sending statement, itself or by another name, or
    in a call of the function that has this.
    """
    sent = trace[-1] if trace else None
    outline = family.repo.outline(sent.path) if sent is not None else None
    if sent is None or outline is None:
        return None
    leading = leading_to(family, shape, store.method.name)
    ends = (each for each in shape.stores(store.target.attr) if each.clears or isinstance(each.target.ctx, ast.Del))
    closing = {each.method.name for each in ends}
    standing = [node for node in outline.nodes if isinstance(node, ast.Name) and node.lineno == sent.line]
    for where, line, name in _sent_by(family, outline, sent.line, standing):
        scope, bindings = where.lookup(name, name.id)
        value = bindings[0].value if len(bindings) == 1 else None
        element = _element(value)
        way = _made_by(family, where, element or value, shape) if value is not None else None
        if value is None or way is None:
            continue
        found: int | None = None
        found_uses = _uses(where, name.id, scope) if element is None else _uses_of_parts(where, name.id, scope)
        uses = ((at, method) for at, _, method in sorted(found_uses))
        for at, method in (*way, *uses):
            if way[0][0] <= at < line:
                if method in leading:
                    found = found or at
                elif method in closing:
                    found = None
        if found is not None and not exclude_each_other(family.repo, [(where.path, found), (where.path, line)]):
            return Hop(where.path, found, f"`{name.id}` is used before, which opens it")
    return None


def _sent_by(
    family: Family, outline: Outline, line: int, names: list[ast.Name], depth: int = 0
) -> Iterator[tuple[Outline, int, ast.Name]]:
    """The names for what a line of the file sends: there, and where the function around it is called with it."""
    for name in (other for node in names for other in _same(outline, node)):
        yield outline, line, name
        scope, bindings = outline.lookup(name, name.id)
        if len(bindings) != 1 or not bindings[0].parameter or not isinstance(scope, FUNCTIONS) or depth >= _CALLS:
            continue
        at = next((at for at, each in enumerate(positional(scope)) if each == name.id), None)
        for where, call in _calls_of(family, scope):
            given = [word.value for word in call.keywords if word.arg == name.id]
            given += call.args[at : at + 1] if at is not None else []
            passed = [value for value in given if isinstance(value, ast.Name)]
            yield from _sent_by(family, where, call.lineno, passed, depth + 1)


def _calls_of(family: Family, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[Outline, ast.Call]]:
    for where in family.repo.mentioning(function.name):
        for call in where.calls_of(function.name):
            if any(found is function for _, found in family.repo.resolver.functions(where, call.func)):
                yield where, call


def _same(outline: Outline, name: ast.Name) -> Iterator[ast.Name]:
    """The name, and those that a loop or an assignment gives it: `for each in (first, second)`."""
    yield name
    for binding in outline.lookup(name, name.id)[1]:
        statement = binding.statement
        given = statement.iter if isinstance(statement, (ast.For, ast.comprehension)) else binding.value
        parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
        yield from (part for part in parts if isinstance(part, ast.Name))


def _element(value: ast.expr | None) -> ast.expr | None:
    """What a container that is written out holds, by the first of it."""
    if isinstance(value, ast.ListComp):
        return value.elt
    if isinstance(value, ast.DictComp):
        return value.value
    if isinstance(value, ast.Dict):
        return next(iter(value.values), None)
    return next(iter(value.elts), None) if isinstance(value, (ast.List, ast.Tuple)) else None


def _made_by(family: Family, outline: Outline, value: ast.expr, shape: Shape) -> list[tuple[int, str]] | None:
    """The methods that run before `Reader().open()`, or `reader.open()`, is bound, each with its line; first `""`.

    None where it is no object of the class.
    """
    methods: list[tuple[int, str]] = []
    for _ in range(_DEPTH):
        if isinstance(value, ast.Call) and _makes(family, outline, value, shape):
            return [(value.lineno, ""), *reversed(methods)]
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            methods.append((value.lineno, value.func.attr))
            value = value.func.value
        elif isinstance(value, ast.Name):
            bindings = outline.lookup(value, value.id)[1]
            if len(bindings) != 1 or bindings[0].value is None or bindings[0].value is value:
                return None
            value = bindings[0].value
        else:
            return None
    return None


def leading_to(family: Family, shape: Shape, method: str) -> set[str]:
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


def _uses_of_parts(outline: Outline, name: str, scope: ast.AST) -> Iterator[tuple[int, int, str]]:
    """As `_uses`, of what is in the container `name`: `stores[0].put(x)`, `for store in stores: store.put(x)`."""
    for node in outline.named.get(name, ()):
        if not isinstance(node, ast.Name) or outline.scope(node) is not scope:
            continue
        above = outline.parents[node]
        if isinstance(above, ast.Subscript) and above.value is node:
            method = outline.parents[above]
            call = outline.parents[method]
            if isinstance(method, ast.Attribute) and isinstance(call, ast.Call) and call.func is method:
                yield node.lineno, node.col_offset, method.attr
        elif isinstance(above, ast.For) and above.iter is node and isinstance(above.target, ast.Name):
            inside = _uses(outline, above.target.id, scope)
            yield from (each for each in inside if above.lineno <= each[0] <= end_line(above))
