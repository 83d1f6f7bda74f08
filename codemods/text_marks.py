"""What a text shows of a word before anybody parses it: that it may be called there, or used at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

Mark = Literal["used", "called"]

_RENAMED = re.compile(r"\bas\b|\\\s*$")
_IS_CALLED = r"[\s\\)]*(?:#[^\n]*\n[\s\\)]*)*(?:[(\[]|as\b)"  # behind a name: `f(`, `(f)(`, `F[T](`, `import f as g`


def lines_with(text: str, word: str) -> Iterator[tuple[str, str]]:
    r"""Each place where `word` stands as a whole word: its line before it, and after it.

    Lines end at `\n`, as for the patterns that this takes the place of. `word` is one stretch of `\w`.
    """
    place = re.compile(rf"{word}(?<!\w{word})(?!\w)")  # begins with the word: found many times faster
    for match in place.finditer(text):
        start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
        yield text[start : match.start()], text[match.end() : end if end >= 0 else None]


def _used(text: str, word: str) -> bool:
    """`word` is more than the name of what an import or a definition binds, as its line shows."""
    return any(_is_used(*line) for line in lines_with(text, word))


def _is_used(before: str, behind: str) -> bool:
    start = before.lstrip()
    if start.startswith(("import ", "from ")) and ";" not in start and "\r" not in start:
        return _RENAMED.search(behind) is not None
    return start.rstrip() not in ("def", "async def", "class")


def _called(text: str, word: str) -> bool:
    """A call by the name `word` may stand there, or by another name that an import gives it."""
    return re.search(rf"{word}(?<!\w{word})(?<!def {word})(?<!class {word})(?!\w){_IS_CALLED}", text) is not None


MARKS: Mapping[Mark, Callable[[str, str], bool]] = {"used": _used, "called": _called}
