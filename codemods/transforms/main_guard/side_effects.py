"""What a child that imports the script should not do once more: train, write files, join ranks, use the GPU."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...syntax.callees import Function, method
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .data import names
from .process_starts import Starts, own_nodes

_DEVICE = re.compile(r"device|cuda|gpu", re.IGNORECASE)
_SHOWS = frozenset(  # what may be asked for in the arguments of a `print`
    [
        "str", "int", "float", "bool", "repr", "len", "type", "round", "sum", "min", "max", "sorted", "list", "tuple",
        "dict", "set", "vars", "format", "join", "upper", "lower", "strip", "items", "keys", "values", "size", "numel",
        "item", "tolist", "device_count", "is_available", "cpu_count", "get_device_name", "getpid",
    ]
)  # fmt: skip
_DEPTH = 2  # functions of the repository that are looked into


def repeated(starts: Starts, outline: Outline, statement: ast.stmt, depth: int = 0) -> str | None:
    """What `statement` does that every child would do again, in words; None when it only sets things up.

    "" for what is only wasted there: a model on the GPU, one more file for logs.
    """
    wasted: str | None = None
    for call in (node for node in own_nodes([statement]) if isinstance(node, ast.Call)):
        does = [_does(outline, call)]
        for other, function in _called(starts, outline, call) if depth < _DEPTH else ():
            does += [repeated(starts, other, inner, depth + 1) for inner in function.body]
        for found in does:
            if found:
                return found
            wasted = found if wasted is None else wasted
    return wasted


def _called(starts: Starts, outline: Outline, call: ast.Call) -> Iterator[tuple[Outline, Function]]:
    """The function or constructor of the repository that the call runs."""
    called = starts.callees.called(outline, call)
    if called is not None:
        yield called[:2]
    made = starts.callees.made_class(outline, call)
    initialiser = method(made[1], "__init__") if made is not None else None
    if made is not None and initialiser is not None:
        yield made[0], initialiser


def only_prints(starts: Starts, outline: Outline, statement: ast.stmt, depth: int = 0) -> bool:
    """It writes a line for people, directly or in a function of the repository, and does nothing else."""
    if isinstance(statement, ast.If):
        asks = any(isinstance(node, (ast.Call, ast.NamedExpr)) for node in ast.walk(statement.test))
        return not asks and all(only_prints(starts, outline, part) for part in [*statement.body, *statement.orelse])
    value = statement.value if isinstance(statement, ast.Expr) else None
    if depth and isinstance(value, ast.Constant):
        return True  # a docstring
    if not isinstance(value, ast.Call) or any(isinstance(node, ast.NamedExpr) for node in ast.walk(value)):
        return False
    inner = [node.func for node in ast.walk(value) if isinstance(node, ast.Call) and node is not value]
    if any((last_name(item)) not in _SHOWS for item in inner):
        return False
    if isinstance(value.func, ast.Name) and value.func.id == "print":
        return not outline.lookup(value.func, "print")[1] and all(keyword.arg != "file" for keyword in value.keywords)
    called = starts.callees.called(outline, value) if depth < _DEPTH else None
    if called is None or called[1].decorator_list:
        return False
    return all(only_prints(starts, called[0], statement, depth + 1) for statement in called[1].body)


def _does(outline: Outline, call: ast.Call) -> str | None:
    name, last, is_method = (
        qualified_name(outline, call.func),
        last_name(call.func),
        isinstance(call.func, ast.Attribute),
    )
    if is_method and last == "backward":
        return "trains"
    if name in names("acts") or (is_method and last in names("writing_methods")):
        return f"calls `{ast.unparse(call.func)}`"
    if name == "input" and not outline.lookup(call, "input")[1]:
        return "asks the user"
    if name in ("open", "io.open") and any(mode[:1] in "wax" for mode in _modes(call)):
        return "opens a file for writing"
    if last in ("FileHandler", "basicConfig") and any(mode[:1] == "w" for mode in _modes(call)):
        return "empties its log"
    if name == "concurrent.futures.ProcessPoolExecutor":
        return ""
    loads = name in names("loads") or name.startswith("torchvision.datasets.") or _loads_weights(call)
    moved = last == "cuda" or (last == "to" and any(_DEVICE.search(ast.unparse(argument)) for argument in call.args))
    return "" if loads or last in names("log_files") or (is_method and moved) else None


def _loads_weights(call: ast.Call) -> bool:
    """`Model.from_pretrained(...)`, and a call whose argument says where the weights are."""
    if last_name(call.func) in names("loading_methods"):
        return True
    return last_name(call.func) not in ("dict", "Namespace") and any(
        keyword.arg in names("weights") and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
        for keyword in call.keywords
    )


def _modes(call: ast.Call) -> Iterator[str]:
    given = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg in ("mode", "filemode"))]
    yield from (node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str))
