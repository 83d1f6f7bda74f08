"""Files of decisions that are none, what decisions come to, and what a pull request says: row by row."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from test_decisions import CONFIG, TRAIN

from codemods.engine.choices import Commits
from codemods.engine.migrate import plan
from codemods.engine.selection import Selector
from codemods.engine.units import Units
from codemods.finding import Confidence
from codemods.problem import Problem
from codemods.review.decided import SHOWN, decide, told
from codemods.review.decisions import Choice, Decision, Decisions, parse_decisions, rendered
from codemods.review.model import Open, Review, review_of
from codemods.review.patch_text import patch_text
from codemods.review.pull_request import pull_request
from codemods.settings import Settings
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


@pytest.fixture(scope="module")
def whole() -> tuple[Review, Selector]:
    files = MemoryFiles({"train.py": TRAIN.encode(), "config.py": CONFIG.encode()})
    units = Units(plan(files, Settings()))
    return review_of(units, files), Selector(units, files, Settings(), "", rules())


ROW = {"id": "a", "decision": "accepted"}


@each_row(
    ("data", "why"),
    [
        ("[", "f: not valid JSON: Expecting value: line 1 column 2 (char 1)"),
        ([], 'f: not a file of decisions: it has no "spawnfix-decisions"'),
        ({}, 'f: not a file of decisions: it has no "spawnfix-decisions"'),
        ({"spawnfix-decisions": 7}, "f: decisions of format 7, and this spawnfix reads format 1"),
        ({"spawnfix-decisions": 1}, 'f: "decisions" is not a list'),
        ({"spawnfix-decisions": 1, "decisions": {}}, 'f: "decisions" is not a list'),
        (["a"], "f: decision 1 is not an object"),
        ([ROW, 3], "f: decision 2 is not an object"),
        ([{}], 'f: decision 1 has no "id"'),
        ([{**ROW, "id": 3}], 'f: decision 1: "id" is not a string'),
        ([{**ROW, "note": None}], 'f: decision 1: "note" is not a string'),
        ([{**ROW, "rule": []}], 'f: decision 1: "rule" is not a string'),
        ([{**ROW, "place": 1}], 'f: decision 1: "place" is not a string'),
        ([{**ROW, "edit": "x"}], 'f: decision 1: "edit" is not a list of lines'),
        ([{**ROW, "edit": [1]}], 'f: decision 1: "edit" is not a list of lines'),
        (
            [{**ROW, "decision": "x" * 60}],
            f"f: decision 1: \"decision\" must be one of accepted, rejected, undecided, not '{'x' * 50}'",
        ),
        ([ROW, {**ROW, "decision": "rejected"}], "f: decision 2: a was decided before, in another way"),
    ],
)
def test_what_is_no_file_of_decisions(data: object, why: str) -> None:
    whole = {"spawnfix-decisions": 1, "decisions": data} if isinstance(data, list) and data else data
    with pytest.raises(Problem) as raised:
        parse_decisions(data if isinstance(data, str) else json.dumps(whole), "f")
    assert str(raised.value) == why


def test_a_file_of_decisions_row_by_row() -> None:
    decisions = Decisions(
        {
            "c": Decision(Choice.ACCEPTED, "é\udcff", "a\nb\n", "rule", "b.py"),
            "b": Decision(Choice.REJECTED, "", "", "rule", "a.py"),
            "a": Decision(Choice.UNDECIDED, "later", "", "rule", "a.py"),
            "d": Decision(Choice.UNDECIDED),
        }
    )
    text = rendered(decisions)
    assert text.splitlines() == [
        "{",
        '  "spawnfix-decisions": 1,',
        '  "decisions": [',
        '    {"id": "a", "decision": "undecided", "rule": "rule", "place": "a.py", "note": "later"},',
        '    {"id": "b", "decision": "rejected", "rule": "rule", "place": "a.py"},',
        '    {"id": "c", "decision": "accepted", "rule": "rule", "place": "b.py", "note": "é\\udcff", '
        '"edit": ["a", "b"]}',
        "  ]",
        "}",
    ]
    assert parse_decisions(text, "f").by_id == {id: row for id, row in decisions.by_id.items() if id != "d"}
    assert rendered(Decisions()) == '{\n  "spawnfix-decisions": 1,\n  "decisions": []\n}\n'
    twice = json.dumps({"spawnfix-decisions": 1, "decisions": [ROW, ROW]})
    assert parse_decisions(twice, "f").by_id == {"a": Decision(Choice.ACCEPTED)}


def test_what_decisions_come_to(whole: tuple[Review, Selector]) -> None:
    review, selector = whole
    first, _, third = review.changes
    decisions = Decisions().with_decision(first, Choice.ACCEPTED).with_decision(third, Choice.REJECTED)
    done = decide(review, selector, decisions)
    assert (done.accepted, done.left_out, done.stale, done.rejected, done.undecided) == ((first,), {}, {}, 1, 1)
    assert list(done.plan.contents) == ["config.py"]
    assert list(told(done, review)) == ["decisions: 1 accepted, 1 rejected, 1 undecided"]
    assert list(told(done, review, counts=False)) == []
    patch = patch_text(first.hunks)
    good = decisions.with_decision(first, Choice.ACCEPTED, edit=patch.replace("list(ranges.keys())", "sorted(ranges)"))
    done = decide(review, selector, good)
    assert [
        line for change in done.accepted for hunk in change.hunks for line in hunk.lines if line.startswith("+")
    ] == ["+        self.names = sorted(ranges)"]
    assert b"sorted(ranges)" in done.plan.contents["config.py"]
    bad = decisions.with_decision(first, Choice.ACCEPTED, edit=patch.replace(" class Config", " class Other"))
    done = decide(review, selector, bad)
    assert (done.accepted, done.plan.contents) == ((), {})
    assert list(told(done, review)) == [
        f"accepted, but left out: {first.id} (dict-views at config.py:6): its edited patch does not apply: "
        "line 5 of the patch is not line 4 of config.py: class Other:",
        "decisions: 0 accepted, 1 rejected, 1 undecided",
    ]
    worse = decisions.with_decision(first, Choice.ACCEPTED, edit=patch.replace("list(ranges.keys())", "unknown()"))
    done = decide(review, selector, worse)
    assert list(done.left_out) == [first.id] and "'unknown' would not be found" in done.left_out[first.id]


def test_decisions_about_what_is_not_there(whole: tuple[Review, Selector]) -> None:
    review, selector = whole
    old = {f"old{n:02}": Decision(Choice.ACCEPTED, rule="lambdas", place=f"p{n}.py") for n in range(SHOWN + 2)}
    done = decide(review, selector, Decisions({**old, "gone": Decision(Choice.REJECTED)}))
    lines = list(told(done, review))
    assert lines[0] == "stale decision old00 (lambdas at p0.py): no such change any more, not applied"
    assert lines[SHOWN:] == [
        "... and 2 more such decisions",
        f"decisions: 0 accepted, 0 rejected, 3 undecided, {SHOWN + 3} stale",
    ]
    done = decide(review, selector, Decisions({"x": Decision(Choice.ACCEPTED)}))
    assert next(told(done, review)) == "stale decision x (unknown): no such change any more, not applied"
    nothing = replace(review, changes=())
    assert list(told(done, nothing))[1:] == ["decisions: 0 accepted, 0 rejected, 3 undecided, 1 stale"]
    assert list(told(replace(done, stale={}), nothing)) == []


def test_what_a_pull_request_says(whole: tuple[Review, Selector]) -> None:
    review, selector = whole
    done = decide(review, selector, Decisions().with_decision(review.changes[0], Choice.ACCEPTED))
    rows = (
        Open("lambdas", "a.py", 3, "It crosses.", Confidence.PROVEN, "pass it", ()),
        Open("lambdas", "a.py", 4, "It crosses.", Confidence.PROVEN, "it prints", (), unsafe="it prints"),
    )
    text = pull_request(replace(review, open=rows), done.accepted, done.plan, Commits.PER_RULE)
    lines = text.splitlines()
    assert lines[0] == "## Make values that cross process boundaries picklable"
    assert lines[2].startswith(f"spawnfix {review.version} changed 1 place in 1 file, so that this code runs under")
    assert [line for line in lines if line.startswith("| `")] == [
        f"| `dict-views` | 1 | {rules()['dict-views'].summary} |"
    ]
    assert [line for line in lines if line.startswith("### ")][:2] == [
        "### `dict-views`",
        "### Left as it is: 2 findings",
    ]
    at = lines.index("### Left as it is: 2 findings")
    assert lines[at + 1 : at + 7] == [
        "",
        "<details><summary>places and reasons</summary>",
        "",
        "- `a.py:3` `lambdas`: It crosses. Not changed: pass it",
        "- `a.py:4` `lambdas`: It crosses. Not changed: only with --unsafe-fixes: it prints",
        "",
    ]
    assert lines[at + 7] == "</details>"
    both = pull_request(review, review.changes, selector.select([0, 1, 2]).plan, Commits.PER_RULE)
    assert "changed 3 places in 2 files" in both and "Left as it is" not in both
    assert [line for line in both.splitlines() if line.startswith("### `")] == ["### `dict-views`", "### `lambdas`"]
