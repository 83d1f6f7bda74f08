"""The labels of benchmarks/unseen.tsv are well formed, and benchmarks/unseen.py tells what is done at their places."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
GRADES = {
    "hunk": {"merge", "ugly", "needless", "wrong"},
    "report": {"needless"},
    "hazard": {"refused-true", "refused-fixable", "possible", "missed", "fixed", "wrong"},
}
PROGRAM = b"""\
from torch.utils.data import DataLoader
import torch.nn as nn

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = lambda x: x

def load(data):
    return DataLoader(data, num_workers=2, collate_fn=lambda b: b)

def load_late(data, names):
    for name in names:
        yield DataLoader(data, num_workers=2, collate_fn=lambda b: (name, b))
"""


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.delitem(sys.modules, "unseen", raising=False)
    import unseen

    return unseen


def test_each_label_has_a_grade_of_its_kind_and_a_known_repository(unseen):
    known = {row[0] for row in unseen.rows("unseen_repositories.tsv")}
    labels = unseen.labels()
    assert labels
    for label in labels:
        assert label.grade in GRADES[label.kind], label
        assert label.repository in known, label
        assert 0 < label.first <= label.last and label.why, label
    places = [(label.repository, label.path, label.first, label.rule, label.kind) for label in labels]
    assert len(places) == len(set(places))


def test_each_part_has_many_repositories(unseen):
    parts = [row[2] for row in unseen.rows("unseen_repositories.tsv")]
    known = (
        "eighteenth eighth eleventh fifteenth fifth first fortieth fourteenth fourth nineteenth ninth second "
        "seventeenth seventh sixteenth sixth tenth third thirteenth thirtieth thirty-eighth thirty-fifth "
        "thirty-first thirty-fourth thirty-ninth thirty-second thirty-seventh thirty-sixth thirty-third twelfth "
        "twentieth twenty-eighth twenty-fifth twenty-first twenty-fourth twenty-ninth twenty-second "
        "twenty-seventh twenty-sixth twenty-third"
    )
    assert sorted(set(parts)) == known.split()
    assert all(parts.count(part) >= 22 for part in parts)


def test_the_state_of_a_place_is_what_the_tool_does_there(unseen):
    report = check(MemoryFiles({"a.py": PROGRAM}), Settings(confidence=Confidence.POSSIBLE))
    label = unseen.Label
    mine = [
        label("o/r", "a.py", 10, 10, "lambdas", "hunk", "merge", "crosses"),
        label("o/r", "a.py", 14, 14, "lambdas", "hazard", "refused-fixable", "crosses"),
        label("o/r", "a.py", 1, 1, "lambdas", "hazard", "missed", "nothing is said of it"),
    ]
    found, rest = unseen.places(report, mine)
    assert [(place.state, place.good) for place in found] == [
        ("rewritten", True),
        ("refused", False),
        ("nothing", False),
    ]
    assert "name" in found[1].reason
    assert not [finding for finding in rest if finding.span.line in (10, 14)]


def test_a_finding_that_no_label_names_is_listed(unseen):
    report = check(MemoryFiles({"a.py": PROGRAM}), Settings(confidence=Confidence.POSSIBLE))
    _, rest = unseen.places(report, [])
    assert {10, 14} <= {finding.span.line for finding in rest}
