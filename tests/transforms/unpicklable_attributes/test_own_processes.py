"""An object that starts its own methods as processes, and keeps them: the second start can't pickle the first."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
TEXT = """\
import multiprocessing as mp


def work(rank):
    print(rank)


class Cluster:
    def __init__(self, n):
        self.n = n
        self.procs = []
        self.by_rank = {{}}
        self.last = None

    def loop(self, rank):
        print(rank * self.n)
{more}
    def start(self):
        {start}


if __name__ == "__main__":
    Cluster(3).start()
"""


def found(start: str, more: str = "") -> list[str]:
    text = TEXT.format(start=start.replace("\n", "\n        "), more=more)
    return [reason for reason in reasons({"train.py": text}, RULE) if "a function, and what that needs" in reason]


@each_row(
    "start",
    [
        "for i in range(2):\n    p = mp.Process(target=self.loop, args=(i,))\n    p.start()\n    self.procs.append(p)",
        "for i in 'ab':\n    self.procs.append(mp.Process(target=self.loop, args=(i,)))\n    self.procs[-1].start()",
        "for i in range(2):\n    p = mp.Process(target=work, args=(self,))\n    self.procs += [p]\n    p.start()",
        "for i in range(2):\n    p = mp.Process(target=self.loop, args=(i,))\n    self.by_rank[i] = p\n    p.start()",
        "self.procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\nfor p in self.procs:\n    p.start()",
    ],
)
def test_processes_that_get_those_before_them(start: str) -> None:
    assert len(found(start)) == 1


@each_row(
    "start",
    [
        "for i in range(2):\n    p = mp.Process(target=work, args=(i,))\n    p.start()\n    self.procs.append(p)",
        "p = mp.Process(target=self.loop, args=(0,))\nself.procs.append(p)\np.start()",
        "procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\nfor p in procs:\n    p.start()",
        "mp.set_start_method('fork')\nself.procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\n"
        "for p in self.procs:\n    p.start()",
    ],
)
def test_look_alikes(start: str) -> None:
    assert not found(start)


def test_a_class_that_says_what_crosses() -> None:
    start = (
        "self.procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\nfor p in self.procs:\n    p.start()"
    )
    assert found(start) and not found(start, "    def __getstate__(self):\n        return {'n': self.n}\n")


PIPES = """\
import multiprocessing as mp


class Environments:
    def __init__(self, n):
        self.near, self.far = zip(*[mp.Pipe() for _ in range(n)])
        self.files = list(range(n))
        for index in range(n):
            process = mp.Process({given})
            process.start()
            {close}
        self.ready = True

    def run(self, index):
        self.far[index].send(index)


if __name__ == "__main__":
    Environments(2)
"""


@each_row(
    ("given", "close", "is_found"),
    [
        ("target=self.run, args=(index,)", "self.far[index].close()", True),
        ("target=run, args=(self, index)", "self.near[index].close()", True),
        ("target=run, args=(self.far[index],)", "self.far[index].close()", False),
        ("target=self.run, args=(index,)", "self.far[index].poll()", False),
        ("target=self.run, args=(index,)", "self.files[index].close()", False),
        ("target=self.run, args=(index,)", "pass\n        for far in self.far:\n            far.close()", False),
    ],
)
def test_a_connection_that_is_closed_before_the_next_start(given: str, close: str, is_found: bool) -> None:
    text = PIPES.format(given=given, close=close)
    found = [reason for reason in reasons({"train.py": text}, RULE) if "its own connection" in reason]
    assert len(found) == is_found


@each_row("mark", ["staticmethod", "classmethod"])
def test_what_takes_no_object_along(mark: str) -> None:
    more = f"\n    @{mark}\n    def one(rank):\n        print(rank)\n"
    start = (
        "for i in range(2):\n    p = mp.Process(target=self.one, args=({},))\n    p.start()\n    self.procs.append(p)"
    )
    assert not found(start.format("i"), more)
    assert len(found(start.format("self"), more)) == 1


BESIDE = """\
import multiprocessing as mp
from torch.utils.data import DataLoader, Dataset

def fill(queue):
    queue.put(1)

class Cached(Dataset):
    def __init__(self, rows):
        self.rows = rows
        self.manager = mp.Manager()
        self.queue = self.manager.Queue()
        self.workers = []
        {kept}

    def run(self):
        self.queue.put(2)

    def start(self):
        self.own = mp.Process(target=self.run)
        self.own.start()

    def __getitem__(self, at):
        return self.queue.get()

def main():
    {sent}
"""
OTHER = "self.p = mp.Process(target=fill, args=(self.queue,)); self.p.start()"
LOADER = "for batch in DataLoader(Cached([1, 2]), num_workers=2):\n        print(batch)"


@each_row(
    ("kept", "sent", "fixed"),
    [
        ("pass", LOADER, True),
        ("pass", "Cached([1]).start()", True),  # the one that is started gets the object before it has itself
        ("p = mp.Process(target=fill, args=(self.queue,)); p.start()", LOADER, True),
        (OTHER, LOADER, False),
        (f"{OTHER}; self.p.join(); self.p = None", LOADER, True),
        (f"{OTHER}; self.p.join(); self.p = None", "Cached([1]).start()", True),
        (f"{OTHER}; self.start(); self.p = None", "Cached([1])", False),
        (f"{OTHER}; mp.Process(target=print, args=(self,)).start(); self.p = None", LOADER, False),
        (f"{OTHER}\n        if rows:\n            self.p = None", LOADER, False),
        (f"{OTHER}\n        if rows:\n            return\n        self.p = None", LOADER, False),
        ("p = mp.Process(target=fill, args=(self.queue,)); p.start(); self.workers.append(p)", LOADER, False),
        (OTHER, "Cached([1]).start()", False),
    ],
)
def test_a_manager_is_not_left_out_alone_where_a_process_stays(kept: str, sent: str, fixed: bool) -> None:
    files = {"a.py": BESIDE.format(kept=kept, sent=sent)}
    if fixed:
        assert 'del state["manager"]' in migrated(files, RULE)["a.py"]
    else:
        assert "keeps a process" in reasons(files, RULE)[0]


@each_row(
    ("sent", "error"),
    [
        (LOADER, "cannot pickle 'weakref.ReferenceType' object"),
        ("Cached([1]).start()", "cannot pickle 'weakref.ReferenceType' object"),
        ("mp.Pool(2).map(print, [Cached([1])])", "Pickling an AuthenticationString object is disallowed"),
        ("mp.Queue().put(Cached([1]))", "Pickling an AuthenticationString object is disallowed"),
    ],
)
def test_a_manager_fails_otherwise_where_the_process_runs_already(sent: str, error: str) -> None:
    [finding] = [
        each for each in reported({"a.py": BESIDE.format(kept="pass", sent=sent)}, RULE) if "manager" in each.message
    ]
    assert error in finding.message
