"""Where a name stands in the text, also inside an f-string, where `ast` gives no sure positions before Python 3.12."""

from __future__ import annotations

import ast
import re

from ....finding import Refused
from ....syntax.scope_data import Use, end_of, line_of, start_of
from ....syntax.scopes import Scopes
from ....tree.source import Source

_SHOWS_ITSELF = re.compile(r"(?<![=<>!])=\s*(?:![rsa]\s*)?[:}]")  # f"{x=}" prints the expression


def span(scopes: Scopes, source: Source, use: Use) -> tuple[int, int]:
    """Offsets of the name that `use` reads.

    Raises Refused in an f-string that has the word elsewhere too, or shows the expression itself.
    """
    start, end = source.offset(*start_of(use.node)), source.offset(*end_of(use.node))
    outer = [above for above in scopes.ancestors(use.node) if isinstance(above, ast.JoinedStr)]
    if not outer:
        return start, end
    low, high = source.offset(*start_of(outer[-1])), source.offset(*end_of(outer[-1]))
    text, word = source.text[low:high], re.compile(rf"(?<![\w.]){re.escape(use.name)}(?!\w)")
    found = [match.start() for match in word.finditer(text)]
    same = [item for item in scopes.uses_within([outer[-1]]) if item.name == use.name]
    if len(found) != len(same) or _SHOWS_ITSELF.search(text):  # bound inside the string too, it stands there once more
        raise Refused(
            f"`{use.name}` is used inside an f-string (line {line_of(use.node)}): take it out of the string first"
        )
    at = low + found[[item.node for item in same].index(use.node)]
    return at, at + len(use.name)
