"""The edits that put statements of a script under `if __name__ == "__main__":`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable

from ...finding import Edit, Refused
from ...syntax.outline import Outline
from ...syntax.placement import indentation_unit
from ...tree.source import Source
from .split import Run


def guard_edits(outline: Outline, source: Source, runs: Iterable[Run]) -> tuple[Edit, ...]:
    """The edits that put each run under a guard of its own. Raises Refused."""
    indent = indentation_unit(source, outline.module)
    quote = "'" if source.text.count("'") > source.text.count('"') else '"'
    strings = inside_strings(source)
    edits: list[Edit] = []
    for run in runs:
        first, last = outline.module.body[run.first], outline.module.body[run.last]
        low, high = first.lineno, last.end_lineno or last.lineno
        for other in (run.first - 1, run.last + 1):
            if 0 <= other < len(outline.module.body):
                beside = outline.module.body[other]
                if beside.end_lineno == low or beside.lineno == high:
                    raise Refused(f"line {low} holds several statements (`;`): put each on a line of its own")
        while low > 1 and source.line_text(low - 1).startswith("#") and not _is_head(source, low - 1):
            low -= 1
        gap = "\n" if low > 1 and source.line_text(low - 1).strip() else ""
        for line in range(low, high + 1):
            if line in strings or not source.line_text(line).strip():
                continue
            lead = f"{gap}if __name__ == {quote}__main__{quote}:\n" if line == low else ""
            at = source.line_starts[line - 1]
            edits.append(Edit(source.path, at, at, lead + indent))
    return tuple(edits)


def _is_head(source: Source, line: int) -> bool:
    """A shebang or encoding line."""
    return line <= 2 and re.match(r"#!|#.*coding[:=]", source.line_text(line)) is not None


def inside_strings(source: Source) -> frozenset[int]:
    """Lines that begin inside a string literal: their leading whitespace is content. Raises Refused."""
    lines: set[int] = set()
    text = re.sub(r"\r\n|\r", "\n", source.text)
    opened: list[int] = []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):  # it is stricter than the parser
        raise Refused("its lines are continued or indented in an odd way: lay them out as usual") from None
    for token in tokens:
        kind = tokenize.tok_name[token.type]
        if kind in ("FSTRING_START", "TSTRING_START"):
            opened.append(token.start[0])
        elif kind in ("FSTRING_END", "TSTRING_END"):
            lines.update(range(opened.pop() + 1, token.end[0] + 1))
        elif kind == "STRING":
            lines.update(range(token.start[0] + 1, token.end[0] + 1))
    return frozenset(lines)
