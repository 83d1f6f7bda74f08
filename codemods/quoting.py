"""Text from a repository in what people read and paste: quoted for their shell, without control characters."""

from __future__ import annotations

import enum
import os
import re
import shlex
from collections.abc import Mapping

_PLAIN = re.compile(r"[A-Za-z0-9_+:./\\][A-Za-z0-9_+:./\\@-]*")
_ACTIVE = re.compile('["%!$`^\u201c\u201d\u201e]')  # that cmd or PowerShell acts on between double quotes too
_CMD = re.compile(r'[()%!^"<>&|]')
_SINGLE = re.compile("['\u2018\u2019\u201a\u201b]")  # PowerShell takes all of them for single quotes
_BACKSLASHES = re.compile(r'(\\*)("|$)')


class Shell(enum.Enum):
    """Whose rules hold for what people paste."""

    POSIX = "posix"
    POWERSHELL = "powershell"
    CMD = "cmd"


def users_shell(system: str = os.name, environment: Mapping[str, str] = os.environ) -> Shell:
    """The shell that most likely started us: `system` is `os.name`, `environment` its variables.

    Windows sets PSModulePath for all programs; PowerShell puts the user's own folder before it. Git Bash sets SHELL.
    """
    modules = environment.get("PSModulePath", "")
    if system != "nt":
        return Shell.POWERSHELL if modules else Shell.POSIX
    if environment.get("MSYSTEM") or environment.get("SHELL", "").replace(".exe", "").endswith("sh"):
        return Shell.POSIX
    own = re.search(r"\\(?:Windows)?PowerShell\\Modules", modules.partition(";")[0], re.IGNORECASE)
    programs = [environment[name] for name in ("ProgramFiles", "SystemRoot") if environment.get(name)]
    if own and not any(modules.lower().startswith(folder.lower()) for folder in programs):
        return Shell.POWERSHELL
    return Shell.CMD


def shell(text: str, kind: Shell | None = None) -> str:
    """`text` as one word of a command line, for the shell that people have here."""
    text, kind = printable(text), kind or users_shell()
    if kind is Shell.POSIX:
        return shlex.quote(text)
    if _PLAIN.fullmatch(text):
        return text
    if not _ACTIVE.search(text):
        return _for_program(text)  # both shells take it so
    if kind is Shell.POWERSHELL:
        return "'" + _SINGLE.sub(r"\g<0>\g<0>", text) + "'"
    # a caret before each sign, the quotes too: cmd never sees itself between quotes, and no %NAME% is whole
    return _CMD.sub(r"^\g<0>", _for_program(text))


def _for_program(text: str) -> str:
    """`text` between double quotes as programs on Windows read their command line."""
    return '"' + _BACKSLASHES.sub(lambda found: found[1] * 2 + '\\"' * bool(found[2]), text) + '"'


def for_terminal(data: bytes) -> bytes:
    """`data`, text of any encoding, with what could steer a terminal shown as an escape; lines and tabs stay."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    if text.isascii() and all(line.replace("\t", "").isprintable() for line in text.split("\n")):
        return text.encode()
    shown = (c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
    return "".join(shown).encode("utf-8", "backslashreplace")


def no_command(line: str) -> str:
    """`line`, that starts with a name from a repository, where CI systems read commands out of what programs print.

    GitHub takes lines that begin with `::`, and what follows `##[`, for commands; `./::a.py` is the same file.
    """
    line = f"./{line}" if line.lstrip().startswith("::") else line
    return line.replace("##[", "# #[")


def printable(text: str) -> str:
    """`text` with "?" for what could steer a terminal or hide a part of a line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
