"""How objects of a class cross is found out where a rule minds: it takes longer than that they may."""

from __future__ import annotations

from typing import Any

import pytest

from codemods.flow.answers.crossings import Flow
from harness.small import reported

PARTS = 20
ROWS = f"""\
import threading
from torch.utils.data import DataLoader
from parts import {", ".join(f"Part{at}" for at in range(PARTS))}

SCALE = 1


class Rows:
    def __init__(self):
        self.lock = threading.Lock()
        self.parts = [{", ".join(f"Part{at}({at})" for at in range(PARTS))}]

    def __getitem__(self, at):
        return SCALE * self.parts[at].size


def main(scale):
    global SCALE
    SCALE = scale
    for row in DataLoader(Rows(), num_workers=2):
        print(row)


if __name__ == "__main__":
    main(3)
"""
PART = "class Part{at}:\n    def __init__(self, size):\n        self.size = size\n\n\n"


@pytest.mark.parametrize("rule", ["main-guard", "unpicklable-attributes"])
def test_classes_that_no_rule_minds_are_not_described(monkeypatch: pytest.MonkeyPatch, rule: str) -> None:
    described: list[str] = []
    describe = Flow._describe_instances

    def counted(flow: Flow, ways: Any) -> Any:
        described.extend({path for _, (_, path, _), _, _ in ways})
        return describe(flow, ways)

    monkeypatch.setattr(Flow, "_describe_instances", counted)
    files = {"rows.py": ROWS, "parts.py": "".join(PART.format(at=at) for at in range(PARTS))}
    assert [each.path for each in reported(files, rule)] == ["rows.py"]
    assert described == ["rows.py"]
