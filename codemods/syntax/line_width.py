"""How wide the lines of a file may be, by the file itself."""

from __future__ import annotations

_NARROWEST, _WIDEST = 79, 120
_SHORT = 30  # lines; so few tell nothing
_OUTLIERS = 200  # one line in so many may be longer than the width: an address, a long message


def line_width(text: str, unknown: int = _WIDEST) -> int:
    """The width that new lines of a file with this text keep: that of its longest lines, a few left out.

    `unknown`: for a file too short to tell.
    """
    lengths = sorted((len(line) for line in text.splitlines()), reverse=True)
    if len(lengths) < _SHORT:
        return max(unknown, min(_WIDEST, lengths[0] if lengths else 0))
    return max(_NARROWEST, min(_WIDEST, lengths[len(lengths) // _OUTLIERS]))
