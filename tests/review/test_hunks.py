"""Hunks: those that git would show, with the function around them, wherever in a long file."""

from __future__ import annotations

import random

from codemods.delivery.diff import unified_diff
from codemods.review.hunks import NO_NEWLINE, Headings, Hunk, hunks_of, wider
from codemods.tree.source import Source
from harness.each_row import each_row


def as_patch(before: str, after: str) -> str:
    lines: list[str] = []
    for hunk in hunks_of("a.txt", before, after, Headings("a.txt", before)):
        lines += [hunk.header, *hunk.lines]
    return "".join(f"{line}\n" for line in lines)


def expected(before: str, after: str) -> str:
    patch = unified_diff({"a.txt": before.encode()}, {"a.txt": after.encode()}).decode()
    return "".join(line for line in patch.splitlines(keepends=True)[3:])


@each_row("number", range(60))
def test_hunks_are_those_of_the_patch(number: int) -> None:
    chance = random.Random(number)
    old = [f"line {chance.randrange(60)}\n" for _ in range(chance.randrange(1, 300))]
    new = list(old)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randrange(3)] = [f"new {chance.randrange(60)}\n" for _ in range(chance.randrange(3))]
    before, after = "".join(old), "".join(new)
    if chance.random() < 0.3:
        before = before.removesuffix("\n")
    if chance.random() < 0.3:
        after = after.removesuffix("\n")
    assert as_patch(before, after) == expected(before, after)


def test_lines_that_are_no_unicode() -> None:
    """Half of a pair, as a file of Python may spell it in another encoding."""
    [hunk] = hunks_of("a.txt", "a\n\udc80\n", "b\n\udc81\n", Headings("a.txt", ""))
    assert hunk.lines == ("-a", "-\udc80", "+b", "+\udc81")


def test_the_scope_is_the_function_around_the_change() -> None:
    text = "x = 1\n\n\nclass A:\n    @staticmethod\n    def f(y):\n        if y:\n            z = 1\n        return z\n"
    text += "\n    w = 2\n"
    scopes = Headings("a.py", text)
    assert [scopes.at(line) for line in (1, 4, 5, 6, 8, 9, 11)] == ["", "A", "A.f", "A.f", "A.f", "A.f", "A"]
    [hunk] = hunks_of("a.py", text, text.replace("z = 1", "z = 2"), scopes)
    assert hunk.header == "@@ -5,7 +5,7 @@ A.f"
    [hunk] = hunks_of("a.py", text, text.replace("class A", "def g():\n    pass\n\n\nclass A"), scopes)
    assert hunk.scope == "" and Headings("a.py", "def (:\n").at(1) == "" and Headings("a.sh", "x").at(1) == ""


def test_a_scope_may_begin_with_the_file() -> None:
    scopes = Headings("a.py", "def f():\n    pass\n\n\nif x:\n    def g():\n        pass\n")
    assert [scopes.at(line) for line in (1, 2, 3, 5, 6, 7, 8)] == ["f", "f", "", "", "g", "g", ""]


def test_more_lines_around_a_hunk() -> None:
    text = "".join(f"{number}\n" for number in range(1, 41))
    [hunk] = hunks_of("a.txt", text, text.replace("20\n", "new\n"), Headings("a.txt", text))
    more = wider(hunk, Source("a.txt", text), 5)
    assert (more.old_start, more.new_start, more.old_size, more.new_size) == (12, 12, 17, 17)
    assert more.lines[0] == " 12" and more.lines[-1] == " 28" and "-20" in more.lines
    assert wider(hunk, Source("a.txt", text), 100).old_size == 40
    [hunk] = hunks_of("a.txt", "a\nb", "a\nc", Headings("a.txt", ""))
    assert hunk.lines == (" a", "-b", NO_NEWLINE, "+c", NO_NEWLINE)


def test_a_range_of_no_lines_names_the_line_before_it() -> None:
    assert Hunk("a.py", "f", 1, 1, ("+x",)).header == "@@ -0,0 +1 @@ f"
    assert Hunk("a.py", "", 4, 4, (" a", "-b", "-c")).header == "@@ -4,3 +4 @@"
    assert Hunk("a.py", "", 4, 4, ("-b", "-c")).header == "@@ -4,2 +3,0 @@"
