"""Options of argparse parsers: finding one by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..nodes import end_line, walk
from .binding_rules import bound_name


@dataclass(frozen=True, slots=True)
class Option:
    """One `add_argument` call: `names` as spelled, `keywords` as syntax trees; `odd` says why it can't be rewritten.

    `parser`: the expression that names its parser.
    """

    path: str
    call: ast.Call
    names: tuple[str, ...]
    keywords: dict[str, ast.expr]
    odd: str | None = None
    parser: str = ""

    @property
    def line(self) -> int:
        """Line of the call, 1-based."""
        return self.call.lineno

    @property
    def dest(self) -> str:
        """The attribute that the value ends up in."""
        passed = self.keywords.get("dest")
        if isinstance(passed, ast.Constant) and isinstance(passed.value, str):
            return passed.value
        long = [name for name in self.names if name.startswith("--")]
        return (long or list(self.names))[0].lstrip("-").replace("-", "_")

    @property
    def default(self) -> ast.expr | None:
        """The default's expression; None when there is none or it is `None`."""
        passed = self.keywords.get("default")
        return None if isinstance(passed, ast.Constant) and passed.value is None else passed

    @property
    def type(self) -> str:
        """The type as written, "str" when there is none, "?" when it is more than a name."""
        passed = self.keywords.get("type")
        return "str" if passed is None else passed.id if isinstance(passed, ast.Name) else "?"

    @property
    def required(self) -> bool:
        """True when `required=` is anything but False."""
        passed = self.keywords.get("required")
        return passed is not None and not (isinstance(passed, ast.Constant) and passed.value is False)


def nodes(tree: ast.Module) -> list[ast.AST]:
    """Every node below a module, walked once: the same few modules are searched many times."""
    known: list[ast.AST] | None = getattr(tree, "nodes_below", None)  # kept there, so it goes when the tree goes
    if known is None:
        known = list(walk(tree))[1:]
        tree.nodes_below = known  # type: ignore[attr-defined]
    return known


def options(path: str, module: ast.Module, *spellings: str) -> Iterator[Option]:
    """The `add_argument` calls of `module` that define one of `spellings` ("--local_rank"), in the order they stand."""
    for node in nodes(module):
        if not isinstance(node, ast.Call):
            continue
        names = tuple(arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
        if not any(name in spellings for name in names):
            continue
        method = _bound(module, node) if isinstance(node.func, ast.Name) else node.func
        if not (isinstance(method, ast.Attribute) and method.attr == "add_argument"):
            continue
        keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        odd = None
        if len(names) != len(node.args) or len(keywords) != len(node.keywords):
            odd = "its names or settings are put together at run time"
        elif extra := [key for key in _NO_PLAIN_VALUE if _is_odd(key, keywords)]:
            odd = f"it has `{extra[0]}=`"
        yield Option(path, node, names, keywords, odd, ast.unparse(method.value))


_NO_PLAIN_VALUE = ("choices", "nargs", "action", "const")
_PLAIN = {"nargs": "?", "action": "store"}  # one value, as without it


def _is_odd(key: str, keywords: dict[str, ast.expr]) -> bool:
    """The keyword makes the option another than one with a value."""
    value = keywords.get(key)
    return value is not None and not (isinstance(value, ast.Constant) and value.value == _PLAIN.get(key, value))


def _bound(module: ast.Module, call: ast.Call) -> ast.expr | None:
    """What the name that is called stands for: `arg = parser.add_argument`, its only binding in the function around."""
    assert isinstance(call.func, ast.Name)
    name, around = call.func.id, _around(module, call)
    binding = [
        node
        for node in around
        if bound_name(node) == name or (isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names)
    ]
    for node in around:
        if isinstance(node, ast.Assign) and node.targets == binding and node.lineno < call.lineno:
            return node.value
    return None


def _around(module: ast.Module, call: ast.Call) -> list[ast.AST]:
    """The nodes below the innermost function that holds `call`, with its own parameters; else those of the module."""
    functions = [
        node
        for node in nodes(module)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= call.lineno <= end_line(node)
    ]
    inner = max(functions, key=lambda node: node.lineno, default=None)
    return nodes(module) if inner is None else list(walk(inner))[1:]
