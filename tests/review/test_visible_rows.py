"""What a terminal never gets to see: one character of each kind that is invisible or steers it."""

from __future__ import annotations

from codemods.review.printing import clean, escaped
from harness.each_row import each_row


@each_row("hidden", ["\x1b", "\x00", "\u200b", "\u202e", "\u2028", "\u2029", "\u0378", "\ue000", "\x85"])
def test_hidden(hidden: str) -> None:
    assert clean(f"a{hidden}b") == "ab"
    assert hidden not in escaped(f"a{hidden}b") and escaped(f"a{hidden}b").startswith("a\\")


@each_row("text", ["a b", "é", "漢字", "🎉", "-_`*"])
def test_shown(text: str) -> None:
    assert clean(text) == text == escaped(text)


def test_a_blank_that_is_none_is_shown_in_code() -> None:
    assert clean("a\u00a0b") == "a\u00a0b" and escaped("é\u00a0b") == "é\\xa0b"


def test_half_a_pair() -> None:
    assert clean("a\ud800b") == "a?b"
