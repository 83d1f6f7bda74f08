"""Comments at a launch line that speak of the launcher, and would no longer be true of the line as rewritten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...launch.lines import LaunchLine
from ...tree.source import Source

_OLD = re.compile(r"torch\.distributed\.launch\b|(?<!\w)--local[_-]rank\b")
_COMMAND = re.compile(r"#+\s*(?:\$\s+)?(?:\w+=\S*\s+)*\S*python[\d.]*\s")  # a command that is switched off


def stale_comments(source: Source, lines: Iterable[LaunchLine]) -> Iterator[tuple[int, int]]:
    """Where the comment behind one of `lines`, or right above, names the old launcher or what it passes."""
    found = (match for line in lines for match in _matches(source, line))
    return iter(dict.fromkeys(found))


def _matches(source: Source, line: LaunchLine) -> Iterator[tuple[int, int]]:
    text, starts = source.text, source.line_starts
    number = source.position(line.command.start)[0]
    comments: list[tuple[int, str]] = []
    while number > 1 and source.line_text(number - 1).lstrip().startswith("#"):
        number -= 1
        comments.append((starts[number - 1], source.line_text(number)))
    end = text.find("\n", line.command.end)
    comments.append((line.command.end, text[line.command.end : end if end >= 0 else len(text)]))
    for start, comment in comments:
        said = comment.lstrip(" \t;")
        match = _OLD.search(comment)
        if match is not None and said.startswith("#") and not said.startswith("#!") and not _COMMAND.match(said):
            yield start + match.start(), start + match.end()
