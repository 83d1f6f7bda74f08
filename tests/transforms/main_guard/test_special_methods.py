"""The special methods that code has Python call: the tables say what Python does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codemods.transforms.main_guard.state import implicit_calls, other_changes
from harness.each_row import each_row

SYMBOLS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "<<": "lshift", ">>": "rshift", "|": "or", "&": "and", "^": "xor",
}  # fmt: skip
COMPARED = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
GIVEN: dict[str, Any] = {"str": "x", "repr": "x", "format": "x", "bool": True, "float": 1.0, "exit": True}
ITERATORS = ("iter", "reversed")
ROWS = [
    *((f"a {symbol} 1", name) for symbol, name in (SYMBOLS | COMPARED).items()),
    *((f"1 {symbol} a", f"r{name}") for symbol, name in SYMBOLS.items()),
    *((f"a {symbol}= 1", f"{prefix}{name}") for symbol, name in SYMBOLS.items() for prefix in ("i", "")),
    *((f"{symbol}a", name) for symbol, name in (("-", "neg"), ("+", "pos"), ("~", "invert"))),
    *((code, name) for code in ("not a", "if a: pass", "while a: a = 0", "1 if a else 2") for name in ("bool", "len")),
    ("a[0]", "getitem"),
    ("a[0] = 1", "setitem"),
    ("del a[0]", "delitem"),
    ("1 in a", "contains"),
    ("1 not in a", "contains"),
    ("for x in a: pass", "iter"),
    ("[x for x in a]", "iter"),
    ("{x for x in a}", "iter"),
    ("with a: pass", "enter"),
    ("with a: pass", "exit"),
    *(("f'{a}'", name) for name in ("format", "str", "repr")),
    *((f"{name}(a)", name) for name in ("len", "repr", "iter", "next", "float", "hash", "abs", "round", "reversed")),
    *((f"{name}(a)", "iter") for name in ("list", "tuple", "set", "sum", "enumerate", "sorted", "dict")),
    *((f"{name}(a)", method) for name in ("str", "print") for method in ("str", "repr")),
    *(("format(a)", method) for method in ("format", "str")),
    *(("int(a)", method) for method in ("int", "index")),
    *(("bool(a)", method) for method in ("bool", "len")),
]


def recorder(name: str, called: list[str]) -> Callable[..., Any]:
    def method(*args: Any) -> Any:
        called.append(name)
        return iter(()) if name in ITERATORS else GIVEN.get(name, 1)

    return method


@each_row(("code", "name"), ROWS)
def test_what_python_calls(code: str, name: str) -> None:
    called: list[str] = []
    names = ("enter", "exit") if name in ("enter", "exit") else (name,)
    kind = type("Kept", (), {f"__{each}__": recorder(each, called) for each in names})
    exec(code, {"a": kind()})
    assert name in called
    known = {
        each
        for node in ast.walk(ast.parse(code))
        if type(node) in implicit_calls._WITH_OPERANDS
        for operand, methods in implicit_calls._operands(node)
        if isinstance(operand, ast.Name) and operand.id == "a"
        for each in methods
    }
    assert name in known


def test_no_builtin_is_said_to_call_more() -> None:
    said = {(f"{function}(a)", name) for function, names in implicit_calls._BUILTINS.items() for name in names}
    assert said <= {*ROWS}


@each_row(
    ("symbol", "name"), [(symbol, SYMBOLS[symbol]) for symbol in ["+", "-", "*", "/", "%", "@", "<<", ">>", "|", "&"]]
)
def test_an_operator_calls_a_method_of_what_stands_before_it(symbol: str, name: str) -> None:
    above = ast.parse(f"a {symbol} b", mode="eval").body
    assert isinstance(above, ast.BinOp)
    call = other_changes.by_syntax(above.left, above.left, above)
    assert call is not None and ast.unparse(call) == f"a.__{name}__()"
    assert other_changes.by_syntax(above.right, above.right, above) is None
