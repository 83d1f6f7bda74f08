"""Lambdas that the standard library has a picklable name for: `int` for `lambda: 0`, `operator.itemgetter` and kin."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from string import Formatter

from ...finding import Import
from ...syntax.binding_rules import BindingKind, ScopeKind
from ...syntax.imports import reference
from ...syntax.names import last_name
from ...syntax.scope_data import end_of, line_of, start_of
from ...syntax.scopes import Scopes
from ...tree.source import Source

_BINDS_OR_ASKS = frozenset({"setattr", "wraps", "update_wrapper", "signature", "getsource", "vectorize", "property"})
_EMPTY: dict[type[ast.expr], str] = {ast.List: "list", ast.Dict: "dict", ast.Tuple: "tuple"}


def known_shape(
    scopes: Scopes, source: Source, node: ast.Lambda, is_ours: Callable[[str], bool]
) -> tuple[str, tuple[Import, ...]] | None:
    """An expression that may stand in for the lambda where it is, and the imports it needs; None when there is none.

    `int` takes arguments and `itemgetter` takes none by keyword, which the lambda did otherwise: so only where what
    calls it is known, or is no code of the project (`is_ours` says so of a name) and calls a function of one argument
    as everybody does.
    """
    call = _receiver(scopes, node)
    if call is None:
        return None
    if not _has_parameters(node):
        return _factory(scopes, source.path, node) if _calls_with_nothing(scopes, node, call) else None
    getter = _item_getter(scopes, source, node)
    return None if getter is None or may_take_other_arguments(scopes, node, is_ours) else getter


def may_take_other_arguments(scopes: Scopes, node: ast.Lambda, is_ours: Callable[[str], bool]) -> bool:
    """What gets the lambda may call it in another way than with all of its parameters, by position."""
    calls = _receivers(scopes, node)
    return not calls or any(_may_call_otherwise(scopes, call, is_ours) for call in calls)


def _may_call_otherwise(scopes: Scopes, call: ast.Call, is_ours: Callable[[str], bool]) -> bool:
    called = [last_name(call.func)]
    if ast.unparse(call.func).startswith("super(") and called == ["__init__"]:
        owner = next((above for above in scopes.ancestors(call) if isinstance(above, ast.ClassDef)), None)
        called = [last_name(base) for base in owner.bases] if owner is not None else []
    return not called or any(name in _BINDS_OR_ASKS or is_ours(name) for name in called)


def _receivers(scopes: Scopes, node: ast.Lambda) -> list[ast.Call]:
    """The calls that the lambda is an argument of, through a local variable that is nothing else; none: it is more."""
    call = _receiver(scopes, node)
    if call is not None:
        return [call]
    statement = scopes.parents[node]
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return []
    target = statement.targets[0]
    owner = scopes.owner(scopes.around(target), target.id) if isinstance(target, ast.Name) else None
    if owner is None or not owner.is_local or not isinstance(target, ast.Name) or len(owner.bindings[target.id]) != 1:
        return []
    calls = [_receiver(scopes, use.node) for use in owner.uses.get(target.id, ())]
    return [call for call in calls if call is not None] if None not in calls else []


def _receiver(scopes: Scopes, node: ast.AST) -> ast.Call | None:
    """The call that the node is an argument of."""
    parent = scopes.parents[node]
    if isinstance(parent, ast.keyword):
        parent = scopes.parents[parent]
    return parent if isinstance(parent, ast.Call) and parent.func is not node else None


def _calls_with_nothing(scopes: Scopes, node: ast.Lambda, call: ast.Call) -> bool:
    """The lambda is the factory of a `defaultdict` or of a field."""
    if call.args[:1] == [node] and _is_defaultdict(scopes, call.func):
        return True
    before = call.args[0] if len(call.args) > 1 and call.args[1] is node else None
    if before is not None and last_name(call.func) == "partial" and _is_defaultdict(scopes, before):
        return True
    return any(keyword.value is node and keyword.arg == "default_factory" for keyword in call.keywords)


def is_factory(scopes: Scopes, node: ast.Lambda) -> bool:
    """The lambda takes nothing, and makes what a `defaultdict` or a field lacks."""
    call = _receiver(scopes, node)
    return call is not None and not _has_parameters(node) and _calls_with_nothing(scopes, node, call)


def inner_factory(scopes: Scopes, node: ast.Lambda) -> ast.Lambda | None:
    """The lambda without parameters that `lambda: defaultdict(lambda: ...)` gives to each dict that it makes."""
    body = node.body
    if not (isinstance(body, ast.Call) and len(body.args) == 1 and not body.keywords):
        return None
    inner = body.args[0]
    takes_nothing = isinstance(inner, ast.Lambda) and not _has_parameters(inner)
    return inner if takes_nothing and _is_defaultdict(scopes, body.func) else None  # type: ignore[return-value]


def _has_parameters(node: ast.Lambda) -> bool:
    item = node.args
    return bool(item.posonlyargs or item.args or item.vararg or item.kwonlyargs or item.kwarg)


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
    if last_name(func) not in ("defaultdict", "DefaultDict"):
        return False
    root = func.value if isinstance(func, ast.Attribute) else func
    owner = scopes.owner(scopes.around(root), root.id) if isinstance(root, ast.Name) else None
    return owner is not None and [binding.kind for binding in owner.bindings[last_name(root)]] == [BindingKind.IMPORT]


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
    getter = spelled(scopes, source.path, node, "operator", "itemgetter")
    as_written = source.text[source.offset(*start_of(index)) : source.offset(*end_of(index))]
    return None if getter is None else (f"{getter[0]}({as_written})", getter[1])


_FILLED = re.compile(r"""(?i)(r?)f(r?)(["']{1,3})""")


def filled_text(source: Source, node: ast.Lambda) -> str | None:
    """`"a {}.".format` for `lambda c: f"a {c}."`, which gives the same for whatever one argument; None for all else."""
    arguments, body = node.args, node.body
    plain = len(arguments.args) == 1 and not (
        arguments.posonlyargs or arguments.defaults or arguments.vararg or arguments.kwonlyargs or arguments.kwarg
    )
    if not plain or not isinstance(body, ast.JoinedStr) or body.lineno != body.end_lineno:
        return None
    name, gaps = arguments.args[0].arg, [value for value in body.values if isinstance(value, ast.FormattedValue)]
    for gap in gaps:
        if not isinstance(gap.value, ast.Name) or gap.value.id != name or gap.conversion != -1 or gap.format_spec:
            return None
    written = source.text[source.offset(*start_of(body)) : source.offset(*end_of(body))]
    head = _FILLED.match(written)
    if head is None or not gaps:
        return None
    field = "{}" if len(gaps) == 1 else "{0}"
    text = head[1] + head[2] + head[3] + re.sub(rf"\{{\s*{name}\s*\}}", field, written[head.end() :])
    try:
        value = ast.literal_eval(text)  # raises where this was more than one string
        parts = [*Formatter().parse(value)]
    except (SyntaxError, ValueError):
        return None
    said = [value.value for value in body.values if isinstance(value, ast.Constant)]
    fields = [part[1] for part in parts if part[1] is not None]
    literal = "".join(part[0] for part in parts)
    same = fields == [field[1:-1]] * len(gaps) and literal == "".join(map(str, said)) and text.endswith(head[3])
    return f"{text}.format" if same else None


def spelled(scopes: Scopes, path: str, node: ast.AST, module: str, name: str) -> tuple[str, tuple[Import, ...]] | None:
    """`imports.reference`, where its first word means the module's binding at `node` too; else None."""
    try:
        text, imports = reference(scopes.tree, path, module, name, inside=line_of(node))
    except ValueError:
        return None
    owner = scopes.owner(scopes.around(node), text.partition(".")[0])
    return (text, imports) if owner is None or owner.kind is ScopeKind.MODULE else None
