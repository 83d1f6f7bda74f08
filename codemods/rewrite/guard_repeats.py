"""What a child that imports the script should not do once more: train, write files, join ranks, use the GPU."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .outline import Outline, last_name
from .process_starts import Starts, own_nodes
from .receivers import dotted

_WRITES = re.compile(
    r"(torch|numpy|joblib|pickle|json|yaml)\.(save\w*|dump)|shutil\.(rmtree|move|copy\w*)|"
    r"os\.(remove|unlink|rename|replace|rmdir|removedirs|system)|subprocess\.\w+|(\w+\.)*(SummaryWriter|FileHandler)"
)
_WRITING_METHODS = frozenset({"to_csv", "savefig", "write_text", "write_bytes", "save_pretrained", "save_weights"})
_JOINS = re.compile(
    r"torch\.distributed\.init_process_group|deepspeed\.init(ialize|_distributed)|horovod\.torch\.init|"
    r"(wandb|mlflow|neptune|comet_ml)\.(init\w*|start_run|login)"
)
_MOVES = re.compile(r"^\.(cuda\(|to\([^)]*(device|cuda|gpu))", re.IGNORECASE)
_DEPTH = 2  # functions of the repository that are looked into


def repeated(starts: Starts, outline: Outline, statement: ast.stmt, depth: int = 0) -> str | None:
    """What `statement` does that every child would do again, in words; None when it only sets things up.

    "" for what is only wasted there: a model on the GPU.
    """
    wasted: str | None = None
    for node in own_nodes([statement]):
        if isinstance(node, ast.Call):
            if (found := _does(outline, node)) is not None:
                return found
            if isinstance(node.func, ast.Attribute) and _MOVES.search(
                ast.unparse(node).removeprefix(ast.unparse(node.func.value))
            ):
                wasted = ""
            called = starts.called(outline, node) if depth < _DEPTH else None
            for inner in called[1].body if called is not None else ():
                if found := repeated(starts, called[0], inner, depth + 1):  # type: ignore[index]
                    return found
    return wasted


def _does(outline: Outline, call: ast.Call) -> str | None:
    name, last = dotted(outline, call.func), last_name(call.func)
    if last == "backward" and isinstance(call.func, ast.Attribute):
        return "trains"
    if _JOINS.fullmatch(name):
        return f"calls `{ast.unparse(call.func)}`"
    if _WRITES.fullmatch(name) or (last in _WRITING_METHODS and isinstance(call.func, ast.Attribute)):
        return f"calls `{ast.unparse(call.func)}`"
    if name in ("open", "io.open") and any(mode[:1] in "wax" for mode in _modes(call)):
        return "opens a file for writing"
    return None


def _modes(call: ast.Call) -> Iterator[str]:
    given = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    yield from (node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str))
