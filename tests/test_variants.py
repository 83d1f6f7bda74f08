"""Each case of `before_after/` with small changes: the same findings, reasons and fixes as are stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import Case, folders
from harness.small_changes import variants_of
from harness.variants import STORED, answers, difference, names_of, stored

FOLDERS = folders()
SMALL = "import os\n\n\ndef read(path):\n    found = os.stat(path)\n    return found\n"


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("folder", [pytest.param(each, id=f"{each.parent.name}/{each.name}") for each in FOLDERS])
def test_variants(folder: Path) -> None:
    changed = difference(Case.load(folder))
    assert not changed, f"`make snapshots` writes this; is it what you meant?\n{changed}"


def test_some_variants() -> None:
    """The first variant of every seventh case; the slow tests try them all."""
    for folder in FOLDERS[::7]:
        case = Case.load(folder)
        lines = stored(case)
        end = next((at for at, line in enumerate(lines) if at and not line.startswith(" ")), len(lines))
        assert lines[:end] == answers(case, names_of(lines[:end])), case.id


def test_there_are_enough() -> None:
    rules = {folder.parent.name for folder in FOLDERS}
    assert {path.stem for path in STORED.glob("*.txt")} == rules
    for rule in rules:
        count = sum(len(names_of(stored(Case.load(folder)))) for folder in FOLDERS if folder.parent.name == rule)
        assert count > 400, f"{rule}: `variants.py --choose` finds more"


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("left out", "    pass\n    return found\n"),
        ("then use 0", "    found = os.stat(path)\n    print(found)\n    return found\n"),
        ("inside 0", "    if __file__:\n        found = os.stat(path)\n    return found\n"),
        ("as a pair", "    found, _ = os.stat(path), 0\n    return found\n"),
        ("after the next", "    return found\n    found = os.stat(path)\n"),
        ("without the last", "    found = os.stat()\n    return found\n"),
        ("as value 0", "    found = (os.stat(path) if __file__ else None)\n    return found\n"),
    ],
)
def test_what_is_changed(kind: str, after: str) -> None:
    found = [variant for variant in variants_of("a.py", SMALL) if variant.kind == kind and variant.line == 5]
    assert "import os\n\n\ndef read(path):\n" + after in [variant.apply(SMALL) for variant in found]
