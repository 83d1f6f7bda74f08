"""Keys that are taken out of a dict before it is handed on: `kwargs.pop("fix")`, then `super().__init__(**kwargs)`.

The dict holds what it held, as far as the flow looks; what is handed on is a copy without them.
"""

from __future__ import annotations

import ast

from .builder import FactsBuilder

_PUTS = frozenset({"update", "setdefault"})
TAKES_OUT = _PUTS | {"pop"}  # and what puts something back


def note_taken_out(builder: FactsBuilder, container: ast.expr, key: ast.expr) -> None:
    """`del container[key]`, `container.pop(key)`."""
    if not isinstance(container, ast.Name) or not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return
    if builder.in_function and container.id in builder.scope.bound:
        builder.scope.taken_out.setdefault(container.id, {})[key.value] = builder.block_end


def note_absent(builder: FactsBuilder, test: ast.expr, last: int) -> None:
    """A key that a branch takes out where it is there (`if key in container`) is in it no more behind the branch.

    `last`: the last line of the branch.
    """
    match test:
        case ast.Compare(ast.Constant(str() as key), [ast.In()], [ast.Name(name)]):
            if builder.scope.taken_out.get(name, {}).get(key) == last:
                builder.scope.taken_out[name][key] = builder.block_end


def note_put_back(builder: FactsBuilder, container: ast.expr) -> None:
    """`container[key] = value`: it may hold the key again."""
    if isinstance(container, ast.Name):
        builder.scope.taken_out.pop(container.id, None)


def note_method(builder: FactsBuilder, call: ast.Call, function: ast.Attribute) -> None:
    """`container.pop(key)` or the like."""
    if function.attr == "pop" and call.args:
        note_taken_out(builder, function.value, call.args[0])
    elif function.attr in _PUTS:
        note_put_back(builder, function.value)


def handed_on(builder: FactsBuilder, mapping: ast.expr, value: int) -> int:
    """The node of what `**mapping` hands on, where `value` is that of the mapping."""
    taken = builder.scope.taken_out.get(mapping.id) if isinstance(mapping, ast.Name) else None
    keys = [key for key, end in taken.items() if mapping.lineno <= end] if taken else []
    if not keys or value < 0:
        return value
    copy = builder.node()
    builder.facts.copies.append((value, copy, builder.node()))
    builder.facts.left_out += [(copy, key) for key in keys]
    return copy
