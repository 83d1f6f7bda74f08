"""Git's configuration as data: what a file says. Nothing in it is acted on."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence
from pathlib import Path

Entries = list[tuple[str, str]]  # (section.Subsection.name, value), section and name in lower case
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b"}
_TRUE = ("true", "yes", "on", "1")


def parse_config(data: bytes) -> Entries:
    """The entries of a configuration file, in order; includes are not followed. Raises ValueError."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n")
    found: Entries = []
    section, at = "", 0
    while at < len(text):
        letter = text[at]
        if letter.isspace():
            at += 1
        elif letter in "#;":
            at = _line_end(text, at)
        elif letter == "[":
            match = _SECTION.match(text, at)
            if match is None:
                raise ValueError(f"line {text.count(chr(10), 0, at) + 1}: not a section")
            section = match[1].lower() + ("" if match[2] is None else "." + re.sub(r"\\(.)", r"\1", match[2]))
            at = match.end()
        else:
            match = _NAME.match(text, at)
            if match is None or not section:
                raise ValueError(f"line {text.count(chr(10), 0, at) + 1}: not a setting")
            value, at = _value(text, match.end())
            found.append((f"{section}.{match[0].lower()}", value))
    return found


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _value(text: str, at: int) -> tuple[str, int]:
    """The value that starts after a name (with its "="), and where it ends."""
    while at < len(text) and text[at] in " \t":
        at += 1
    if at >= len(text) or text[at] in "\n#;":
        return "true", _line_end(text, at)
    if text[at] != "=":
        raise ValueError(f"line {text.count(chr(10), 0, at) + 1}: no '='")
    at += 1
    parts: list[str] = []
    kept = 0  # parts up to the last one that is no blank outside of quotes
    quoted = False
    while at < len(text) and (text[at] != "\n"):
        letter = text[at]
        at += 1
        if letter == '"':
            quoted = not quoted
            kept = len(parts)
        elif letter == "\\" and at < len(text):
            if text[at] != "\n":
                parts.append(_ESCAPED.get(text[at], text[at]))
                kept = len(parts)
            at += 1
        elif letter in "#;" and not quoted:
            at = _line_end(text, at)
        elif letter in " \t" and not quoted:
            if parts:
                parts.append(letter)
        else:
            parts.append(letter)
            kept = len(parts)
    if quoted:
        raise ValueError(f"line {text.count(chr(10), 0, at) + 1}: quotes are not closed")
    return "".join(parts[:kept]), at


def of_users(key: str, name: str, entries: Entries) -> str | None:
    """The user's file that the setting `key` names, else git's own choice, `name` in the folder of its settings.

    None where there is no such file.
    """
    base = os.environ.get("XDG_CONFIG_HOME", "")
    base = base if os.path.isabs(base) else "~/.config"  # noqa: PTH117  (relative: the folder that we were started in)
    file = os.path.expanduser(last(entries, key) or f"{base}/git/{name}")  # noqa: PTH111  (it leaves an unknown "~")
    return file if os.path.isfile(file) else None  # noqa: PTH113


def last(entries: Entries, key: str) -> str | None:
    """The value of `key` that counts, None where it is not set."""
    return next((value for name, value in reversed(entries) if name == key), None)


def is_true(value: str | None) -> bool:
    """True when git takes `value` for a yes."""
    return value is not None and value.lower() in _TRUE


def included_for(condition: str, git_dir: Path, origin: Path | None = None) -> bool:
    """True when the `includeIf` condition `gitdir:PATTERN` (or `gitdir/i:`) of the user holds for `git_dir`."""
    kind, _, pattern = condition.partition(":")
    if kind not in ("gitdir", "gitdir/i") or not pattern:
        return False
    pattern = str(Path(pattern).expanduser()) + "/" * pattern.endswith("/") if pattern.startswith("~") else pattern
    if pattern.startswith("./"):
        if origin is None:
            return False
        pattern = f"{origin.parent}{pattern[1:]}"
    elif not pattern.startswith("/") and not re.match(r"[A-Za-z]:", pattern):
        pattern = f"**/{pattern}"
    pattern += "**" if pattern.endswith("/") else ""
    names = [git_dir.as_posix(), Path(os.path.realpath(git_dir)).as_posix()]
    if kind == "gitdir/i":
        pattern, names = pattern.lower(), [name.lower() for name in names]
    return any(_matches(pattern.split("/"), name.split("/")) for name in names)


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether path `parts` fit `pattern`, in which "**" stands for any number of folders."""
    reached = {0}
    for place, part in enumerate(pattern):
        if part == "**":
            after = set(range(min(reached), len(parts) + 1)) if reached else set()
            if place == len(pattern) - 1:
                after -= {min(reached)} if reached else set()  # at the end: something below
        else:
            after = {at + 1 for at in reached if at < len(parts) and fnmatch.fnmatchcase(parts[at], part)}
        reached = after
    return len(parts) in reached
