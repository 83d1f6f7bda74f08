"""Lambdas that the standard library has a picklable name for: `int` for `lambda: 0`, `operator.itemgetter` and kin."""

from __future__ import annotations

import ast

from ..finding import Import
from ..tree.source import Source
from .imports import reference
from .scopes import Kind, Scopes, end_of, start_of

_EMPTY: dict[type[ast.expr], str] = {ast.List: "list", ast.Dict: "dict", ast.Tuple: "tuple"}


def known_shape(scopes: Scopes, source: Source, node: ast.Lambda) -> tuple[str, tuple[Import, ...]] | None:
    """An expression that may stand in for the lambda where it is, and the imports it needs; None when there is none."""
    if not _has_parameters(node):
        return _factory(scopes, source.path, node)
    return _item_getter(scopes, source, node)


def _has_parameters(node: ast.Lambda) -> bool:
    each = node.args
    return bool(each.posonlyargs or each.args or each.vararg or each.kwonlyargs or each.kwarg)


def _is_builtin(scopes: Scopes, node: ast.AST, name: str) -> bool:
    return scopes.owner(scopes.around(node), name) is None and not scopes.module.stars


def _zero(body: ast.expr) -> str | None:
    """The builtin type whose empty call equals `body`."""
    if (
        isinstance(body, ast.Constant)
        and type(body.value) in (int, float, str, bool, bytes, complex)
        and not body.value
    ):
        return type(body.value).__name__ if repr(body.value) != "-0.0" else None
    if type(body) in _EMPTY and not getattr(body, "elts", None) and not getattr(body, "keys", None):
        return _EMPTY[type(body)]
    if isinstance(body, ast.Call) and not body.args and not body.keywords and isinstance(body.func, ast.Name):
        return body.func.id if body.func.id in ("int", "float", "str", "bool", "list", "dict", "set", "tuple") else None
    return None


def _factory(scopes: Scopes, path: str, node: ast.Lambda) -> tuple[str, tuple[Import, ...]] | None:
    zero = _zero(node.body)
    if zero is not None:
        return (zero, ()) if _is_builtin(scopes, node, zero) else None
    body = node.body
    if not (
        isinstance(body, ast.Call) and len(body.args) == 1 and not body.keywords and _is_defaultdict(scopes, body.func)
    ):
        return None
    inner = body.args[0]
    text: str
    imports: tuple[Import, ...] = ()
    if isinstance(inner, ast.Lambda):
        known = _factory(scopes, path, inner) if not _has_parameters(inner) else None
        if known is None:
            return None
        text, imports = known
    elif isinstance(inner, ast.Name) and inner.id in ("int", "float", "str", "bool", "list", "dict", "set", "tuple"):
        text = inner.id
        if not _is_builtin(scopes, inner, text):
            return None
    else:
        return None
    partial = spelled(scopes, path, node, "functools", "partial")
    if partial is None:
        return None
    return f"{partial[0]}({ast.unparse(body.func)}, {text})", (*imports, *partial[1])


def _is_defaultdict(scopes: Scopes, func: ast.expr) -> bool:
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        bindings = scopes.module.bindings.get(func.value.id, [])
        return func.attr == "defaultdict" and [each.kind for each in bindings] == ["import"]
    if isinstance(func, ast.Name):
        bindings = scopes.module.bindings.get(func.id, [])
        return func.id == "defaultdict" and [each.kind for each in bindings] == ["import"]
    return False


def _item_getter(scopes: Scopes, source: Source, node: ast.Lambda) -> tuple[str, tuple[Import, ...]] | None:
    arguments = node.args
    if len(arguments.args) != 1 or arguments.posonlyargs or arguments.defaults or arguments.vararg:
        return None
    if arguments.kwonlyargs or arguments.kwarg or not isinstance(node.body, ast.Subscript):
        return None
    value, index = node.body.value, node.body.slice
    if not (isinstance(value, ast.Name) and value.id == arguments.args[0].arg) or value.id in ("self", "cls"):
        return None
    minus = (
        isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and isinstance(index.operand, ast.Constant)
    )
    if not (isinstance(index, ast.Constant) and isinstance(index.value, (int, str))) and not minus:
        return None
    parent = scopes.parents[node]
    if isinstance(parent, ast.keyword):
        parent = scopes.parents[parent]
    if not isinstance(parent, ast.Call) or node is parent.func:
        return None  # whoever gets it from a variable might call it with a keyword
    getter = spelled(scopes, source.path, node, "operator", "itemgetter")
    as_written = source.text[source.offset(*start_of(index)) : source.offset(*end_of(index))]
    return None if getter is None else (f"{getter[0]}({as_written})", getter[1])


def spelled(scopes: Scopes, path: str, node: ast.AST, module: str, name: str) -> tuple[str, tuple[Import, ...]] | None:
    """`imports.reference`, where its first word means the module's binding at `node` too; else None."""
    try:
        text, imports = reference(scopes.tree, path, module, name)
    except ValueError:
        return None
    owner = scopes.owner(scopes.around(node), text.partition(".")[0])
    return (text, imports) if owner is None or owner.kind is Kind.MODULE else None
