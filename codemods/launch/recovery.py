"""Shell text that no shell would read whole: templates like `DATA=<path to data>`, a quote that is never closed, `...`.

People write such lines in guides and in scripts that are to be filled in. The parser would take what follows for a part
of them, so they are replaced letter by letter: every offset stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

_PLACEHOLDER = re.compile(  # not `<in >out`, `<<EOF`, `<(ls)`, `<in 2>err`; `\<` is Markdown outside of code
    r"(?<!<)\\?<(?!/\w+>)(?=[^\s<>=-])(?:[^<>\n&;|()`$\\]|\|(?=\w))*(?<!\s)(?<!\s\d)\\?>"
)
_LAUNCH = re.compile(  # a command on a line of its own
    rb"^[ \t]*(?:\w+=\S*[ \t]+|(?:nohup|srun|time|exec|env|sudo)[ \t]+)*"
    rb"(?:torchrun[ \t]|(?:[\w./~${}-]*python[\d.]*|\"?\$\{?\w+\}?\"?)[ \t]+(?:-\w+[ \t]+)*"
    rb"-m[ \t]+torch\.distributed\.(?:launch|run)\b)",
    re.MULTILINE,
)
_MOST = 20  # places that are taken out of one text


def filled_in(text: str) -> str:
    """`text` with a word of the same length for each `<placeholder>`."""
    return _PLACEHOLDER.sub(lambda found: "_" * len(found.group()), text) if "<" in text else text


def recovered(data: bytes, parse: Callable[[bytes], Node]) -> tuple[bytes, Node, int | None]:
    """`data` without what keeps the parser from its launch lines, its tree, and where a line is that stays unread.

    From where the parser fails, the rest of that line becomes blanks, so that the next line is read again.
    """
    root = parse(data)
    lost = _lost(data, root)
    for _ in range(_MOST):
        if lost is None:
            break
        data = _blanked(data, *lost)
        root = parse(data)
        lost = _lost(data, root)
    return data, root, None if lost is None else lost[1]


def _lost(data: bytes, root: Node) -> tuple[Node, int] | None:
    """The first launch line that is no command: what it is part of instead, and where it starts."""
    for line in _LAUNCH.finditer(data) if root.has_error or b"'" in data else ():
        around = _swallowed_by(data, root, line.end() - 2)
        if around is not None:
            return around, line.start()
    return None


def _swallowed_by(data: bytes, root: Node, at: int) -> Node | None:
    """The largest part of the text which the parser could not read, or a string that begins in a word as in `don't`."""
    node, found = root.descendant_for_byte_range(at, at), None
    while node is not None:
        if node.type in ("comment", "heredoc_body", "command", "string") and found is None:
            return None
        apostrophe = node.type == "raw_string" and data[node.start_byte - 1 : node.start_byte].isalpha()
        if node.type == "ERROR" or (apostrophe and b"\n" in data[node.start_byte : at]):
            found = node
        node = node.parent
    return found


def _blanked(data: bytes, node: Node, line: int) -> bytes:
    """`data` without the line of `node` from its start on; of the launch line itself only the first sign goes."""
    start = node.start_byte
    end = data.find(b"\n", start)
    if start >= line or end < 0:
        end = start + 1
    return data[:start] + b" " * (end - start) + data[end:]
