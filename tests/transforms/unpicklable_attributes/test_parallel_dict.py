"""unpicklable-attributes: a dict of handles is filled again from the dict that keeps what each was opened with."""

from __future__ import annotations

import pickle
import sqlite3
import sys
from pathlib import Path
from types import ModuleType

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import glob
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, folder):
        self.tables = {{}}
        self.paths = dict()
        size = 0
        for path in sorted(glob.glob(folder + '/*.db')):
            table = sqlite3.connect(
                path,
                timeout=3,
            )
            number = table.execute('select count(*) from t').fetchone()[0]
            if number < 2:
                table.close()
            else:
                for at in range(number):
                    self.tables[size + at] = table
                    {beside}
                size += number
    def __len__(self):
        return len(self.tables)
    def __getitem__(self, at):
        return self.tables[at].execute('select * from t').fetchall()
    {more}
if __name__ == '__main__':
    print(list(DataLoader(Rows('.'), num_workers=2)))
"""
BESIDE = "self.paths[size + at] = path"


def test_it_is_filled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, rows in (("a", 3), ("b", 1), ("c", 2)):
        with sqlite3.connect(tmp_path / f"{name}.db") as made:
            made.execute("create table t (x)")
            made.executemany("insert into t values (?)", [(f"{name}{at}",) for at in range(rows)])
    after = migrated({"a.py": PROGRAM.format(beside=BESIDE, more="pass")}, RULE)["a.py"]
    module = ModuleType("rows_of_tables")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    stand_in = "class Dataset: pass\nDataLoader = None\n"
    exec(after.replace("from torch.utils.data import DataLoader, Dataset\n", stand_in), module.__dict__)
    rows = module.__dict__["Rows"](str(tmp_path))
    copy = pickle.loads(pickle.dumps(rows))
    assert [copy[at] for at in range(len(copy))] == [rows[at] for at in range(len(rows))] and len(copy) == 5
    assert copy.tables[0] is copy.tables[2] is not copy.tables[3]
    assert "                opened[path] = sqlite3.connect(\n                    path,\n" in after


@each_row(
    ("beside", "more"),
    [
        pytest.param("pass", "pass", id="nothing beside"),
        pytest.param("self.paths[size + at] = key", "pass", id="a name that the new lines have"),
        pytest.param("self.paths[size] = path", "pass", id="another key"),
        pytest.param("self.paths[size + at] = size", "pass", id="another value"),
        pytest.param(BESIDE, "def change(self): self.paths[0] = 'x'", id="changed"),
        pytest.param(BESIDE, "def change(self): self.paths.clear()", id="emptied"),
        pytest.param(BESIDE, "def change(self): return sorted(self.paths)", id="handed on"),
        pytest.param(BESIDE + "; path = 'x'", "pass", id="bound again"),
        pytest.param(BESIDE, "def go(self): __import__('os').chdir('x')", id="goes to another folder"),
    ],
)
def test_it_is_not_filled_again(beside: str, more: str) -> None:
    text = PROGRAM.format(beside=beside, more=more)
    if "= key" in beside:
        text = text.replace("for path in", "for key in").replace("                path,\n", "                key,\n")
    if "chdir" in more:
        text = text.replace("import glob\n", "import glob, os\n").replace("__import__('os')", "os")
    (reason,) = reasons({"a.py": text}, RULE)
    assert "under a condition" in reason or "changes it too" in reason or "folder" in reason


def test_the_dict_beside_may_be_counted() -> None:
    program = PROGRAM.format(beside=BESIDE, more="def size(self): return len(self.paths)")
    assert "opened[path] = sqlite3.connect(" in migrated({"a.py": program}, RULE)["a.py"]


@each_row("key", ["len(self.paths)", "len(self.tables)", "next(numbers)", "(size := size + 1)"])
def test_a_key_that_is_another_one_each_time(key: str) -> None:
    program = PROGRAM.format(beside=BESIDE, more="pass").replace("size + at", key)
    program = program.replace("class Rows", "import itertools\nnumbers = itertools.count()\nclass Rows")
    assert reasons({"a.py": program}, RULE)


STEPS = """\
import glob
import lmdb
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, folder):
        self.texts = {{}}
        self.paths = {{}}
        for path in glob.glob(folder + '/*'):
            env = lmdb.open(path, readonly=True)
            {between}
            text = env.begin({given})
            for at in range(2):
                self.texts[at] = text
                self.paths[at] = path
    def __len__(self):
        return len(self.texts)
    def __getitem__(self, at):
        return self.texts[at].get(b'x')
if __name__ == '__main__':
    print(list(DataLoader(Rows('.'), num_workers=2)))
"""


@pytest.mark.parametrize(
    ("between", "given", "again"),
    [
        ("size = 1", "write=False", True),
        ("size = 1", "buffers=size", False),
        ("env.sync()", "write=False", False),
    ],
)
def test_opened_in_two_steps(between: str, given: str, again: bool) -> None:
    text = STEPS.format(between=between, given=given)
    after = migrated({"a.py": text}, RULE).get("a.py", "")
    assert ("opened[path] = lmdb.open(path, readonly=True).begin(write=False)" in after) == again
