"""What a diagnosis saw (`Settings.proven`): a finding at that line is proven, and its trace says what was seen."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence, Finding, Hop
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

PROGRAM = """\
class Kept:
    def __init__(self, ranges):
        self.names = ranges.keys()
        self.more = ranges.items()
"""


def found(*proven: tuple[str, str, int, str]) -> dict[int, Finding]:
    settings = Settings(select=("dict-views",), confidence=Confidence.POSSIBLE, proven=proven)
    return {each.span.line: each for each in check(MemoryFiles({"a.py": PROGRAM.encode()}), settings).findings}


def test_what_was_seen_is_proven() -> None:
    before, now = found(), found(("dict-views", "a.py", 3, "seen there"))
    assert before[3].confidence is Confidence.POSSIBLE and now[4] == before[4]
    assert now[3].confidence is Confidence.PROVEN
    assert now[3].trace == (*before[3].trace, Hop("a.py", 3, "seen there"))


@pytest.mark.parametrize("other", [("lambdas", "a.py", 3), ("dict-views", "b.py", 3), ("dict-views", "a.py", 2)])
def test_what_was_seen_elsewhere(other: tuple[str, str, int]) -> None:
    assert found((*other, "seen there")) == found()
