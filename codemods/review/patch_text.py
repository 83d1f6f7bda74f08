"""A change as a patch that a person edits, and the edits that such a patch stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..delivery.diff import changed_lines
from ..finding import Edit
from ..tree.source import Source
from .hunks import NO_NEWLINE, Hunk
from .model import Change

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_FILE = re.compile(r"(?:---|\+\+\+) (.*)")


class BadPatch(Exception):
    """The text is no patch of the files; the message says where, for the person who edited it."""


def patch_text(hunks: Iterable[Hunk]) -> str:
    """`hunks` as a patch, file after file."""
    lines: list[str] = []
    path = None
    for hunk in hunks:
        if hunk.path != path:
            path = hunk.path
            lines += [f"--- a/{path}", f"+++ b/{path}"]
        lines += [hunk.header, *hunk.lines]
    return "".join(f"{line}\n" for line in lines)


def edits_of_patch(text: str, change: Change, sources: Mapping[str, Source]) -> dict[str, tuple[Edit, ...]]:
    """The edits of the untouched files that the patch `text` stands for. Raises BadPatch.

    Lines that start with "#" before the first file are comments. The counts in the `@@` lines need not be right.
    """
    new_lines: dict[str, list[str]] = {}  # of each file, as far as it is known
    taken: dict[str, int] = {}  # lines of the untouched file that are in `new_lines`
    path = ""
    left = 0  # hunk lines are those after a header, until the next one
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"line {number} of the patch"
        header = _HEADER.match(line)
        if header is not None:
            if not path:
                raise BadPatch(f"{where}: a hunk without a file")
            old = _lines(sources[path].text)
            start = int(header[1]) - (0 if header[2] == "0" else 1)
            if not taken[path] <= start <= len(old):
                raise BadPatch(f"{where}: the hunks of {path} are not in order, or beyond its end")
            new_lines[path] += old[taken[path] : start]
            taken[path] = start
            left = 1
        elif not left or line.startswith(("--- a/", "+++ b/")):
            name = _FILE.match(line)
            if name is not None:
                path = name[1][2:]
                if path not in change.paths or path not in sources:
                    raise BadPatch(f"{where}: the change has no file {path}")
                new_lines.setdefault(path, [])
                taken.setdefault(path, 0)
                left = 0
            elif line.strip() and not line.startswith("#"):
                raise BadPatch(f"{where} is neither a comment nor a hunk: {line[:60]}")
        elif line == NO_NEWLINE:
            if new_lines[path] and text.split("\n")[number - 2][:1] == "+":
                new_lines[path][-1] = new_lines[path][-1].removesuffix("\n")
        elif line[:1] in (" ", "-", "+", ""):
            if line or number < text.count("\n"):  # editors strip the blank of an empty line
                _line(line or " ", sources[path], new_lines, taken, where)
        else:
            raise BadPatch(f'{where} starts with none of " ", "-", "+": {line[:60]}')
    return {
        path: _edits(sources[path], [*lines, *_lines(sources[path].text)[taken[path] :]])
        for path, lines in new_lines.items()
    }


def _line(line: str, source: Source, new_lines: dict[str, list[str]], taken: dict[str, int], where: str) -> None:
    sign, body = line[0], line[1:]
    path = source.path
    if sign == "+":
        new_lines[path].append(f"{body}\n")
        return
    old = _lines(source.text)
    at = taken[path]
    if at >= len(old) or old[at].rstrip("\r\n") != body.rstrip("\r"):
        raise BadPatch(f"{where} is not line {at + 1} of {path}: {body[:60]}")
    if sign == " ":
        new_lines[path].append(old[at])
    taken[path] += 1


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _edits(source: Source, new: list[str]) -> tuple[Edit, ...]:
    """Edits that turn the lines of `source` into `new`; a last line without a newline is compared as it is."""
    old = _lines(source.text)
    offsets = [0]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    rows = changed_lines(
        [line.encode("utf-8", "surrogatepass") for line in old], [line.encode("utf-8", "surrogatepass") for line in new]
    )
    return tuple(Edit(source.path, offsets[i1], offsets[i2], "".join(new[j1:j2])) for i1, i2, j1, j2 in rows)
