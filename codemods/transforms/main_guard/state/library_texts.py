"""Values of a library that the code of a worker turns into text, which settings of the library give another form."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.names import last_name, root_of_chain
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name

_PLAIN = ("float", "int", "len", "str", "item", "sum", "mean", "max", "min", "round", "bool", "tolist", "join", "dot")
_FIRST_IS_SIZE = ("random", "standard_normal", "random_sample", "rand", "randn", "permutation")  # of others, the third


def imported_name(outline: Outline, node: ast.expr) -> str:
    """The dotted name of what comes from an import, also by a variable (`FLAGS = flags.FLAGS`), else ""."""
    root = root_of_chain(node)
    if root is None or root.id in outline.imported:
        return qualified_name(outline, node) if root is not None else ""
    value = outline.only_value(root)
    whole = root_of_chain(value) if isinstance(value, ast.Attribute) else None
    if value is None or whole is None or whole.id not in outline.imported:
        return ""
    own, name = qualified_name(outline, node), qualified_name(outline, value)
    return name + own.removeprefix(root.id) if own and name else ""


def texts_of_libraries(outline: Outline, values: list[ast.expr]) -> Iterator[tuple[str, ast.expr]]:
    """Values of a library that become a text: what its functions return, also by a variable."""
    for value in values:
        made = outline.only_value(value) if isinstance(value, ast.Name) else value
        for part in walk(made) if made is not None and not _is_number(made) else ():
            if isinstance(part, ast.Call) and (name := _library(outline, part)):
                yield f"text of {name}", value


def _library(outline: Outline, call: ast.Call) -> str:
    """The library whose function is called, or the method of an object that a function of it gives; else ""."""
    if name := imported_name(outline, call.func):
        return name.partition(".")[0]
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    made = outline.only_value(holder) if isinstance(holder, ast.Name) else None
    if not isinstance(made, ast.Call) or _is_number(made) or _is_number(call):
        return ""
    name = imported_name(outline, made.func)
    draws = name.startswith("numpy.random.")
    return "" if draws and not _draws_several(call) else name.partition(".")[0]


def _draws_several(call: ast.Call) -> bool:
    """A method of a generator of numpy is told how many numbers to give."""
    several = 1 if last_name(call.func) in _FIRST_IS_SIZE else 3
    return len(call.args) >= several or any(keyword.arg == "size" for keyword in call.keywords)


def _is_number(value: ast.expr) -> bool:
    """A call of a builtin or method that gives a number or a text: `float(...)`, `x.sum()`, `x.item()`."""
    if not isinstance(value, ast.Call):
        return not isinstance(value, ast.BinOp)
    return last_name(value.func) in _PLAIN
