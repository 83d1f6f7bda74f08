"""A rule is its folder: taken away, the rest works; registered by another distribution, it is one more."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import codemods
from codemods.problem import Problem
from codemods.transforms import rules
from harness.case import ROOT

PROGRAM = """\
from torch.utils.data import DataLoader


class Names:
    def __init__(self, table):
        self.names = table.keys()


def loader(dataset, table):
    dataset.names = Names(table)
    return DataLoader(dataset, num_workers=2, collate_fn=lambda batch: batch)
"""
RULE = """\
import re

from spawnfix import Confidence, Edit, Finding, Fix, Rule


def find(project):
    for source in project.matching(re.compile("OLD_NAME")):
        at = source.text.index("OLD_NAME")
        fix = Fix("use the new name", (Edit(source.path, at, at + 8, "NEW_NAME"),))
        yield Finding("new-names", source.path, source.span(at, at + 8), "an old name", Confidence.PROVEN, fix=fix)


RULE = Rule(id="new-names", summary="Use new names", screen=re.compile(b"OLD_NAME"), find=find)
"""


def spawnfix(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`spawnfix ARGUMENTS` of the copy of the program in `home`."""
    env = {**os.environ, "PYTHONPATH": str(home), "SPAWNFIX_CACHE_DIR": str(home / "cache"), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "spawnfix", *arguments]
    return subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, check=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a copy of the program, and a repository to look at."""
    shutil.copy(ROOT / "spawnfix.py", tmp_path)
    shutil.copytree(ROOT / "codemods", tmp_path / "codemods", ignore=shutil.ignore_patterns("__pycache__", "demo_repo"))
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "train.py").write_text(PROGRAM)
    return tmp_path


def found(home: Path) -> set[str]:
    done = spawnfix(home, "check", "repository", "--exit-zero", "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["skipped"] == []
    return {finding["rule"] for finding in report["findings"]}


@pytest.mark.slow
@pytest.mark.parametrize("rule", sorted(rules()))
def test_without_its_folder_the_rest_works(rule: str, home: Path) -> None:
    shutil.rmtree(home / "codemods" / "transforms" / rule.replace("-", "_"))
    listed = spawnfix(home, "rules")
    assert listed.returncode == 0, listed.stderr
    assert [line.split()[0] for line in listed.stdout.splitlines()] == sorted(rules().keys() - {rule})
    assert found(home) == {"lambdas", "dict-views"} - {rule}
    done = spawnfix(home, "migrate", "repository", "--no-git")
    assert done.returncode == 0, done.stderr
    text = (home / "repository" / "train.py").read_text()
    assert ("lambda" in text) is (rule == "lambdas")
    assert ("list(table.keys())" in text) is (rule != "dict-views")


def others_of(rule: str) -> list[str]:
    """A sample of the fast tests of other rules and of what rules build on, without files that name `rule`."""
    folders = [*ROOT.glob("tests/transforms/*/"), ROOT / "tests/flow", ROOT / "tests/launch"]
    files = sorted(file for folder in folders for file in folder.glob("test_*.py"))
    named = re.compile(rf"\b{rule.replace('-', '[-_]')}\b")
    rest = [file for file in files if not named.search(f"{file.parent.name}\n{file.read_text(encoding='utf-8')}")]
    assert len({file.parent for file in rest}) >= len(rules()), "every room but the rule's own has such tests"
    return [str(file.relative_to(ROOT)) for file in random.Random(rule).sample(rest, 8)]


@pytest.mark.slow
@pytest.mark.parametrize("rule", sorted(rules()))
def test_without_its_folder_the_tests_of_others_pass(rule: str, home: Path) -> None:
    # the whole answers kept beside tests are those of all rules together
    ignore = shutil.ignore_patterns("__pycache__", "before_after", "answers", rule.replace("-", "_"))
    shutil.copytree(ROOT / "tests", home / "tests", ignore=ignore)
    (home / "tests" / "before_after").symlink_to(ROOT / "tests" / "before_after")
    shutil.copy(ROOT / "pyproject.toml", home)
    shutil.rmtree(home / "codemods" / "transforms" / rule.replace("-", "_"))
    env = {**os.environ, "PYTHONPATH": str(home), "PYTEST_ADDOPTS": ""}
    marks = "not slow or dear"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", marks, *others_of(rule)]
    done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) >= len(command[command.index(marks) + 1 :])  # in each file


def registered(home: Path, value: str) -> None:
    """Another distribution, as installers leave it: its module, and its entry point."""
    (home / "their_rules.py").write_text(RULE)
    info = home / "their_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[spawnfix.rules]\nnew-names = {value}\n")


@pytest.mark.slow
def test_a_rule_of_another_distribution(home: Path) -> None:
    registered(home, "their_rules:RULE")
    (home / "repository" / "names.py").write_text("x = 'OLD_NAME'\n")
    assert "new-names" in spawnfix(home, "rules").stdout
    assert found(home) == {"lambdas", "dict-views", "new-names"}
    assert spawnfix(home, "migrate", "repository", "--no-git").returncode == 0
    assert (home / "repository" / "names.py").read_text() == "x = 'NEW_NAME'\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param("their_rules:NOTHING", "can't be loaded: AttributeError", id="no such name"),
        pytest.param("no_such_module:RULE", "can't be loaded: ModuleNotFoundError", id="no such module"),
        pytest.param("their_rules:find", "is no spawnfix.Rule", id="no rule"),
        pytest.param("spawnfix.transforms.lambdas:RULE", "has the id of another rule: lambdas", id="taken id"),
    ],
)
def test_a_rule_that_can_not_be_loaded_is_named(home: Path, value: str, message: str) -> None:
    registered(home, value)
    done = spawnfix(home, "check", "repository")
    assert done.returncode == 2
    assert f"the rule new-names of their-rules {message}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_rule_is_frozen() -> None:
    rule = rules()["lambdas"]
    assert isinstance(rule, codemods.Rule)
    with pytest.raises(AttributeError):
        rule.id = "other"  # type: ignore[misc]
    assert issubclass(Problem, Exception)
