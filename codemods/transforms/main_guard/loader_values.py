"""Values that loaders come from: what a binding gives, what dicts and lists get, whether fork is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...syntax.names import last_name

_ASKING = ("get", "getenv")  # their second argument is what there is by default


def is_text(nodes: Iterable[ast.expr], value: object) -> bool:
    """One of `nodes` is this constant."""
    return any(isinstance(node, ast.Constant) and node.value == value for node in nodes)


def forks(node: ast.expr) -> bool:
    """It names fork, and not only for want of another (`os.environ.get("START", "fork")`)."""
    asked = (call for call in ast.walk(node) if isinstance(call, ast.Call) and last_name(call.func) in _ASKING)
    fallbacks = {argument for call in asked for argument in call.args[1:]}
    return is_text(
        (part for part in ast.walk(node) if isinstance(part, ast.Constant) and part not in fallbacks), "fork"
    )


def value_of(statement: ast.AST, value: ast.expr | None) -> ast.expr | None:
    """The value of a binding; for `a, b = f()` the whole call."""
    if value is None and isinstance(statement, ast.Assign) and isinstance(statement.value, (ast.Call, ast.Name)):
        return statement.value
    return value


def put_into(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """What is stored in the dict or list of each name: `name[key] = it`, `self.name.append(it)`."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            into = [target.value for target in node.targets if isinstance(target, ast.Subscript)]
            put = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            into, put = [node.func.value], node.args
        else:
            continue
        for name in dict.fromkeys(map(last_name, into)):
            found.setdefault(name, []).extend(put)
    return found
