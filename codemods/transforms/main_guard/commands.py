"""Commands of other programs that only answer a question: asked once more by each worker, they change nothing."""

from __future__ import annotations

import ast
import re

from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .data import names

_STARTS = frozenset(
    ["subprocess.run", "subprocess.check_output", "subprocess.getoutput", "subprocess.getstatusoutput", "os.popen"]
)
_SHELLS = frozenset(["bash", "sh", "zsh", "/bin/bash", "/bin/sh"])
_SEPARATORS = re.compile(r"&&|\|\||[;|\n]")
_WRITES = re.compile(r">(?!\s*(?:/dev/null|&))|`|\$\(")


def only_asks(outline: Outline, call: ast.Call) -> bool:
    """`check_output(["git", "rev-parse", "HEAD"])`: every word that decides is written there, and none changes."""
    if qualified_name(outline, call.func) not in _STARTS or not call.args:
        return False
    written = call.args[0]
    if isinstance(written, ast.Call) and isinstance(written.func, ast.Attribute) and written.func.attr == "split":
        written = written.func.value  # "git rev-parse HEAD".split()
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        return _line_asks(written.value)
    if not isinstance(written, (ast.List, ast.Tuple)):
        return False
    words = [part.value if isinstance(part, ast.Constant) else None for part in written.elts]
    if words[:1] and words[0] in _SHELLS:
        return len(words) == 3 and words[1] in ("-c", "-lc") and isinstance(words[2], str) and _line_asks(words[2])
    return _command_asks([word if isinstance(word, str) else "" for word in words])


def _line_asks(line: str) -> bool:
    """A line of shell of which each command only asks."""
    return not _WRITES.search(line) and all(_command_asks(part.split()) for part in _SEPARATORS.split(line))


def _command_asks(words: list[str]) -> bool:
    if not words:
        return True
    if words[0] == "git":
        rest = words[1:]
        while rest[:1] == ["-C"]:
            rest = rest[2:]
        return bool(rest) and rest[0] in names("asking_git_commands")
    return words[0] in names("asking_commands")
