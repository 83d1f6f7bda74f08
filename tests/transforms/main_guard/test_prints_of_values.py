"""A script prints what it works with above what workers need: each line goes under a guard where it stands."""

from __future__ import annotations

from codemods.finding import Finding
from codemods.transforms.main_guard.side_effects import _SHOWS
from harness.each_row import each_row
from harness.small import migrated, reported

SCRIPT = """\
import argparse
import os
from torch.utils.data import DataLoader

print("started in", os.sep)
parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=2)
args = parser.parse_args()
for name in vars(args):
    print(name, {shown})

folds = args.threads
print("Loading data...")


class Rows:
    def __init__(self, folds=folds):
        self.folds = folds

    def __len__(self):
        return 4

    def __getitem__(self, at):
        return at * self.folds


rows = Rows()

for fold in range(folds):
    for batch in DataLoader(rows, num_workers=2):
        print(fold, batch)
"""


@each_row("shown", ["getattr(args, name)", "os.getcwd()", "isinstance(name, str)", "vars(args)"])
def test_values_that_are_only_looked_at(shown: str) -> None:
    after = migrated({"a.py": SCRIPT.format(shown=shown)}, "main-guard")["a.py"]
    assert f'    if __name__ == "__main__":\n        print(name, {shown})\n' in after


@each_row("shown", ["args.items.pop()", "os.system(name)", "setattr(args, name, 1)"])
def test_what_does_something_in_each_process(shown: str) -> None:
    (found,) = reported({"a.py": SCRIPT.format(shown=shown)}, "main-guard")
    assert _why_unsafe(found)


def _why_unsafe(found: Finding) -> str | None:
    return found.fix.unsafe if found.fix is not None else found.reason


def test_no_name_stands_for_something_that_changes_its_object() -> None:
    assert not _SHOWS & {"pop", "append", "next", "read", "write", "seed", "setattr", "print", "open", "system"}
