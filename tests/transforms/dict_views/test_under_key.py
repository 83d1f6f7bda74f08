"""dict-views: what stands under a literal key of a dict is a view for all who read that key, however far it goes."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

LABELS = """\
def load(text):
    table = dict(part.split("=") for part in text.split(";"))
    {keep}
"""
MAIN = """\
from torch.utils.data import DataLoader, Dataset

from labels import load


class Coded(Dataset):
    def __init__(self, settings):
        self.settings = settings

    def rest(self, names):
        return {use}

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return len(self.settings["names"])


if __name__ == "__main__":
    data = Coded(load("a=3;b=7;c=1"))
    print(data.rest({{"a"}}), list(DataLoader(data, num_workers=1)))
"""
DISPLAY = 'return {"names": table.keys()}'
ITEM = 'found = {}\n    found["names"] = table.keys()\n    return found'
FIXED = "Store `list(table.keys())`"


@each_row(
    ("keep", "use", "expected"),
    [
        (DISPLAY, 'sorted(self.settings["names"])', FIXED),
        (DISPLAY, 'self.settings["names"] - names', "main.py:11 uses it with `-`"),
        (DISPLAY, 'self.settings["names"] == names', "main.py:11 compares it with `==`"),
        (DISPLAY, 'self.settings.get("names") & names', "main.py:11 uses it with `&`"),
        (ITEM, 'self.settings["names"] - names', "main.py:11 uses it with `-`"),
        (DISPLAY, 'self.settings["other"] - names', FIXED),
        (DISPLAY, 'self.settings["names"] == "train"', FIXED),  # of another dict
        (DISPLAY, 'self.settings["names"] - 1', FIXED),
    ],
)
def test_what_is_done_with_it_elsewhere(keep: str, use: str, expected: str) -> None:
    files = {"labels.py": LABELS.replace("{keep}", keep), "main.py": MAIN.format(use=use)}
    (found,) = reported(files, "dict-views")
    assert expected in (found.reason or (found.fix.title if found.fix is not None else ""))
