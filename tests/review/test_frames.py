"""The lines of a finding as a terminal shows them: where the carets stand, what is cut, what is left out."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from codemods.finding import Hop, Span
from codemods.review.text import _frame, _trace, _window
from codemods.tree.python2 import _within
from codemods.tree.source import Source
from harness.each_row import each_row

TEXT = "one\n  two = 2\nthree\n\tfour()\n" + "".join(f"line {number}\n" for number in range(5, 31)) + "x" * 300


def frame(span: Span, width: int = 80, terminal: bool = False) -> list[str]:
    out = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=terminal,
        color_system=None,
        highlight=False,
        legacy_windows=False,
    )
    _frame(Source("a.txt", TEXT), span, out)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


def test_the_place_is_underlined() -> None:
    assert frame(Span(2, 3, 2, 6)) == ["    |", "  2 |   two = 2", "    |   ^^^"]
    assert frame(Span(2, 3, 2, 6), terminal=True) == ["    │", "  2 │   two = 2", "    │   ^^^"]
    assert frame(Span(12, 1, 12, 5)) == ["     |", "  12 | line 12", "     | ^^^^"]


def test_an_empty_place_has_one_caret() -> None:
    assert frame(Span(3, 6, 3, 6)) == ["    |", "  3 | three", "    |      ^"]


def test_a_tab_is_as_wide_as_it_is_shown() -> None:
    assert frame(Span(4, 2, 4, 6)) == ["    |", "  4 |     four()", "    |     ^^^^"]


def test_several_lines_are_underlined_in_the_first() -> None:
    assert frame(Span(2, 3, 3, 4)) == ["    |", "  2 |   two = 2", "    |   ^^^^^^^", "  3 | three"]
    assert frame(Span(2, 3, 3, 1)) == ["    |", "  2 |   two = 2", "    |   ^^^^^^^"]  # ends with a newline
    assert frame(Span(3, 1, 3, 1)) == ["    |", "  3 | three", "    | ^"]


def test_many_lines_are_left_out() -> None:
    lines = frame(Span(5, 1, 30, 5))
    shown = [line for line in lines if "| line" in line]
    assert shown[0].endswith("line 5") and lines[-1].endswith(f"| ... {26 - len(shown)} more lines")
    assert 2 < len(shown) < 26


def test_a_span_beyond_the_end_stops_there() -> None:
    assert frame(Span(31, 1, 99, 9))[1].startswith("  31 | xxx") and len(frame(Span(31, 1, 99, 9))) == 3


@each_row(("width", "room"), [(80, 73), (60, 53), (30, 40), (500, 160)])
def test_long_lines_are_cut_to_the_terminal(width: int, room: int) -> None:
    line = frame(Span(31, 100, 31, 103), width, terminal=True)[1]
    assert len(line.removeprefix("  31 │ ")) == room
    assert line.count("...") == 2


@pytest.mark.parametrize("width", [40, 80, 500])
def test_where_nobody_looks_the_width_is_always_the_same(width: int) -> None:
    assert frame(Span(31, 100, 31, 103), width) == frame(Span(31, 100, 31, 103), 200)


@each_row(
    ("code", "start", "end", "room", "window"),
    [
        ("abcdef", 2, 4, 6, ("abcdef", 2, 4)),
        ("abcdefghijklmnop", 0, 3, 12, ("abcdef...", 0, 3)),
        ("abcdefghijklmnop", 13, 15, 12, ("...klmnop", 6, 8)),
        ("abcdefghijklmnop", 6, 8, 12, ("...efghij...", 5, 7)),
        ("abcdefghijklmnop", 6, 16, 12, ("...efghij...", 5, 9)),
    ],
)
def test_the_window_around_a_place(code: str, start: int, end: int, room: int, window: tuple[str, int, int]) -> None:
    assert _window(code, start, end, room) == window


@each_row(
    ("new", "start", "end", "text"),
    [
        ("print(x)", 7, 9, "(x)"),  # the text of line 2 is `print x`
        ("print x", 9, 9, ""),
        ("print x, y", 9, 9, ", y"),
        ("print", 7, 9, ""),
        ("", 2, 9, ""),
        ("a print x", 2, 2, "a "),
        ("q", 2, 9, "q"),
        ("print x x", 9, 9, " x"),
    ],
)
def test_the_part_of_a_line_that_changes(new: str, start: int, end: int, text: str) -> None:
    source = Source("a.py", "a\nprint x\nb\n")
    edit = _within(source, 2, new)
    assert (edit.start, edit.end, edit.text) == (start, end, text)
    assert source.apply([edit]) == f"a\n{new}\nb\n"


def steps(width: int) -> list[str]:
    out = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None, highlight=False)
    hops = [Hop("a.py", 3, "a lambda is made here and kept on the object"), Hop("b.py", 12, "it is sent")]
    _trace(".", hops, out, full=True)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


def test_a_long_step_is_continued_below_its_words() -> None:
    whole = ["  1. a.py:3   a lambda is made here and kept on the object", "  2. b.py:12  it is sent"]
    assert steps(100) == whole
    first, second, last = steps(50)
    assert first.startswith("  1. a.py:3   a lambda") and second.startswith(" " * 14) and last == whole[1]
    assert f"{first} {second.strip()}" == whole[0] and max(map(len, (first, second))) <= 50
