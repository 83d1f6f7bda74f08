"""What CI calls is there: workflows, .ci/run, the Makefile and CONTRIBUTING name the same commands."""

from __future__ import annotations

import os
import re
from pathlib import Path

from harness.each_row import each_row

ROOT = Path(__file__).resolve().parents[1]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
CALLERS = [".ci/run", "CONTRIBUTING.md", "README.md", *sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / ".github/workflows").glob("*.yml")
)]  # fmt: skip


def called(name: str) -> set[str]:
    """The targets that a file hands to make, in commands alone."""
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = re.findall(r"^(?:[ $]*|.*(?:run: |&& ))make ([a-z ]+?)(?= +[A-Z#&]| *$| +`)", text, re.MULTILINE)
    return {target for line in lines for target in line.split()}


@each_row("name", CALLERS)
def test_make_has_what_is_asked_of_it(name: str) -> None:
    assert called(name) <= TARGETS


def test_what_must_run_is_run() -> None:
    assert {"coverage", "mutants", "lint", "docs"} <= called(".ci/run")
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert {"fast", "lint", "docs"} <= called(".github/workflows/ci.yml") and "run: .ci/run\n" in workflow
    assert "fetch-depth: 0" in workflow.partition("run: .ci/run")[0], "mutants of what differs from main need main"
    assert os.access(ROOT / ".ci/run", os.X_OK)
    assert {"fast", "test", "lint", "docs", "snapshots"} <= called("CONTRIBUTING.md")


def test_what_the_makefile_starts_is_there() -> None:
    recipes = re.findall(r"^\t\$\(PYTHON\) ((?:\w+/)+\w+\.py)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert len(recipes) >= 3 and all((ROOT / path).is_file() for path in recipes)
    phony = re.findall(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(" ".join(phony).split()) == TARGETS


def test_no_two_test_files_have_one_name() -> None:
    """They are imported by their names alone, so that one of them would not run."""
    names = [path.name for path in (ROOT / "tests").glob("*/**/test_*.py") if "before_after" not in path.parts]
    names += [path.name for path in (ROOT / "tests").glob("test_*.py")]
    assert sorted(set(names)) == sorted(names)
