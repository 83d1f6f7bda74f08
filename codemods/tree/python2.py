"""Bowler as a function from text to text.

Never its own reading, writing or diffs: they turn CRLF into LF, drop hunks of files with a BOM and abort on latin-1. It
sees the text with plain newlines; what it changed is found by comparing lines and comes back as edits of the real text.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import io
import logging
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from ..finding import Edit
from ..problem import Problem
from .source import Source

# What Python 3 refuses and Python 2 reads; a guess, for an installation without Bowler.
_LOOKS_OLD = re.compile(
    r"^[ \t]*(?:print[ \t]+[^\s=(,.\[)]|print[ \t]*>>|exec[ \t]+[^\s=(,.]|except[ \t]+[\w.]+[ \t]*,[ \t]*\w+[ \t]*:"
    r"|raise[ \t]+[\w.]+[ \t]*,)",
    re.MULTILINE,
)
_NEWLINE = re.compile(r"\r\n|\r|\n")


@cache
def installed() -> bool:
    """True unless spawnfix was installed without what it depends on."""
    return importlib.util.find_spec("bowler") is not None and importlib.util.find_spec("fissix") is not None


def looks_old(text: str) -> bool:
    """True for text that has a statement of Python 2 at the start of some line."""
    return _LOOKS_OLD.search(text) is not None


def reads(text: str) -> bool:
    """True when the Python 2 grammar reads `text`. False without Bowler."""
    if not installed():
        return False
    return _reads(_NEWLINE.sub("\n", text))


@cache
def _driver() -> Any:
    from fissix import pygram, pytree
    from fissix.pgen2 import driver

    return driver.Driver(pygram.python_grammar, convert=pytree.convert)


def _reads(text: str) -> bool:
    try:
        _driver().parse_string(text if text.endswith("\n") else text + "\n")
    except Exception:  # its tokenizer raises whatever comes along
        return False
    return True


def rewritten(text: str, make: Callable[[], Any], name: str) -> str:
    """`text` (newlines "\\n") after the Bowler query that `make` gives; as it was when that does not read it.

    Raises whatever the query's own functions raise.
    """
    from bowler.tool import BowlerTool
    from fissix.pgen2.parse import ParseError
    from fissix.pgen2.tokenize import TokenError

    whole = text if text.endswith("\n") else text + "\n"
    for logger in ("RefactoringTool", "BowlerTool", "bowler"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):  # stdout is for the product
        tool = BowlerTool(make().compile(), interactive=False, write=False, silent=True, in_process=True, options={})
        try:
            tree = tool.refactor_string(whole, name)
        except (ParseError, TokenError):
            return text
    if not tree:
        return text
    after = str(tree)
    return after if text.endswith("\n") else after.removesuffix("\n")


def edits_by(source: Source, make: Callable[[], Any]) -> list[Edit]:
    """What the query that `make` gives does to `source`, one edit for each run of changed lines."""
    before = _NEWLINE.sub("\n", source.text)
    after = rewritten(before, make, source.path)
    return list(_differences(source, before, after)) if after != before else []


def _differences(source: Source, before: str, after: str) -> Iterator[Edit]:
    old, new = before.split("\n"), after.split("\n")
    starts = [*source.line_starts, len(source.text)]
    for tag, low, high, new_low, new_high in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if high - low == new_high - new_low:  # line by line; the newlines stay, whatever they are
            for number in range(low, high):
                if old[number] != new[new_low + number - low]:
                    yield _within(source, number + 1, new[new_low + number - low])
            continue
        start, end = starts[min(low, len(starts) - 1)], starts[min(high, len(starts) - 1)]
        text = "\n".join(new[new_low:new_high])
        if high < len(old):  # whole lines
            text += "\n" if new_high > new_low else ""
        elif low and new_low == new_high:  # the last lines go, with the newline before them
            start = starts[low - 1] + len(source.line_text(low))
        elif low == high:  # lines come after the last
            start = end = len(source.text)
            text = "\n" + text
        yield Edit(source.path, start, end, text)


def _within(source: Source, line: int, new: str) -> Edit:
    """`line` (1-based) becomes `new`; what is the same at both ends is left out."""
    old, start = source.line_text(line), source.line_starts[line - 1]
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Edit(source.path, start + head, start + len(old) - tail, new[head : len(new) - tail])


def needed() -> None:
    """Raises Problem, with what to do, when Bowler is not installed."""
    if not installed():
        raise Problem("this needs Bowler: pip install bowler")
