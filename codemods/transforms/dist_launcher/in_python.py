"""Launch lines that Python builds: word lists for `subprocess`, strings for `os.system`, its own main."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...launch.lines import LAUNCH
from ...launch.names import names
from ...syntax.argparse_options import nodes
from .program import called

_WORDS = 64  # in which a command names its module


def _starts_launcher(text: str) -> bool:
    """True for a command: Python, its flags, and `-m torch.distributed.launch`."""
    if LAUNCH not in text:
        return False
    words = iter(text.split(None, _WORDS)[:_WORDS])
    if "python" not in next(words, ""):
        return False
    for word in words:
        if word == "-m":
            return re.match(rf"{re.escape(LAUNCH)}\b", next(words, "")) is not None
        if re.fullmatch(r"-\w+", word) is None:
            return False
    return False


_COMMAND = re.compile(r"-m\s+torch\.distributed\.launch\b")


def _text_of(value: ast.expr) -> ast.expr | None:
    """The text that is assigned, also where `.format(...)` fills it in."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
        value = value.func.value
    return value if isinstance(value, (ast.Constant, ast.JoinedStr, ast.BinOp)) else None


def launches_in_python(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Places of `tree` that start the old launcher, each with what stands there, in words."""
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
                yield node.elts[words.index(LAUNCH)], "a list of words starts the launcher"
        elif isinstance(node, ast.Call) and called(node) in names("command_functions"):
            for part in (inner for given in node.args[:1] for inner in ast.walk(given)):
                if id(part) in strings and not strings[id(part)] and _COMMAND.search(part.value):  # type: ignore[attr-defined]
                    strings[id(part)] = True
                    yield whole.get(id(part), part), "a string is run as a command"  # type: ignore[arg-type]
        elif isinstance(node, ast.Assign) and (text := _text_of(node.value)) is not None:
            first = next((part for part in ast.walk(text) if id(part) in strings), None)
            if isinstance(first, ast.Constant) and _starts_launcher(str(first.value)):
                strings[id(first)] = True
                yield whole.get(id(first), first), "a string holds the command"
        elif isinstance(node, ast.ImportFrom) and node.module == LAUNCH and not node.level:
            yield node, "the launcher's own functions are imported"
        elif isinstance(node, ast.Import) and any(alias.name == LAUNCH for alias in node.names):
            yield node, "the launcher is imported"
