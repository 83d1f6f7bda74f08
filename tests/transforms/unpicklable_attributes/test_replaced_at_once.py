"""unpicklable-attributes: what the next statements replace does not cross, and refuses nothing else of the class."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import contextlib
import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset
class Keeper:
    def __init__(self, rows):
        self.rows = rows
class Faces(Dataset):
    def __init__(self, path, split, others):
        file = h5py.File(path, 'r')
        if split == 'train':
            BODY
    def __getitem__(self, at):
        return at
    def use(self, value):
        for row in DataLoader(self, num_workers=2):
            print(row)
if __name__ == '__main__':
    for row in DataLoader(Faces('a.h5', 'train', []), num_workers=2):
        print(row)
"""


@each_row(
    ("body", "found"),
    [
        ("self.rows = file['rows']; self.rows = np.asarray(self.rows)", False),
        ("self.rows = file['rows']; self.rows = np.array(self.rows).reshape((-1, 48))", False),
        ("self.rows = file['rows']; self.rows = np.asarray(self.rows); self.rows = self.rows.reshape((9, 9))", False),
        ("self.rows = file['rows']; self.rows = self.rows[:]", False),
        ("self.rows = file['rows']; self.size = len(self.rows); self.rows = None", False),
        ("self.rows = file['rows']; self.ids = file['ids'][:]; self.rows = self.rows[()]", False),
        ("self.rows = file; self.rows = self.rows['rows'][:]", False),
        ("with h5py.File(path) as own: self.rows = own['rows']; self.rows = self.rows[:]", False),
        ("self.rows = file['rows']", True),
        ("self.rows = file['rows']; self.rows = self.rows", True),
        ("self.rows = file['rows']; self.rows = Keeper(self.rows)", True),
        ("self.rows = file['rows']; self.rows = [self.rows]", True),
        ("self.rows = [file['rows']]; self.rows = self.rows[0]", True),
        ("self.rows = file; self.rows = self.rows['rows']", True),
        ("self.rows = file['rows']; self.use(0); self.rows = np.asarray(self.rows)", True),
        ("self.rows = file['rows']; others.append(self); self.rows = np.asarray(self.rows)", True),
        ("self.rows = file['rows']; self.rows = self.use(np.asarray(self.rows))", True),
        ("self.rows = file['rows']; self.kept = Keeper(self.rows); self.rows = None", True),
        ("self.rows = file['rows']; self.other = np.asarray(self.rows)", True),
        ("self.rows = file['rows']\n            if others: self.rows = np.asarray(self.rows)", True),
        (
            "self.rows = file['rows']\n            if others: return\n            self.rows = np.asarray(self.rows)",
            True,
        ),
        ("with contextlib.suppress(OSError): self.rows = file['rows']; self.rows = self.rows[:]", True),
        (
            "try: self.rows = file['rows']; self.rows = np.asarray(self.rows)\n"
            "            except OSError: print('large')",
            True,
        ),
        ("self.rows = (row for row in file); self.rows = np.asarray(self.rows)", True),
    ],
)
def test_replaced_at_once(body: str, found: bool) -> None:
    assert bool(reported({"a.py": PROGRAM.replace("BODY", body)}, RULE)) == found


def test_only_the_handle_is_made_anew() -> None:
    """The handle is read before the attribute gets the array: the array crosses, the file and the labels do not."""
    lines = (
        "self.file = h5py.File('a.h5', 'r')",
        "if split == 'train':",
        "    self.rows = self.file['rows']",
        "    self.labels = self.file['labels']",
        "    self.rows = np.asarray(self.rows)",
        "    self.rows = self.rows.reshape((-1, 48))",
        "else:",
        "    self.tests = self.file['tests']",
        "    self.tests = np.array(self.tests)",
    )
    program = PROGRAM.replace("if split == 'train':\n            BODY", "\n        ".join(lines))
    text = migrated({"a.py": program}, RULE)["a.py"]
    made_anew = text.partition("def __setstate__")[2].partition("def __getitem__")[0]
    assert "self.file = h5py.File('a.h5', 'r')" in made_anew
    assert "self.labels = self.file['labels']" in made_anew
    assert "rows" not in made_anew and "tests" not in made_anew
