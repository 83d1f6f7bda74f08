"""How text goes to a terminal: clean of what could steer it, prose wrapped at words, paths as one types them."""

from __future__ import annotations

import os
import unicodedata

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..quoting import no_command

_TAB = "    "
_NARROW = 30  # columns that prose gets at least


def clean(text: str) -> str:
    """`text` without what could steer a terminal or mislead a reader: control, format and unassigned characters."""
    text = text.replace("\t", _TAB)
    if text.isprintable():
        return text
    return "".join("?" if unicodedata.category(c) == "Cs" else c for c in text if _visible(c))


def escaped(text: str) -> str:
    """As `clean`, for code that is to be reviewed: what can't be seen is shown as an escape."""
    text = text.replace("\t", _TAB)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cn", "Co")


def sentence(text: str) -> str:
    """`text` on one line, clean."""
    return clean(" ".join(text.split()))


def printed(out: Console, *parts: Text | tuple[str, str] | str) -> None:
    """One line of parts, some (text, style), never wrapped or cut: what is copied from it must be whole."""
    out.print(Text.assemble(*parts), soft_wrap=True, highlight=False)


def prose(out: Console, label: str, style: str, text: str, indent: int = 2) -> None:
    """`label`, then `text` behind it; on a terminal wrapped at words."""
    words = sentence(text)
    head = " " * indent + label
    if not out.is_terminal:
        printed(out, (head, style), words)
        return
    shift = cell_len(head)
    if out.width - shift < _NARROW:
        shift = indent + 2
    lines = Text(words).wrap(out, max(_NARROW, out.width - shift), no_wrap=False)
    if shift != cell_len(head):
        printed(out, (head, style))
    for number, line in enumerate(lines):
        line.rstrip()
        printed(out, (head, style) if number == 0 and shift == cell_len(head) else " " * shift, line)


def place(root: str, path: str) -> str:
    """`path` of the repository at `root` as one types it from here, clean of control characters."""
    if not os.path.isabs(root):  # noqa: PTH117
        return no_command(clean(path))
    whole = os.path.join(root, path)  # noqa: PTH118  (paths as text, nothing is looked up)
    try:
        near = os.path.relpath(whole)
    except (ValueError, OSError):  # another drive; a working directory that is gone
        near = whole
    return no_command(clean(near if len(near) < len(whole) else whole))


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
