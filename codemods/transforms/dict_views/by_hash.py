"""Keys whose `==` says more than their hash: a view finds them by the hash first, a list by `==` alone."""

from __future__ import annotations

import ast

from ...syntax.callees import method
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import Receivers
from ...syntax.resolver import Class, Resolver

BY_HASH = "whose `==` and hash go by different things: a list asks for `==` alone"


def asked_by_hash(receivers: Receivers, resolver: Resolver, outline: Outline, use: ast.AST) -> str | None:
    """What asks whether an object of such a class is in the view `use`, in words."""
    test = outline.parents.get(use)
    if not isinstance(test, ast.Compare) or test.comparators[-1] is not use or len(test.ops) != 1:
        return None
    if not isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return None
    asked = test.left.elts[:1] if isinstance(test.left, ast.Tuple) else [test.left]
    for value in asked:
        for cls in receivers.instance_of(outline, value):
            if not _agree(resolver, cls):
                return f"asks whether a `{cls.node.name}` is in it, {BY_HASH}"
    return None


def _agree(resolver: Resolver, cls: Class) -> bool:
    """Equal objects have the same hash, as is seen: each part that is hashed is compared as well."""
    line = resolver.lineage(cls)
    compares = next((found for at in line if (found := method(at.node, "__eq__")) is not None), None)
    hashes = next((found for at in line if (found := method(at.node, "__hash__")) is not None), None)
    if compares is None or hashes is None or len(compares.args.args) != 2 or not hashes.args.args:
        return True  # those of `object`, or of a dataclass
    this, other = (each.arg for each in compares.args.args)
    mine = hashes.args.args[0].arg
    pairs: set[tuple[str, str]] = set()
    for node in ast.walk(compares):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
            left, right = (_parts(each) for each in (node.left, node.comparators[0]))
            pairs |= {*zip(map(ast.unparse, left), map(ast.unparse, right), strict=False)}
    both = pairs | {(right, left) for left, right in pairs}
    hashed = [node for node in ast.walk(hashes) if isinstance(node, ast.Call) and last_name(node.func) == "hash"]
    return bool(hashed) and all(
        (_of(part, mine, this), _of(part, mine, other)) in both
        for call in hashed
        for each in call.args
        for part in _parts(each)
    )


def _parts(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple) else [value]


def _of(value: ast.expr, name: str, other: str) -> str:
    """The text of `value` with another name for the object."""
    renamed = ast.parse(ast.unparse(value), mode="eval")
    for node in ast.walk(renamed):
        if isinstance(node, ast.Name) and node.id == name:
            node.id = other
    return ast.unparse(renamed)
