"""A script without a guard whose workers read what would go under it: it is handed to their pool, in the same fix."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

SCRIPT = """\
from multiprocessing import Lock, Manager, Pool
import threading

{values}


def work(n):
    {read}
    return n


{start}
"""
PROXY, START = "manager = Manager()\nfound = manager.list()", "with Pool(2) as pool:\n    pool.map(work, [1, 2])"


@each_row(
    ("values", "read", "start", "handed"),
    [
        (PROXY, "found.append(n)", START, "Pool(2, initializer=_init_worker, initargs=(found,))"),
        ("found = Manager().dict()", "found[n] = 1", START, "initargs=(found,)"),
        ("lock = Lock()\n" + PROXY, "lock.acquire(); found.append(n)", START, "initargs=(found, lock)"),
        (PROXY, "found.append(n)", START + "\n    found = list(found)\nprint(found)", "initargs=(found,)"),
        # who was forked before has the proxy as well
        (
            PROXY,
            "found.append(n)",
            "pool = Pool(2)\nfound = list(pool.map(work, [1]))\npool.map(work, [2])",
            "(found,)",
        ),
        (PROXY, "found.append(object())", START, "initargs=(found,)"),  # the proxy is sent, not what it holds
    ],
)
def test_what_is_handed_over(values: str, read: str, start: str, handed: str) -> None:
    text = SCRIPT.format(values=values, read=read, start=start)
    after = migrated({"a.py": text}, "main-guard")["a.py"]
    assert handed in after.replace("(lock, found)", "(found, lock)")
    assert after.index("global ") < after.index("def work") < after.index("__main__") < after.index("Manager()")
    again = migrated({"a.py": after}, "main-guard")
    assert not again


@each_row(
    ("values", "read", "start"),
    [
        ("manager = Manager()\nfound = threading.Lock()", "found.acquire()", START),  # no process can be sent it
        ("manager = Manager()\nfound = open(__file__)", "found.read()", START),
        (PROXY, "found.append(n)", START.replace("2)", "2, maxtasksperchild=1)") + "\n    found = [1]"),
        ("manager = Manager()\nfound = manager", "found.list()", START),
        ("".join(f"v{n} = Manager().list()\n" for n in range(7)), "v0, v1, v2, v3, v4, v5, v6", START),
    ],
)
def test_what_can_not_be_handed_over(values: str, read: str, start: str) -> None:
    text = SCRIPT.format(values=values, read=read, start=start)
    (reason,) = reasons({"a.py": text}, "main-guard")
    assert "under the guard a spawned worker would not see it" in reason


def test_a_count_of_the_worker_stays_where_it_finds_it() -> None:
    counting = "found.append(n)\n    global count\n    count += 1"
    text = SCRIPT.format(values=PROXY + "\ncount = 0", read=counting, start=START)
    after = migrated({"a.py": text}, "main-guard")["a.py"]
    assert after.index("count = 0") < after.index("__main__") < after.index("found = manager")


def test_a_script_that_another_file_imports() -> None:
    text = SCRIPT.format(values=PROXY, read="found.append(n)", start=START)
    assert migrated({"a.py": text}, "main-guard")
    assert "a.py" not in migrated({"a.py": text, "b.py": "import a\n\nprint(a.found)\n"}, "main-guard")
