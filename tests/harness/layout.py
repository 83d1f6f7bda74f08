"""Python text in another layout, token by token."""

from __future__ import annotations

import io
import re
import tokenize


def in_other_layout(text: str) -> str:
    """`text` with a tab for each level of indentation and with the other quotes; comments and long strings stay."""
    lines = text.splitlines(keepends=True)
    tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    edits: list[tuple[int, int, int, str]] = []  # line (0-based), start, end, new text
    depth, fresh = 0, True
    for token in tokens:
        if token.type == tokenize.INDENT:
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
        elif token.type in (tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER):
            fresh = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            if fresh:
                edits.append((token.start[0] - 1, 0, token.start[1], "\t" * depth))
            fresh = False
            if token.type == tokenize.STRING and (swapped := _other_quotes(token.string)) != token.string:
                edits.append((token.start[0] - 1, token.start[1], token.end[1], swapped))
    for row, start, end, new in reversed(edits):
        lines[row] = lines[row][:start] + new + lines[row][end:]
    return "".join(lines)


def _other_quotes(literal: str) -> str:
    quote = literal[0]
    if quote not in "'\"" or literal[:3] in ("'''", '"""') or not re.fullmatch(r"[^'\"\\]*", literal[1:-1]):
        return literal
    other = "'" if quote == '"' else '"'
    return f"{other}{literal[1:-1]}{other}"
