"""Plans taken apart: any selection of changes has a text of its own, checked as whole plans are."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from codemods.engine.migrate import plan
from codemods.engine.selection import Selector
from codemods.engine.units import Units
from codemods.engine.verify import verify
from codemods.finding import Confidence, Edit, Finding, Fix, Hop, Import
from codemods.project import Project
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles

CASES = Path(__file__).resolve().parents[1] / "before_after"


def units_of(files: dict[str, str], known: dict[str, Rule] | None = None) -> tuple[Units, Selector]:
    contents = MemoryFiles({path: text.encode() for path, text in files.items()})
    known = rules() if known is None else known
    units = Units(plan(contents, Settings(), "", known))
    return units, Selector(units, contents, Settings(), "", known)


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    "rule", [rule if rule == "dict-views" else pytest.param(rule, marks=pytest.mark.slow) for rule in sorted(rules())]
)
def test_selections_of_real_changes_add_up_and_pass_the_checks(rule: str) -> None:
    chance = random.Random(4)
    units_seen = 0
    for case in sorted((CASES / rule).glob("*/before")):
        contents = {path.relative_to(case).as_posix(): path.read_bytes() for path in case.rglob("*") if path.is_file()}
        done = plan(MemoryFiles(contents), Settings())
        units = Units(done)
        everything = range(len(units.units))
        units_seen += len(everything)
        whole = {path: new.before.encode(new.text) for path, new in units.texts(everything).items()}
        assert whole == done.contents, case
        assert units.texts(()) == {}
        parts = [{number} for number in everything] + [set(everything) - {number} for number in everything]
        parts += [{number for number in everything if chance.random() < 0.5} for _ in range(3)]
        for part in parts:
            for path, new in units.texts(units.closed(part)).items():
                assert new.before.encode(new.before.text) == contents[path]
                assert new.before.apply(new.edits) == new.text, (case, path)
                assert verify(new.before, new.text, new.edits) is None, (case, path, part)
    assert units_seen > 3


def _toy(name: str, pattern: str, replacement: str, needs: str | None = None) -> Rule:
    """A rule that replaces each match of `pattern`."""
    word = re.compile(pattern)

    def find(project: Project) -> Iterator[Finding]:
        for source in project.matching(word):
            for match in word.finditer(source.text):
                fix = Fix(
                    f"write {replacement}",
                    (Edit(source.path, *match.span(), match.expand(replacement)),),
                    (Import(source.path, needs),) if needs else (),
                )
                span = source.span(*match.span())
                hop = Hop(source.path, span.line, "here")
                yield Finding(name, source.path, span, f"{match.group()} is old", Confidence.PROVEN, (hop,), fix)

    return Rule(name, "Replace words", re.compile(pattern.encode()), find, notebooks=False)


def test_a_change_of_new_text_needs_the_change_that_wrote_it() -> None:
    known = {"one": _toy("one", "OLD", '"a" + "MIDDLE"'), "two": _toy("two", "MIDDLE", "NEW")}
    text = 'x = 1\ny = OLD\nz = "MIDDLE"\n'
    units, selector = units_of({"a.py": text.replace("OLD", "(OLD)")}, known)
    first, inner, outer = units.units
    assert (first.rule, inner.rule, outer.rule) == ("one", "two", "two")
    assert inner.requires == {first.number} and not outer.requires
    assert inner.findings[0].span.line == 2 and outer.findings[0].span.line == 3
    for part, line in (({0}, b'y = ("a" + "MIDDLE")'), ({0, 1}, b'y = ("a" + "NEW")')):
        assert selector.contents(part, {}) == {"a.py": b"x = 1\n" + line + b'\nz = "MIDDLE"\n'}
    assert selector.contents({0, 1, 2}, {}) == units.plan.contents
    selection = selector.select({inner.number, outer.number})
    assert set(selection.left_out) == {inner.number}
    assert "one at a.py:2" in selection.left_out[inner.number]
    assert selection.plan.contents == {"a.py": b'x = 1\ny = (OLD)\nz = "NEW"\n'}


def test_a_place_is_that_of_the_untouched_file_though_lines_were_added_above() -> None:
    known = {"one": _toy("one", "OLD", '"1"\nw = 2'), "two": _toy("two", "LATER", "now")}
    units, _ = units_of({"a.py": "x = OLD\ny = OLD\nz = 'LATER'\n"}, known)
    assert [(unit.rule, unit.findings[0].span.line) for unit in units.units] == [("one", 1), ("one", 2), ("two", 3)]
    assert units.units[2].findings[0].trace[0].line == 3


def test_only_the_imports_that_the_selection_needs_are_added() -> None:
    known = {"one": _toy("one", "OLD", "json.x", "json"), "two": _toy("two", "LATER", "base64.y", "base64")}
    text = '"""Doc."""\r\n\r\nimport os\r\n\r\nx = os.OLD\r\ny = os.LATER\r\n'.replace("os.", "")
    units, selector = units_of({"a.py": text.replace("OLD", "(OLD)").replace("LATER", "(LATER)")}, known)
    first, second = units.units
    head = '"""Doc."""\r\n\r\n'
    only_first = units.texts({first.number})["a.py"].text
    assert only_first == f"{head}import json\r\nimport os\r\n\r\nx = (json.x)\r\ny = (LATER)\r\n"
    only_second = units.texts({second.number})["a.py"].text
    assert only_second == f"{head}import base64\r\nimport os\r\n\r\nx = (OLD)\r\ny = (base64.y)\r\n"
    assert selector.select({first.number, second.number}).plan is units.plan


def test_a_change_that_is_left_out_leaves_its_text_beside_one_that_is_edited_by_hand() -> None:
    known = {"one": _toy("one", "OLD", "new"), "two": _toy("two", "LATER", "now")}
    units, _ = units_of({"a.py": "x = 'OLD'\ny = 'LATER'\nz = 'OLD'\n"}, known)
    by_hand = Edit("a.py", 15, 20, "today")
    assert units.texts((), edited={"a.py": [by_hand]})["a.py"].text == "x = 'OLD'\ny = 'today'\nz = 'OLD'\n"
    assert units.texts({1}, edited={"a.py": [by_hand]})["a.py"].text == "x = 'OLD'\ny = 'today'\nz = 'new'\n"


def test_a_selection_whose_text_fails_a_check_leaves_out_what_breaks_it() -> None:
    # the second change needs a name that only the first one binds, which no text of its own shows
    known = {"one": _toy("one", "OLD", "helper"), "two": _toy("two", "LATER", "helper")}
    units, selector = units_of({"a.py": "OLD = 1\ny = LATER\nz = 'OLD'\n"}, known)
    binding, in_text, use = units.units
    assert (binding.rule, in_text.rule, use.rule) == ("one", "one", "two")
    selection = selector.select({in_text.number, use.number})
    assert set(selection.left_out) == {use.number}
    assert "the name 'helper' would not be found" in selection.left_out[use.number]
    assert selection.plan.contents == {"a.py": b"OLD = 1\ny = LATER\nz = 'helper'\n"}


def test_a_selection_after_which_a_rule_finds_more_is_not_made() -> None:
    # the fix of "one" makes work for "two" unless the other fix of "one" is there as well
    def find(project: Project) -> Iterator[Finding]:
        for source in project.matching(re.compile("HALF|BAD")):
            for match in re.finditer("HALF_[AB]", source.text):
                fix = Fix("halve", (Edit(source.path, *match.span(), match.group().lower()),))
                yield Finding("one", source.path, source.span(*match.span()), "half", Confidence.PROVEN, (), fix)
            if source.text.count("HALF") == 1:
                span = source.span(0, 1)
                yield Finding("one", source.path, span, "one half alone", Confidence.PROVEN, reason="it is alone")
                yield Finding("one", source.path, span, "one half alone, again", Confidence.PROVEN, reason="alone")

    known = {"one": Rule("one", "Do halves", re.compile(b"HALF"), find, notebooks=False)}
    units, selector = units_of({"a.py": "x = 'HALF_A'\ny = 'HALF_B'\n"}, known)
    assert len(units.units) == 2
    selection = selector.select({0})
    assert "its rule finds a hazard" in selection.left_out[0] and not selection.plan.contents
    assert [finding.message for finding in selection.plan.declined] == ["half", "half"]
