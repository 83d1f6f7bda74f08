"""Classes that derive from a pool of processes: to make an object of one starts processes."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

POOLS = """\
import multiprocessing as mp
import multiprocessing.pool
from multiprocessing.pool import Pool, ThreadPool


class NoDaemonProcess(mp.Process):
    daemon = False


class Mine({base}):
    {body}
"""
SCRIPT = """\
import multiprocessing as mp

from pools import Mine


def work(row):
    return row


pool = Mine({given})
print(pool.map(work, [1, 2]))
"""
KEEPS = """def __init__(self, *args, **kwargs):
        kwargs["context"] = {context}
        super().__init__(*args, **kwargs)"""
NO_DAEMON = KEEPS.format(context="NoDaemonProcess()")
FORKED = KEEPS.format(context='mp.get_context("fork")')


@each_row(
    "base, body, given, confidence",
    [
        ("Pool", "pass", "2", "proven"),
        ("Pool", "Process = NoDaemonProcess", "2", "proven"),
        ("multiprocessing.pool.Pool", "Process = NoDaemonProcess", "", "proven"),
        ("Pool", NO_DAEMON, "2", "likely"),
        ("ThreadPool", "pass", "2", ""),
        ("Pool", "def __init__(self, size):\n        self.size = size", "2", ""),  # it starts none
        ("Pool", FORKED, "2", ""),
        ("Pool", "pass", '2, context=mp.get_context("fork")', ""),
        ("object", "def map(self, function, rows):\n        return [function(row) for row in rows]", "", ""),
    ],
)
def test_what_starts_processes(base: str, body: str, given: str, confidence: str) -> None:
    files = {"pools.py": POOLS.format(base=base, body=body), "a.py": SCRIPT.format(given=given)}
    found = reported(files, "main-guard")
    assert [(each.path, each.confidence.value) for each in found] == [("a.py", confidence)] * bool(confidence)
    if confidence:
        after = migrated(files, "main-guard")["a.py"]
        assert f'if __name__ == "__main__":\n    pool = Mine({given})\n' in after


READS = """\
from pools import Mine


def work(row):
    return row * table[0]


if __name__ == "__main__":
    table = open("sizes").readlines()
    {made}
"""


@each_row(
    "base, body, made, found",
    [
        ("Pool", "Process = NoDaemonProcess", "pool = Mine(2)\n    print(pool.map(work, [1]))", True),
        ("Pool", "pass", "with Mine(2) as pool:\n        print(pool.map(work, [1]))", True),
        ("Pool", NO_DAEMON, "print(Mine(2).map(work, [1]))", True),
        ("ThreadPool", "pass", "pool = Mine(2)\n    print(pool.map(work, [1]))", False),
        ("object", "def map(self, function, rows):\n        return rows", "print(Mine().map(work, [1]))", False),
    ],
)
def test_what_its_workers_lack(base: str, body: str, made: str, found: bool) -> None:
    files = {"pools.py": POOLS.format(base=base, body=body), "a.py": READS.format(made=made)}
    messages = [each.message for each in reported(files, "main-guard")]
    assert [("NameError" in message and "`table`" in message) for message in messages] == [True] * found
