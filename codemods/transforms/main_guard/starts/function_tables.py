"""Functions that are looked up in a dict of the repository: `LOADERS[name]["train"](args)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.callees import Callees, Function
from ....syntax.names import original_name
from ....syntax.outline import Outline

_MAX_FUNCTIONS = 40


def looked_up(callees: Callees, outline: Outline, node: ast.expr) -> Iterator[tuple[Outline, Function]]:
    """The functions that `node`, an item of a dict, may be: those of the dict's values, under the same last key."""
    if not isinstance(node, ast.Subscript):
        return
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    table: ast.expr = node
    while isinstance(table, ast.Subscript):
        table = table.value
    home = _home(callees, outline, table) if isinstance(table, ast.Name) else None
    if home is None:
        return
    seen: set[ast.AST] = set()
    for value in _values(*home):
        for item in _items(value, key):
            found = callees.resolver.definition(home[0], item)
            if found is not None and not isinstance(found.node, ast.ClassDef) and found.node not in seen:
                seen.add(found.node)
                yield found.outline, found.node
            if len(seen) > _MAX_FUNCTIONS:
                return


def _home(callees: Callees, outline: Outline, table: ast.Name) -> tuple[Outline, str] | None:
    """The file that binds a name at its top, and the name there."""
    scope, bindings = outline.lookup(table, table.id)
    if not isinstance(scope, ast.Module) or not bindings:
        return None
    statement = bindings[0].statement
    if not isinstance(statement, ast.ImportFrom):
        return outline, table.id
    other = callees.star_source(outline, statement)
    original = original_name(statement, table.id)
    return (other, original) if other is not None and original else None


def _values(outline: Outline, name: str) -> Iterator[ast.expr]:
    """What the file binds `name` to at its top, and stores in it there: `name["a"] = value`."""
    for statement in outline.module.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                while isinstance(target, ast.Subscript):
                    target = target.value
                if isinstance(target, ast.Name) and target.id == name:
                    yield statement.value


def _items(value: ast.expr, key: object) -> Iterator[ast.expr]:
    """The names among what a dict display holds; under `key`, where one with that key holds them."""
    for part in walk(value):
        if isinstance(part, ast.Dict):
            keys = [each.value if isinstance(each, ast.Constant) else None for each in part.keys]
            wanted = [key] if key is not None and key in keys else keys
            for each, item in zip(keys, part.values, strict=True):
                if each in wanted and isinstance(item, (ast.Name, ast.Attribute)):
                    yield item
    if isinstance(value, (ast.Name, ast.Attribute)):
        yield value
