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


def printable(text: str) -> str:
    """`text` with "?" for what could steer a terminal or hide a part of a line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
