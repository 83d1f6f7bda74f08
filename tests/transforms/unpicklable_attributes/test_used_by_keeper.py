"""unpicklable-attributes: what an object opens on demand is open where the one that keeps it used it before."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
from torch.utils.data import DataLoader, Dataset
class Lines:
    def __init__(self, path):
        self.path = path
        self.file = None
    def __len__(self):
        return 3
    def __getitem__(self, at):
        return self.read(at)
    def read(self, at):
        if self.file is None:
            self.file = open(self.path)
        self.file.seek(at)
        return self.file.readline()
    def close(self):
        self.file = None
class Rows(Dataset):
    def __init__(self, path):
        self.lines = Lines(path)
        self.other = Lines(path)
        self.spare = None if path is None else Lines(path)
        self.made = make(path)
        {first}
    def own(self):
        return self.lines
    def names(self):
        lines = self.own()
        return [lines.read(at) for at in range(3)]
    def __len__(self):
        return {length}
    def __getitem__(self, at):
        return self.lines[at], self.names()
def main():
    return list(DataLoader(Rows('a.txt'), num_workers=2))
if __name__ == '__main__':
    main()
"""


@each_row(
    "first, length, found",
    [
        ("self.keys = self.names()", "3", True),
        ("print(self.lines.read(0))", "3", True),
        ("print(self.lines[0])", "3", True),
        ("print(self.own()[0])", "3", True),
        ("pass", "len(self.lines.read(0))", True),
        ("pass", "len(self.lines)", False),
        ("print(self.lines.path)", "3", False),
        ("print(self.lines.read(0)); self.lines.close()", "3", False),
        ("print(self.lines.read(0)); self.lines.file = None", "3", False),
        ("self.lines[0] = 1", "3", False),
        ("print(path.read(0))", "3", False),
        ("print(self.other.read(0))", "3", True),
        ("print(self.spare.read(0))", "3", True),
        ("print(self.other.read(0)); self.other.close()", "3", False),
        ("print(self.made.read(0))", "3", False),
    ],
)
def test_used_by_what_keeps_it(first: str, length: str, found: bool) -> None:
    files = {"a.py": PROGRAM.format(first=first, length=length)}
    findings = reported(files, RULE)
    assert bool(findings) is found
    assert all("is used before, which opens it" in each.trace[-2].what for each in findings)
    assert ('state["file"] = None' in migrated(files, RULE).get("a.py", "")) is found
