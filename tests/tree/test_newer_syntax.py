"""A file of a newer Python than ours is left out, and says which Python reads it."""

from __future__ import annotations

import sys

from codemods.tree.newer_syntax import newer_syntax
from codemods.tree.parse import NotParsed, parsed
from codemods.tree.source import Source
from harness.each_row import each_row


@each_row(
    ("line", "version", "since"),
    [
        ("type Act = Callable[[], Module]", 11, 12),
        ("    type Pair[T] = tuple[T, T]", 11, 12),
        ("def first[T](items: list[T]) -> T:", 11, 12),
        ("async def first[T](items):", 10, 12),
        ("class Box[T]:", 8, 12),
        ("    except* ValueError as error:", 10, 11),
        ("match kind:  # of data", 9, 10),
        ("    case 'train':", 9, 10),
        ("type Act = int", 12, None),
        ("match kind:", 10, None),
        ("type = int", 11, None),
        ("class Box(List[T]):", 11, None),
        ("print 'text'", 8, None),
    ],
)
def test_what_is_said_of_a_line(line: str, version: int, since: int | None) -> None:
    said = newer_syntax(line, version)
    assert (since is None) == (said is None)
    assert since is None or f"Python 3.{since} introduced" in (said or "")


def test_a_file_of_a_newer_python() -> None:
    source = Source("a.py", "import os\n\ntype Name = str\nprint(os.sep)\n")
    found = parsed(source)
    if sys.version_info >= (3, 12):
        assert not isinstance(found, NotParsed)
    else:
        assert isinstance(found, NotParsed)
        assert found.reason.startswith("line 3: a `type` statement, which Python 3.12 introduced")
    assert parsed(Source("a.py", "type Name str\n")) == NotParsed("line 1: invalid syntax")
