"""What a terminal never gets to see: one character of each kind that is invisible or steers it."""

from __future__ import annotations

import pytest

from codemods.review.printing import clean, escaped


@pytest.mark.parametrize("hidden", ["\x1b", "\x00", "\u200b", "\u202e", "\u2028", "\u2029", "\u0378", "\ue000", "\x85"])
def test_hidden(hidden: str) -> None:
    assert clean(f"a{hidden}b") == "ab"
    assert hidden not in escaped(f"a{hidden}b") and escaped(f"a{hidden}b").startswith("a\\")


@pytest.mark.parametrize("text", ["a b", "é", "漢字", "🎉", "a\u00a0b", "-_`*"])
def test_shown(text: str) -> None:
    assert clean(text) == text


def test_half_a_pair() -> None:
    assert clean("a\ud800b") == "a?b"
