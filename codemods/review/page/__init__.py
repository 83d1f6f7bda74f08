"""A review as one web page: self-contained, to be served on this machine or sent as a file.

The page shows text as text: its script sets it as such, and its Content-Security-Policy runs no other script and loads
nothing. Characters that turn or hide text are shown by their number.
"""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from ...finding import Trace
from ..decisions import FORMAT, VERSION, Decisions, place_of
from ..hunks import Hunk
from ..model import Change, Open, Review
from .highlight import Highlighter

AROUND = 4  # lines shown around the line of a hop
_HERE = Path(__file__).parent
Json = dict[str, Any]


def page_of(review: Review, decisions: Decisions, title: str, served: bool = False) -> str:
    """The page as text. `served`: it saves decisions to, and applies them by, the server that it came from."""
    from jinja2 import Environment
    from markupsafe import Markup

    style, script = _text("page.css"), _text("page.js")
    data = json.dumps(data_of(review, decisions, title, served), ensure_ascii=True, separators=(",", ":"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        f"form-action 'none'{'; connect-src ' + chr(39) + 'self' + chr(39) if served else ''}"
    )
    template = Environment(autoescape=True).from_string(_text("page.html"))
    return template.render(
        title=_visible(title),
        policy=Markup(policy),
        style=Markup(style),
        script=Markup(script),
        data=Markup(data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")),
    )


def data_of(review: Review, decisions: Decisions, title: str, served: bool) -> Json:
    """What the script of the page gets: changes first, then what stays, as they are in the review."""
    lines = _Lines(review)
    items = [_change(change, decisions, lines) for change in review.changes]
    items += [_open(row, number, lines) for number, row in enumerate(review.open)]
    return {
        "format": FORMAT,
        "formatVersion": VERSION,
        "title": title,
        "version": review.version,
        "served": served,
        "filesSeen": review.files_seen,
        "items": items,
        "files": lines.taken,
        "skipped": [{"path": _visible(row.path), "reason": _visible(row.reason)} for row in review.skipped],
    }


class _Lines:
    """The lines of untouched files that the page needs, highlighted, by path and number."""

    def __init__(self, review: Review) -> None:
        self._review = review
        self._highlighters: dict[str, Highlighter] = {}
        self.taken: dict[str, dict[int, list[list[str]]]] = {}

    def take(self, path: str, numbers: Iterable[int]) -> None:
        """See to it that the page has these lines of `path`, as far as there are such lines."""
        source = self._review.sources.get(path)
        if source is None:
            return
        if path not in self._highlighters:
            self._highlighters[path] = Highlighter(path, source.text)
        lines, taken = self._highlighters[path].lines, self.taken.setdefault(_visible(path), {})
        for number in numbers:
            if 1 <= number <= len(lines) and number not in taken:
                taken[number] = _shown(lines[number - 1])

    def hunk(self, hunk: Hunk, built_on: bool) -> Json:
        """A hunk: each line its sign, its number before and after, and the pieces of its text.

        `built_on`: the file before is not the untouched one, so that its lines come with the hunk.
        """
        rows: list[Json] = []
        old, new = hunk.old_start, hunk.new_start
        added = Highlighter(hunk.path, "\n".join(line[1:] for line in hunk.lines)).lines
        for line, pieces in zip(hunk.lines, added, strict=False):
            sign = line[0]
            row: Json = {"sign": sign}
            if sign in " -":
                row["old"] = old
            if sign in " +":
                row["new"] = new
            if sign == "+" or sign == "\\" or built_on or hunk.path not in self._review.sources:
                row["text"] = _shown(pieces)
            else:
                self.take(hunk.path, [old])
            old, new = old + (sign in " -"), new + (sign in " +")
            rows.append(row)
        return {"path": _visible(hunk.path), "scope": _visible(hunk.scope), "rows": rows}

    def trace(self, trace: Trace) -> list[Json]:
        """The hops, with the lines around each."""
        for hop in trace:
            self.take(hop.path, range(hop.line - AROUND, hop.line + AROUND + 1))
        return [{"path": _visible(hop.path), "line": hop.line, "what": _visible(hop.what)} for hop in trace]


def _change(change: Change, decisions: Decisions, lines: _Lines) -> Json:
    decision = decisions.of(change)
    return {
        "id": change.id,
        "status": "fixable" if change.unsafe is None else "unsafe",
        "rule": change.rule,
        "title": _visible(change.title),
        "why": _visible(change.why),
        "path": _visible(change.path),
        "place": place_of(change),
        "line": change.line,
        "scope": _visible(change.scope),
        "confidence": change.confidence.value,
        "reason": None if change.unsafe is None else _visible(change.unsafe),
        "findings": len(change.findings),
        "requires": list(change.requires),
        "trace": lines.trace(change.trace),
        "hunks": [lines.hunk(hunk, bool(change.requires)) for hunk in change.hunks],
        "decision": decision.choice.value,
        "note": decision.note,
        "edit": decision.edit,
    }


def _open(row: Open, number: int, lines: _Lines) -> Json:
    lines.take(row.path, range(row.line - AROUND, row.line + AROUND + 1))
    return {
        "id": f"open-{number}",
        "status": "refused" if row.unsafe is None else "needs --unsafe-fixes",
        "rule": row.rule,
        "title": _visible(row.title or ""),
        "why": _visible(row.why),
        "path": _visible(row.path),
        "line": row.line,
        "scope": "",
        "confidence": row.confidence.value,
        "reason": _visible(row.reason),
        "findings": 1,
        "requires": [],
        "trace": lines.trace(row.trace),
        "hunks": [lines.hunk(hunk, True) for hunk in row.hunks],
    }


def _shown(pieces: Iterable[tuple[str, str]]) -> list[list[str]]:
    return [[kind, _visible(text)] for kind, text in pieces]


def _visible(text: str) -> str:
    """`text`, with what would turn or hide other text written as its number; tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_letter(letter) for letter in text)


@cache
def _letter(letter: str) -> str:
    hidden = letter != "\t" and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return f"<U+{ord(letter):04X}>" if hidden else letter


@cache
def _text(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
