"""What several rules fix at their first look is applied at once, and looked at once, where that is as good."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from codemods.engine.migrate import Plan, plan
from codemods.finding import Confidence, Edit, Finding, Fix
from codemods.flow.answers import crossings
from codemods.project import Project
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

LAMBDA = """\
from torch.utils.data import DataLoader

DataLoader([1, 2], collate_fn=lambda items: items, num_workers=2)
"""
LOCK = """\
import threading
from multiprocessing import Process


class Store:
    def __init__(self):
        self.lock = threading.Lock()

    def put(self):
        with self.lock:
            print(1)


if __name__ == "__main__":
    Process(target=Store().put).start()
"""
SCRIPT = """\
from multiprocessing import Pool

import jobs

with Pool(2) as pool:
    print(pool.map(jobs.work, [1, 2]))
"""
FILES = {"a.py": LAMBDA, "b.py": LOCK, "c.py": SCRIPT, "jobs.py": "def work(n):\n    return n\n"}


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each time that the value flow is solved."""
    times: list[int] = []
    solve = crossings.solve

    def counted(facts: Mapping[str, Any], table: Any) -> Any:
        times.append(len(facts))
        return solve(facts, table)

    monkeypatch.setattr(crossings, "solve", counted)
    return times


def planned(files: Mapping[str, str], **settings: Any) -> Plan:
    return plan(MemoryFiles({path: text.encode() for path, text in files.items()}), Settings(**settings))


def test_the_value_flow_is_solved_once_more_for_all_rules(solved: list[int]) -> None:
    done = planned(FILES)
    assert [change.rule for change in done.changes] == ["lambdas", "main-guard", "unpicklable-attributes"]
    assert [[*change.contents] for change in done.changes] == [["a.py"], ["c.py"], ["b.py"]]
    assert len(solved) == 2
    assert not done.remaining
    files = FILES
    for change in done.changes:  # as one rule after the other finds it
        alone = planned(files, select=(change.rule,)).changes[0]
        assert (alone.contents, alone.findings) == (change.contents, change.findings)
        files = {**files, **{path: data.decode() for path, data in alone.contents.items()}}
    assert done.found_first == {
        ("lambdas", "a.py"): 1,
        ("main-guard", "c.py"): 1,
        ("unpicklable-attributes", "b.py"): 1,
    }


def test_two_rules_that_write_to_one_file_have_their_turns(solved: list[int]) -> None:
    script = LAMBDA.replace("DataLoader([", "for batch in DataLoader([").replace("2)\n", "2):\n    print(batch)\n")
    done = planned({"a.py": script, "b.py": LOCK})
    assert [change.rule for change in done.changes] == ["lambdas", "main-guard", "unpicklable-attributes"]
    assert len(solved) == 4
    assert "collate_fn=_collate" in done.contents["a.py"].decode() and not done.remaining


# With rules made for the test

Find = Callable[[str, str], Iterable[tuple[str, str]]]


def rule(name: str, find: Find) -> Rule:
    """A rule that finds words in files: `find` gives each of them and what to write in its place ("": nothing)."""

    def findings(project: Project) -> Iterable[Finding]:
        for path in project.paths:
            source = project.source(path)
            assert source is not None
            for word, new in find(path, source.text):
                at = source.text.index(word)
                fix = Fix("write it", (Edit(path, at, at + len(word), new),)) if new else None
                reason = None if fix else "no way"
                span = source.span(at, at + len(word))
                yield Finding(name, path, span, f"a {word}", Confidence.LIKELY, fix=fix, reason=reason)

    return Rule(id=name, summary="Find words", screen=re.compile(b""), find=findings)


def change(old: str, new: str) -> Find:
    return lambda path, text: [(old, new)] if old in text else []


def done_by(files: dict[str, bytes], *rules: Rule) -> list[tuple[str, dict[str, bytes]]]:
    done = plan(MemoryFiles(files), Settings(), "", {each.id: each for each in rules})
    return [(each.rule, each.contents) for each in done.changes]


def test_a_fix_that_does_not_help_is_left_out_and_the_others_stay() -> None:
    useless = rule("useless", lambda path, text: [("10", "10 ")] if "10" in text else [])
    done = plan(
        MemoryFiles({"a.py": b"x = 10\n", "b.py": b"x = 7\n"}),
        Settings(),
        "",
        {"useless": useless, "other": rule("other", change("7", "8"))},
    )
    assert [(each.rule, each.contents) for each in done.changes] == [("other", {"b.py": b"x = 8\n"})]
    assert [(each.rule, each.fix) for each in done.remaining] == [("useless", None)]


def test_a_fix_that_needs_another_pass_of_its_rule_is_one_change() -> None:
    twice = rule("twice", lambda path, text: [*change("1", "2")(path, text), *change("2", "3")(path, text)])
    found = done_by({"a.py": b"x = 1\n", "b.py": b"x = 7\n"}, twice, rule("other", change("7", "8")))
    assert found == [("twice", {"a.py": b"x = 3\n"}), ("other", {"b.py": b"x = 8\n"})]


def test_what_a_rule_finds_only_after_another_is_fixed_as_well() -> None:
    first, second = rule("first", change("1", "2")), rule("second", change("7", "8"))
    third = rule("third", change("2", "3"))
    found = done_by({"a.py": b"x = 1\n", "b.py": b"x = 7\n"}, first, second, third)
    assert found == [("first", {"a.py": b"x = 2\n"}), ("second", {"b.py": b"x = 8\n"}), ("third", {"a.py": b"x = 3\n"})]
