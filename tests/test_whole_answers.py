"""The answers that are kept beside tests: what differs makes the test fail, and no test that is gone stays listed."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness import whole_answers
from harness.each_row import each_row
from harness.small import migrated, reported
from harness.whole_answers import Answers, Update, answers, file_of, modules, stored

KEPT = (
    "class Kept:\n    def __init__(self, d: dict):\n        self.d = d.keys()\nimport pickle\npickle.dumps(Kept({}))\n"
)
FOUND = """\
dict-views
3 proven
-         self.d = d.keys()
+         self.d = list(d.keys())
"""
MODULES = modules()


def test_what_a_rule_finds_in_what_it_is_given_is_noted_once() -> None:
    with answers() as found:
        migrated({"main.py": KEPT}, "dict-views")  # which looks at its own output too
        reported({"main.py": KEPT}, "dict-views")
        reported({"main.py": f"f = lambda: 1\n{KEPT}"}, "lambdas")
    assert found == [FOUND, "lambdas\n"]
    with answers() as found:
        reported({"main.py": KEPT.replace("d.keys", "d.items")}, "dict-views")
    assert found == [FOUND.replace("keys", "items")]


def called(plugin: Answers, kept: Path, program: str) -> None:
    """A listed test that hands `program` to the rules, as pytest calls it."""
    item: Any = SimpleNamespace(path=kept / "test_it.py", nodeid="tests/test_it.py::test_it[a::b]", function=called)
    running: Any = plugin.pytest_pyfunc_call(item)
    next(running)
    migrated({"main.py": program}, "dict-views")
    with pytest.raises(StopIteration):
        running.send(None)


def test_a_listed_test_fails_where_the_answer_is_another(tmp_path: Path) -> None:
    module = tmp_path / "test_it.py"
    file_of(module).parent.mkdir()
    file_of(module).write_text(f"=== test_it[a::b]\n{FOUND}=== test_other\ndict-views\n")
    assert list(stored(module)) == ["test_it[a::b]", "test_other"]
    called(Answers(), tmp_path, KEPT)
    with pytest.raises(AssertionError, match=r"(?s)make snapshots.*\+\+         self.d = list\(d.values"):
        called(Answers(), tmp_path, KEPT.replace("d.keys", "d.values"))
    plugin = Update()
    called(plugin, tmp_path, KEPT.replace("d.keys", "d.values"))
    assert plugin.written == {tmp_path / "test_it.py": {"test_it[a::b]": FOUND.replace("keys", "values")}}


def test_a_row_of_a_table_has_an_answer_of_its_own(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    file_of(tmp_path / "test_it.py").parent.mkdir()
    file_of(tmp_path / "test_it.py").write_text(f"=== test_it[keys]\n{FOUND}=== test_it[values]\n{FOUND}")
    seen: list[str] = []

    @each_row("view", ["keys", "values", "items"])
    def test_it(view: str) -> None:
        seen.append(view)
        migrated({"main.py": KEPT.replace("d.keys", f"d.{view}")}, "dict-views")

    for plugin in (Answers(), Update(["tests/test_it.py::test_it[it"])):
        item: Any = SimpleNamespace(path=tmp_path / "test_it.py", nodeid="tests/test_it.py::test_it", function=test_it)
        running: Any = plugin.pytest_pyfunc_call(item)
        next(running)
        if isinstance(plugin, Update):
            test_it(pytestconfig)
        else:
            with pytest.raises(
                pytest.fail.Exception, match=r"(?s)\A1 of 3 rows fail.*test_it\[values\].*make snapshots"
            ):
                test_it(pytestconfig)
        with pytest.raises(StopIteration):
            running.send(None)
    assert seen == ["keys", "values", "items"] * 2
    now = {f"test_it[{view}]": FOUND.replace("keys", view) for view in ("keys", "values", "items")}
    assert plugin.written == {tmp_path / "test_it.py": now}
    test_it(pytestconfig)  # nobody looks


def test_other_tests_are_left_alone(tmp_path: Path) -> None:
    called(Answers(), tmp_path, KEPT)
    plugin = Update(["tests/test_it.py"])
    called(plugin, tmp_path, KEPT)
    assert plugin.written == {tmp_path / "test_it.py": {"test_it[a::b]": FOUND}}


@each_row("module", MODULES, ids=[module.stem for module in MODULES])
def test_every_test_that_is_listed_is_there(module: Path) -> None:
    kept, text = stored(module), module.read_text(encoding="utf-8")
    assert kept and all(kept.values())
    for test in kept:
        assert re.search(rf"(?m)^def {re.escape(test.partition('[')[0])}\(", text), test


def test_the_plugin_is_there(request: pytest.FixtureRequest) -> None:
    plugins = [plugin for _, plugin in request.config.pluginmanager.list_name_plugin()]
    assert sum(isinstance(plugin, whole_answers.Answers) for plugin in plugins) == 1
