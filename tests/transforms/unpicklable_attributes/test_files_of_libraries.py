"""Files and indices of libraries that few programs keep: opened anew where that is the same."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

TEXT = """\
import annoy
import pandas as pd
import pysam
import soundfile
from torch.utils.data import DataLoader


class Rows:
    def __init__(self, path):
        self.path = path
        self.store = OPENED

    def __getitem__(self, at):
        return READ


for row in DataLoader(Rows("a"), num_workers=2):
    print(row)
"""


@pytest.mark.parametrize(
    ("opened", "read"),
    [
        ('pd.HDFStore(path, "r")', 'self.store.select("rows", start=at)'),
        ("pysam.FastaFile(path)", "self.store.fetch(at)"),
        ('annoy.AnnoyIndex(3, "angular")\n        self.store.load(self.path)', "self.store.get_item_vector(at)"),
    ],
)
def test_opened_anew(opened: str, read: str) -> None:
    changed = migrated({"a.py": TEXT.replace("OPENED", opened).replace("READ", read)}, "unpicklable-attributes")
    made = opened.replace("path", "self.path", 1).replace("self.self", "self")
    assert f"self.__dict__.update(state)\n        self.store = {made}" in changed["a.py"]


def test_left_alone() -> None:
    opened = TEXT.replace("OPENED", "pd.HDFStore(path)").replace("READ", 'self.store.select("rows", start=at)')
    (reason,) = reasons({"a.py": opened}, "unpicklable-attributes")
    assert "open for writing" in reason


def test_goes_on_where_it_was() -> None:
    read = TEXT.replace("OPENED", "soundfile.SoundFile(path)").replace("READ", "self.store.read(at)")
    assert 'self.store.seek(state["store"])' in migrated({"a.py": read}, "unpicklable-attributes")["a.py"]
