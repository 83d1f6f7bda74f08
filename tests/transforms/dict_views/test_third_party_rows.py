"""Every object of an installed package that keeps a dict view: what makes it, and the line that helps."""

from __future__ import annotations

import sys
from importlib import resources
from typing import Any

import pytest

from codemods.engine.migrate import plan
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROWS: list[dict[str, Any]] = tomllib.loads(
    resources.files("codemods.transforms.dict_views").joinpath("third_party.toml").read_text("utf-8")
)["holder"]
MADE = [pytest.param(row, name, id=name) for row in ROWS for name in row.get("made_by", ())]
INHERITED = [
    pytest.param(row, name, needed, id=f"{name} {needed}")
    for row in ROWS
    for name in row.get("inherited", ())
    for needed in row["only_with"]
]


def shim(row: dict[str, Any], held: str) -> str:
    """The lines that are put after the construction."""
    view = f"{held}.{row['view']}"
    why = f"# {row['package']} keeps a dict view here, and views can't be pickled"
    return f"        {why}\n        {view} = list({view})\n"


def migrated(files: dict[str, str]) -> str:
    done = plan(
        MemoryFiles({path: text.encode() for path, text in files.items()}),
        Settings(select=("dict-views",), confidence=Confidence.LIKELY),
    )
    return {**{path: text.encode() for path, text in files.items()}, **done.contents}["train.py"].decode()


def imported(name: str) -> tuple[str, str]:
    """The import of a dotted name, and how it is spelled then."""
    module, _, last = name.rpartition(".")
    outer, _, holder = module.rpartition(".")
    if holder[:1].isupper():
        return f"from {outer} import {holder}", f"{holder}.{last}"
    return f"from {module} import {last}", last


@each_row(("row", "name"), MADE)
def test_what_a_call_gives_keeps_a_view(row: dict[str, Any], name: str) -> None:
    start, spelled = imported(name)
    source = (
        f"{start}\nfrom torch.utils.data import DataLoader, Dataset\n\n\n"
        "class Rows(Dataset):\n    def __init__(self):\n"
        f"        self.config = {spelled}({{}})\n\n\ndef main():\n    DataLoader(Rows(), num_workers=2)\n"
    )
    made = source.format("'detection_cvpr_2019'")
    assert migrated({"train.py": made}) == made.replace("\n\n\ndef main", f"\n{shim(row, 'self.config')}\n\ndef main")
    other = source.format(f"'{row['unless']}nips_2019'")
    assert migrated({"train.py": other}) == other
    own = {"train.py": made, row["home"]: "class Other:\n    pass\n"}
    assert migrated(own) == made  # the package is here: what decides can be read


@each_row(("row", "name", "needed"), INHERITED)
def test_what_a_base_class_keeps(row: dict[str, Any], name: str, needed: str) -> None:
    start, spelled = imported(name)
    source = (
        f"{imported(needed)[0]}\n{start}\nfrom torch.utils.data import DataLoader\n\n\nclass Rows({spelled}):\n"
        "    def __init__(self, path):\n        super().__init__(path)\n\n\n"
        "def main():\n    DataLoader(Rows('data'), num_workers=2)\n"
    )
    call = "        super().__init__(path)\n"
    assert migrated({"train.py": source}) == source.replace(call, call + shim(row, f"self.{row['attribute']}"))
    newer = source.split("\n", 1)[1]  # without an import that only the older versions have
    assert migrated({"train.py": newer}) == newer


@each_row(
    ("change", "is_fixed"),
    [
        ("self.config.class_range['a'] = 1", False),
        ("del self.config.class_range['a']", False),
        ("self.config.class_range.update(a=1)", False),
        ("print(self.config.class_range['a'], self.config.class_range.get('a'))", True),
    ],
)
def test_a_dict_that_changes_later_is_asked_about(change: str, is_fixed: bool) -> None:
    name = next(name for row in ROWS for name in row.get("made_by", ()) if row.get("of") == "class_range")
    start, spelled = imported(name)
    source = (
        f"{start}\nfrom torch.utils.data import DataLoader, Dataset\n\n\nclass Rows(Dataset):\n"
        f"    def __init__(self):\n        self.config = {spelled}('detection_cvpr_2019')\n        {change}\n\n\n"
        "def main():\n    DataLoader(Rows(), num_workers=2)\n"
    )
    assert (migrated({"train.py": source}) != source) == is_fixed
