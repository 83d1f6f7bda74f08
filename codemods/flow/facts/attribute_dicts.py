"""Attributes that are set through the dict of an object: `self.__dict__.update(options)`, `vars(self).update(a=1)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...syntax.binding_rules import ScopeKind
from ..kinds import ANY
from .builder import FactsBuilder
from .syntax import literal_key

_UPDATE = "update"


def owner_of_dict(node: ast.expr) -> ast.expr | None:
    """The object whose `__dict__` the expression is; None for all others."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
        return node.args[0] if len(node.args) == 1 else None
    return None


def attribute_of(target: ast.Subscript) -> str:
    """The attribute that `x.__dict__["name"] = value` sets."""
    key = literal_key(target.slice)
    return key if key.isidentifier() else ANY


def updated(call: ast.Call) -> ast.expr | None:
    """The object whose attributes the call sets."""
    func = call.func
    is_update = isinstance(func, ast.Attribute) and func.attr == _UPDATE
    return owner_of_dict(func.value) if isinstance(func, ast.Attribute) and is_update else None


def note_update(
    builder: FactsBuilder, base: int, call: ast.Call, keywords: Sequence[tuple[str, int]], dicts: Sequence[int]
) -> None:
    """The object at `base` gets what `keywords` name, what the `dicts` hold, and the variables where these are."""
    line, function = call.lineno, builder.scope.function
    values = [*keywords, *((ANY, builder.element(given)) for given in dicts if given >= 0)]
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg is None)]
    if any(is_locals(value) for value in given) and builder.scope.kind is ScopeKind.FUNCTION:
        bound = builder.scope.names.items()
        values += [(name, node) for name, node in bound if name in builder.scope.bound and node != base]
    builder.stores += [(base, name, value, line, function) for name, value in values if value >= 0]


def is_locals(node: ast.expr) -> bool:
    """`locals()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "locals" and not node.args


def variables(builder: FactsBuilder, result: int) -> int:
    """The node of a dict of the variables that the function has by now; `result` where there are none."""
    scope = builder.scope
    while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:
        scope = scope.parent
    if scope.kind is not ScopeKind.FUNCTION:
        return result
    found = ((name, scope.current.get(name, scope.names.get(name, -1))) for name in sorted(scope.bound))
    items = [(name, node) for name, node in found if node >= 0]
    return builder.container((), "dict", items) if items else result


def keys_gone_over(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> dict[str, tuple[str, ...]]:
    """By variable, the keys in `for key in ("width", "height")`; `()` where they are not all written there."""
    found: dict[str, tuple[str, ...]] = {}
    for generator in node.generators:
        items = generator.iter.elts if isinstance(generator.iter, (ast.Tuple, ast.List, ast.Set)) else []
        keys = tuple(map(literal_key, items))
        for target in (part for part in ast.walk(generator.target) if isinstance(part, ast.Name)):
            found[target.id] = keys if all(keys) and target is generator.target else ()
    return found


def chooses_values(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> bool:
    """`{k: v for k, v in locals().items() if isinstance(v, int)}`: a test asks for more than the first of a pair."""
    for generator in node.generators:
        target = generator.target
        chosen = target.elts[1:] if isinstance(target, ast.Tuple) else [target]
        names = {part.id for each in chosen for part in ast.walk(each) if isinstance(part, ast.Name)}
        asked = (part.id for test in generator.ifs for part in ast.walk(test) if isinstance(part, ast.Name))
        if not names.isdisjoint(asked):
            return True
    return False
