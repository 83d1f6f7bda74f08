"""The text of an expression without the comments in it, which stay where the expression stands."""

from __future__ import annotations

import io
import tokenize


def without_comments(text: str) -> str:
    """`text`, an expression of one or several lines; a line of which nothing is left goes."""
    if "\n" not in text or "#" not in text:
        return text
    lines = f"({text})".split("\n")
    tokens = tokenize.generate_tokens(io.StringIO(f"({text})").readline)
    for token in [token for token in tokens if token.type == tokenize.COMMENT]:
        line, column = token.start
        lines[line - 1] = lines[line - 1][:column].rstrip()
    return "\n".join(line for line in lines if line.strip())[1:-1]
