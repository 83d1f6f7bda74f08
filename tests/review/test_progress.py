"""The progress bar: every rule that starts to work counts once, and the rules work as without it."""

from __future__ import annotations

import pytest
from rich.progress import Progress, TaskID

from codemods.project import Project
from codemods.review.progress import watched
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles

PROGRAM = {
    "a.py": b"class A:\n    def __init__(self, d: dict):\n        self.n = d.keys()\n",
    "b.py": b"import pickle\nfrom a import A\npickle.dumps(A({}))\n",
}


def test_counts_every_rule_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[object, object]] = []
    totals: list[object] = []
    plain_add, plain_update = Progress.add_task, Progress.update

    def add(self: Progress, description: str, total: float | None = None) -> TaskID:
        totals.append((description, total))
        return plain_add(self, description, total=total)

    def update(self: Progress, task: TaskID, **how: object) -> None:
        seen.append((how.get("description"), how.get("completed")))
        plain_update(self, task, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Progress, "add_task", add)
    monkeypatch.setattr(Progress, "update", update)
    project = Project(MemoryFiles(PROGRAM))
    names = sorted(rules())
    with watched("check") as known:
        assert sorted(known) == names
        for _ in range(2):  # a second look is no progress
            for name in names:
                list(known[name].find(project))
    assert totals == [("check: reading", len(names) + 1)]
    one_by_one = [(f"check: {name}", number) for number, name in enumerate(names, 1)]
    assert seen == one_by_one + [(f"check: {name}", len(names)) for name in names]


def test_a_watched_rule_finds_what_the_rule_finds() -> None:
    with watched("check") as known:
        for name, rule in rules().items():
            assert (known[name].id, known[name].summary, known[name].screen) == (rule.id, rule.summary, rule.screen)
            found = list(known[name].find(Project(MemoryFiles(PROGRAM))))
            assert found == list(rule.find(Project(MemoryFiles(PROGRAM))))
            assert bool(found) is (name == "dict-views")
