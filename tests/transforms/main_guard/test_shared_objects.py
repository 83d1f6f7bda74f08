"""Objects that processes share come to a worker as arguments: a global is made anew in each spawned process."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

SCRIPT = """\
import multiprocessing
import torch.multiprocessing
from multiprocessing import Array, Event as Flag

context = multiprocessing.get_context("spawn")
{make}


def work(n):
    print(n, {read})


def show():
    print(shared)


worker = multiprocessing.Process(target=work, args=({given},))
worker.start()
show()
"""

MAKES = [
    "multiprocessing.Value('i', 0)",
    "context.Value('i', 0)",
    "context.Lock()",
    "torch.multiprocessing.Queue()",
    "Array('d', 4)",
    "Flag()",
    "[context.Semaphore(2)]",
    "multiprocessing.get_context().Barrier(2)",
    "multiprocessing.Pipe()",
]


def script(make: str, read: str = "shared", given: str = "1") -> dict[str, str]:
    return {"train.py": SCRIPT.replace("{make}", make).replace("{read}", read).replace("{given}", given)}


@each_row("make", MAKES)
def test_a_shared_object_that_a_worker_reads_as_a_global(make: str) -> None:
    (reason,) = reasons(script(f"shared = {make}"), "main-guard")
    assert reason.startswith("line 6 calls `")
    assert "get an object of its own, not the one that the processes share: `work` reads `shared`" in reason


@each_row("make", MAKES)
def test_one_that_is_passed_is_shared(make: str) -> None:
    assert "__main__" in migrated(script(f"shared = {make}", "1", "shared"), "main-guard")["train.py"]


@pytest.mark.parametrize("make", ["{}", "multiprocessing.cpu_count()", "bytearray(8)"])
def test_other_values_may_be_made_anew(make: str) -> None:
    assert "__main__" in migrated(script(f"shared = {make}"), "main-guard")["train.py"]


def test_what_is_made_of_a_shared_object() -> None:
    (reason,) = reasons(script("memory = Array('d', 4)\nshared = memoryview(memory.get_obj())"), "main-guard")
    assert reason.startswith("line 6 calls `Array`")
    assert "`work` reads `shared`" in reason


def test_one_of_another_file() -> None:
    files = {
        **script("import common", "common.lock"),
        "common.py": "import multiprocessing\n\nlock = multiprocessing.Lock()\n",
    }
    (reason,) = reasons(files, "main-guard")
    assert reason.startswith("line 3 of common.py calls `multiprocessing.Lock`")
    assert "`work` reads `lock`" in reason


def test_an_attribute_of_a_class() -> None:
    made = "class Counts:\n    total = multiprocessing.Value('i', 0)\n    size = 3\n"
    (reason,) = reasons(script(made, "Counts.total.value"), "main-guard")
    assert "`work` reads `Counts.total` in a worker" in reason
    assert "__main__" in migrated(script(made, "Counts.size"), "main-guard")["train.py"]


JOB = """\
import multiprocessing

lock = multiprocessing.Lock()


class Job({base}):
    def run(self):
        with lock:
            print(1)


job = Job()
job.start()
multiprocessing.Process(target=print).start()
"""


def test_a_class_of_processes_reads_it() -> None:
    (reason,) = reasons({"train.py": JOB.replace("{base}", "multiprocessing.Process")}, "main-guard")
    assert "`run` reads `lock` in a worker" in reason
    thread = "import threading\n" + JOB.replace("{base}", "threading.Thread")
    assert "__main__" in migrated({"train.py": thread}, "main-guard")["train.py"]


POOL = """\
import multiprocessing

counter = multiprocessing.Value("i", 0)


def setup(shared):
    {declared}
    counter = shared


def work(n):
    with counter.get_lock():
        counter.value += n


pool = multiprocessing.Pool(2, {given})
pool.map(work, [1, 2])
"""


def test_the_initializer_of_a_pool_passes_it() -> None:
    given = "initializer=setup, initargs=(counter,)"
    text = POOL.replace("{given}", given)
    assert "__main__" in migrated({"train.py": text.replace("{declared}", "global counter")}, "main-guard")["train.py"]
    (reason,) = reasons({"train.py": text.replace("{declared}", "print()")}, "main-guard")
    assert "`work` reads `counter`" in reason
    (reason,) = reasons(
        {"train.py": POOL.replace("{given}", "None").replace("{declared}", "global counter")}, "main-guard"
    )
    assert "`work` reads `counter`" in reason


SETTER = """\
import multiprocessing

counter = multiprocessing.Value("i", 0)


def setup(shared):
    global counter
    counter = shared


def work({given}):
    {first}
    with counter.get_lock():
        counter.value += 1


if __name__ == "__main__":
    worker = multiprocessing.Process(target=work, args=(counter,))
    worker.start()
"""


def test_the_worker_sets_it_to_what_it_is_given() -> None:
    text = SETTER.replace("{given}", "shared").replace("{first}", "setup(shared)")
    assert reasons({"train.py": text}, "main-guard") == []
    (reason,) = reasons({"train.py": text.replace("setup(shared)\n    with", "print(shared)\n    with")}, "main-guard")
    assert reason.startswith("pass it to the worker")
