"""What goes under a new guard is nothing that a worker reads, in whatever file it stands."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

SHARED = "OFFSET = 0\nTABLE = {}\nLEVEL = 1\n\n\ndef configure(level):\n    global LEVEL\n    LEVEL = level\n"
WORKER = "import shared\nfrom shared import TABLE as table\n\n\ndef work(n):\n    print(n, {read})\n"
TRAIN = """\
import multiprocessing
import shared
from worker import work

first = multiprocessing.Process(target=work, args=(1,))
first.start()
{change}
second = multiprocessing.Process(target=work, args=(2,))
second.start()
"""


def files(read: str, change: str) -> dict[str, str]:
    return {
        "shared.py": SHARED,
        "worker.py": WORKER.replace("{read}", read),
        "train.py": TRAIN.replace("{change}", change),
    }


CHANGES = [
    ("shared.TABLE", "shared.TABLE['a'] = 1", "`TABLE` of shared.py"),
    ("table['a']", "shared.TABLE.update(a=1)", "`TABLE` of shared.py"),
    ("shared.OFFSET", "shared.OFFSET = 5", "`OFFSET` of shared.py"),
    ("shared.OFFSET", "setattr(shared, 'OFFSET', 5)", "`OFFSET` of shared.py"),
    ("shared.LEVEL", "shared.configure(9)", "`LEVEL` of shared.py"),
    ("shared.TABLE", "del shared.TABLE['a']", "`TABLE` of shared.py"),
]


@pytest.mark.parametrize(("read", "change", "what"), CHANGES)
def test_what_another_file_reads_is_kept(read: str, change: str, what: str) -> None:
    (reason,) = reasons(files(read, change), "main-guard")
    assert reason.startswith(f"line 7 changes {what}, which `work` (worker.py:5) reads in a worker")


@pytest.mark.parametrize(("read", "change", "what"), CHANGES)
def test_what_nobody_reads_may_change(read: str, change: str, what: str) -> None:
    assert "__main__" in migrated(files("n", change), "main-guard")["train.py"]


def test_objects_that_are_sent() -> None:
    data = """\
import shared


class Rows:
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.value(i)

    def value(self, i):
        return i + shared.OFFSET


def build():
    return Rows()
"""
    train = """\
import shared
from torch.utils.data import DataLoader
from data import build

shared.OFFSET = 3
loader = DataLoader(build(), num_workers=2)
for rows in loader:
    print(rows)
"""
    found = migrated({"shared.py": SHARED, "data.py": data, "train.py": train}, "main-guard")
    # above the guard each worker sets it as well
    assert found["train.py"].index("shared.OFFSET = 3") < found["train.py"].index("__main__")
    late = train.replace("shared.OFFSET = 3\n", "")
    late += "shared.OFFSET = 3\nfor rows in loader:\n    print(rows)\n"
    (reason,) = reasons({"shared.py": SHARED, "data.py": data, "train.py": late}, "main-guard")
    assert "which `value` (data.py:11) reads in a worker" in reason


def test_a_second_definition() -> None:
    train = """\
import multiprocessing


def scale(x):
    return x


def work(x):
    print(scale(x))


multiprocessing.Process(target=work, args=(1,)).start()


def scale(x):
    return 2 * x


multiprocessing.Process(target=work, args=(1,)).start()
"""
    (reason,) = reasons({"train.py": train}, "main-guard")
    assert reason.startswith("`scale` is defined again (line 15)")


def test_the_environment() -> None:
    train = """\
import multiprocessing
import os


def work():
    print(os.environ['MODE'])


os.environ['MODE'] = 'a'
print('start')
multiprocessing.Process(target=work).start()
{again}multiprocessing.Process(target=work).start()
"""
    once = migrated({"train.py": train.replace("{again}", "")}, "main-guard")["train.py"]
    assert "__main__" in once
    twice = {"train.py": train.replace("{again}", "os.environ['MODE'] = 'b'\n")}
    other = {"train.py": train.replace("{again}", "os.environ['LEVEL'] = 'b'\n")}
    (reason,) = reasons(twice, "main-guard")
    assert reason.startswith("line 12 changes the environment, and every spawned worker would run line 9 again")
    assert "__main__" in migrated(other, "main-guard")["train.py"]
