"""Launch lines that Python builds: word lists for `subprocess`, strings for `os.system`, its own main."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from ...launch.lines import LAUNCH
from ...launch.names import names
from ...syntax.argparse_options import nodes
from .program import called

_WORDS = 64  # in which a command names its module


def _starts_launcher(text: str) -> bool:
    """True for a command: Python, its flags, and `-m torch.distributed.launch`; variables may be set before it."""
    if LAUNCH not in text:
        return False
    words = iter(text.split(None, _WORDS)[:_WORDS])
    first = next((word for word in words if _SETS.match(word) is None), "")
    if "python" not in first:
        return False
    for word in words:
        if word == "-m":
            return re.match(rf"{re.escape(LAUNCH)}\b", next(words, "")) is not None
        if re.fullmatch(r"-\w+", word) is None:
            return False
    return False


_SETS = re.compile(r"\w+=")  # `CUDA_VISIBLE_DEVICES=0,1 python ...`
_COMMAND = re.compile(r"-m\s+torch\.distributed\.launch\b")


def _starts_command(text: ast.expr, first: ast.Constant) -> bool:
    """`python -m torch.distributed.launch ...`, or an f-string or a sum in which the interpreter is a variable."""
    said = str(first.value)
    leading: ast.expr = text
    while isinstance(leading, ast.BinOp):
        leading = leading.left
    leading = leading.values[0] if isinstance(leading, ast.JoinedStr) and leading.values else leading
    return _starts_launcher(said if leading is first else f"python {said.lstrip()}") or _starts_launcher(said)


def _text_of(value: ast.expr) -> ast.expr | None:
    """The text that is assigned, also where `.format(...)` fills it in."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
        value = value.func.value
    return value if isinstance(value, (ast.Constant, ast.JoinedStr, ast.BinOp)) else None


def _kept(node: ast.AST) -> ast.expr | None:
    """What is assigned, returned or put in a list."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)):
        return node.value
    added = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
    return node.args[0] if added and isinstance(node, ast.Call) and len(node.args) == 1 else None


def _said(command: ast.expr) -> str:
    """The words of a command that are known; nothing joins two of them but a space or a gap."""
    parts = [part.value for part in ast.walk(command) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return " {} ".join(parts) if isinstance(command, ast.JoinedStr) else " ".join(parts)


_SCRIPT = re.compile(r"(?<![^\s'\"=])[\w./-]+\.py(?![\w.])")


def script_of(said: str, paths: Collection[str]) -> str | None:
    """The only file of the project that the first script of the command can be."""
    named = _SCRIPT.search(said)
    if named is None:
        return None
    name = named[0].removeprefix("./")
    if name in paths:
        return name
    ends = [path for path in paths if path.endswith(f"/{name}")]
    return ends[0] if len(ends) == 1 else None


def launches_in_python(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """Places of `tree` that start the old launcher, each with what stands there, in words, and the command."""
    strings = {
        id(node): False for node in nodes(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    whole = {  # an f-string of which it is a part, whose own position is the same in all versions of Python
        id(part): node for node in nodes(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in nodes(tree):
        if isinstance(node, (ast.List, ast.Tuple)):
            words = [item.value if isinstance(item, ast.Constant) else None for item in node.elts]
            if LAUNCH in words and "-m" in words[: words.index(LAUNCH)]:
                yield node.elts[words.index(LAUNCH)], "a list of words starts the launcher", _said(node)
        elif isinstance(node, ast.Call) and called(node) in names("command_functions"):
            for part in (inner for given in node.args[:1] for inner in ast.walk(given)):
                if id(part) in strings and not strings[id(part)] and _COMMAND.search(part.value):  # type: ignore[attr-defined]
                    strings[id(part)] = True
                    place: ast.expr = whole.get(id(part), part)  # type: ignore[arg-type]
                    yield place, "a string is run as a command", _said(place)
        elif (value := _kept(node)) is not None and (text := _text_of(value)) is not None:
            first = next((part for part in ast.walk(text) if id(part) in strings), None)
            if isinstance(first, ast.Constant) and _starts_command(text, first):
                strings[id(first)] = True
                yield whole.get(id(first), first), "a string holds the command", _said(text)
        elif isinstance(node, ast.ImportFrom) and node.module == LAUNCH and not node.level:
            yield node, "the launcher's own functions are imported", ""
        elif isinstance(node, ast.Import) and any(alias.name == LAUNCH for alias in node.names):
            yield node, "the launcher is imported", ""
