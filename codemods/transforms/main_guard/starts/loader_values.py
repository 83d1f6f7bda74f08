"""Values that loaders come from: what a binding gives, what dicts and lists get, whether fork is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....syntax.names import last_name
from ....syntax.outline import Outline

NUMBER = "num_workers"
_PARTS = ("items", "values")
_PASSING = ("enumerate", "list", "tuple", "sorted", "reversed", "zip", "tqdm")
_ASKING = ("get", "getenv")  # their second argument is what there is by default


def is_text(nodes: Iterable[ast.expr], value: object) -> bool:
    """One of `nodes` is this constant."""
    return any(isinstance(node, ast.Constant) and node.value == value for node in nodes)


def forks(node: ast.AST) -> bool:
    """It names fork, and not only for want of another (`os.environ.get("START", "fork")`)."""
    asked = (call for call in ast.walk(node) if isinstance(call, ast.Call) and last_name(call.func) in _ASKING)
    fallbacks = {argument for call in asked for argument in call.args[1:]}
    return is_text(
        (part for part in ast.walk(node) if isinstance(part, ast.Constant) and part not in fallbacks), "fork"
    )


def number_of_workers(outline: Outline, call: ast.Call) -> ast.expr | None:
    """What `call` says for `num_workers`, also in a dict that it unpacks: `DataLoader(rows, **options)`."""
    found: ast.expr | None = None
    for keyword in call.keywords:
        if keyword.arg == NUMBER:
            return keyword.value
        found = (number_in(outline, keyword.value) if keyword.arg is None else None) or found
    return found


def number_in(outline: Outline, node: ast.expr) -> ast.expr | None:
    """What the dict `node` has for `num_workers`."""
    found: ast.expr | None = None
    for unpacked in _unpacked(outline, node):
        found = _in_dict(unpacked) or found
    return found


def section_of(node: ast.expr) -> str | None:
    """The name of the part of a configuration: `"loader"` of `config.get("loader", {})` and `config["loader"]`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    key = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and last_name(node.func) in ("get", "pop") and node.args:
        key = node.args[0]
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def _unpacked(outline: Outline, node: ast.expr) -> list[ast.expr]:
    """The dict, and what is stored in it by its name."""
    if not isinstance(node, ast.Name):
        return [node]
    scope, bindings = outline.lookup(node, node.id)
    found = [binding.value for binding in bindings if binding.value is not None]
    for each in outline.own(scope):
        if isinstance(each, ast.Assign):
            targets = [target for target in each.targets if isinstance(target, ast.Subscript)]
            named = [target for target in targets if isinstance(target.value, ast.Name) and target.value.id == node.id]
            found += [ast.Dict([target.slice], [each.value]) for target in named]
    return found


def _in_dict(node: ast.expr) -> ast.expr | None:
    """The number of workers in `{"num_workers": n}` or `dict(num_workers=n)`."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return next((value for key, value in pairs if isinstance(key, ast.Constant) and key.value == NUMBER), None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return next((keyword.value for keyword in node.keywords if keyword.arg == NUMBER), None)
    return None


def value_of(statement: ast.AST, value: ast.expr | None) -> ast.expr | None:
    """The value of a binding; for `a, b = f()` all that is taken apart, and what is sliced for `a, b = f()[1:]`."""
    whole = statement.value if value is None and isinstance(statement, ast.Assign) else None
    if isinstance(whole, ast.Subscript) and isinstance(whole.value, ast.Call):
        return whole.value
    if isinstance(whole, (ast.Call, ast.Name, ast.Attribute, ast.ListComp, ast.GeneratorExp)):
        return whole
    return value


def looped_over(statement: ast.AST) -> ast.expr | None:
    """What a loop takes its values from: `loaders` of `for name, loader in loaders.items()`."""
    if not isinstance(statement, (ast.For, ast.AsyncFor, ast.comprehension)):
        return None
    taken: ast.expr = statement.iter
    while isinstance(taken, ast.Call):
        if isinstance(taken.func, ast.Attribute) and taken.func.attr in _PARTS and not taken.args:
            taken = taken.func.value
        elif isinstance(taken.func, ast.Name) and taken.func.id in _PASSING and taken.args:
            taken = taken.args[-1] if taken.func.id in ("zip", "map") else taken.args[0]
        else:
            break
    return taken


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


def bound_value(outline: Outline, value: ast.expr) -> ast.expr:
    """What a name that is bound once stands for; `value` itself where that can't be told."""
    if isinstance(value, ast.Name):
        values = [binding.value for binding in outline.lookup(value, value.id)[1]]
        if len(values) == 1 and values[0] is not None:
            return values[0]
    return value
