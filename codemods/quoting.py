"""Text from a repository in what people read and paste: quoted for the shell, without control characters."""

from __future__ import annotations

import os
import re
import shlex

_PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./\\-]+")
_ACTIVE = re.compile(r'["%!$`]')  # that cmd or PowerShell acts on between double quotes too


def shell(text: str) -> str:
    """`text` as one word of a command line, for the shell that people have here.

    On Windows that may be cmd or PowerShell: what either would act on becomes "?", as no quotes stop both of them.
    """
    text = printable(text)
    if os.name != "nt":
        return shlex.quote(text)
    return text if _PLAIN.fullmatch(text) else f'"{_ACTIVE.sub("?", text)}"'


def for_terminal(data: bytes) -> bytes:
    """`data`, text of any encoding, with what could steer a terminal shown as an escape; lines and tabs stay."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    if text.isascii() and all(line.replace("\t", "").isprintable() for line in text.split("\n")):
        return text.encode()
    shown = (c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
    return "".join(shown).encode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    """`text` with "?" for what could steer a terminal or hide a part of a line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
