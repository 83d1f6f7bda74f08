"""Objects that can't be pickled and that no class keeps: which of them are reported on their way to a process."""

from __future__ import annotations

import pytest

from codemods.finding import Finding
from codemods.project import Project
from codemods.transforms.unpicklable_attributes.rule import find
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

PROGRAM = """\
import argparse
import multiprocessing
import threading
from functools import partial
from torch.utils.data import ChainDataset, DataLoader
from torch.utils.tensorboard import SummaryWriter


class Reader:
    def __init__(self, lock):
        self.lock = lock


def work(*parts):
    print(parts)


def main(paths):
    args = argparse.ArgumentParser().parse_args()
    pool = multiprocessing.Pool(2)
    {body}


if __name__ == "__main__":
    main(["a", "b"])
"""


def found(body: str) -> list[Finding]:
    """The findings about the program with this body of `main`."""
    text = PROGRAM.format(body="\n    ".join(body.splitlines()))
    return [
        each for each in find(Project(MemoryFiles({"run.py": text.encode()}))) if each.confidence.value != "possible"
    ]


@each_row(
    ("body", "what"),
    [
        ("log = open('a', 'w')\nmultiprocessing.Process(target=work, args=(log,)).start()", "an open file"),
        ("multiprocessing.Process(target=work, kwargs={'lock': threading.Lock()}).start()", "a lock"),
        ("pool.map(partial(work, SummaryWriter('runs')), [1, 2])", "a SummaryWriter"),
        ("lock = threading.Lock()\npool.starmap(work, [(path, lock) for path in paths])", "a lock"),
        ("for batch in DataLoader(ChainDataset(p for p in paths), num_workers=2):\n    print(batch)", "a generator"),
    ],
)
def test_what_a_boundary_gets_is_reported_with_what_to_do(body: str, what: str) -> None:
    (finding,) = found(body)
    assert f" is {what}" in finding.message
    assert finding.fix is None and "in the process that uses it" in (finding.reason or "")
    assert finding.trace[-1].path == "run.py"


def test_a_lock_that_processes_inherit_can_not_go_to_a_pool_with_its_tasks() -> None:
    (finding,) = found("lock = multiprocessing.Lock()\npool.starmap(work, [(path, lock) for path in paths])")
    assert "shared between processes through inheritance" in finding.message
    assert "`initargs=`" in (finding.reason or "")


@each_row(
    "body",
    [
        "lock = multiprocessing.Lock()\nmultiprocessing.Process(target=work, args=(lock,)).start()",  # it is inherited
        "multiprocessing.Pool(2, work, (multiprocessing.Lock(),))",  # so it is by the workers of a pool
        "multiprocessing.Pool(2, initializer=work, initargs=(Reader(multiprocessing.Lock()),))",
        "threading.Thread(target=work, args=(threading.Lock(),)).start()",
        "lock = threading.Lock()\nwork(lock)",
        "with open('a') as file:\n    pool.map(work, file.readlines())",
        "pool.map(work, (path for path in paths))",  # the pool takes the items
        "queue = multiprocessing.get_context('fork')\nqueue.Process(target=work, args=(open('a'),)).start()",
        "for batch in DataLoader(ChainDataset(p for p in paths)):\n    print(batch)",
    ],
)
def test_what_stays_or_may_be_sent_is_not_reported(body: str) -> None:
    assert found(body) == []


@each_row(
    ("first", "more", "other", "count"),
    [
        ("pass", "pass", "pass", 1),
        ("pass", "self.line = queue.Queue()", "pass", 0),
        ("self.line = None", "pass", "pass", 1),  # it is a lock by then
        ("pass", "pass", "self.line = None", 1),  # an object of another class
    ],
)
def test_an_attribute_that_gets_another_value_is_not_what_is_sent(
    first: str, more: str, other: str, count: int
) -> None:
    text = f"""\
import multiprocessing, queue, threading

class Line:
    def __init__(self):
        {other}

class Loader:
    def __init__(self, work):
        {first}
        self.line = threading.Lock()
        multiprocessing.Process(target=work, args=(1, self.line)).start()
        {more}

Loader(print)
"""
    alone = [
        each for each in find(Project(MemoryFiles({"run.py": text.encode()}))) if "threading.Lock()" in each.message
    ]
    assert len(alone) == count


@each_row(
    ("body", "sure"),
    [
        ("args.log = open('a', 'w')\nmultiprocessing.Process(target=work, args=(args,)).start()", "likely"),
        ("args.run.log = open('a', 'w')\nmultiprocessing.Process(target=work, args=(args,)).start()", "likely"),
        ("args.log = open('a', 'w')\nmultiprocessing.Process(target=work, args=(Reader(args),)).start()", "likely"),
        (
            "own = {'lock': threading.Lock()}\nmultiprocessing.Process(target=work, args=(Reader(own),)).start()",
            "proven",
        ),
    ],
)
def test_what_an_unknown_object_or_a_dict_keeps(body: str, sure: str) -> None:
    (finding,) = found(body)
    assert finding.confidence.value == sure and finding.fix is None


@pytest.mark.parametrize(
    "body",
    [
        "multiprocessing.Process(target=work, args=(args,)).start()\nargs.log = open('a', 'w')",
        "args.log = open('a', 'w')\nargs.log = None\nmultiprocessing.Process(target=work, args=(args,)).start()",
        "other = args.copy()\nother.log = open('a')\nmultiprocessing.Process(target=work, args=(args.name,)).start()",
    ],
)
def test_what_an_unknown_object_keeps_later_or_for_a_while(body: str) -> None:
    assert found(body) == []


def test_what_a_class_keeps_is_reported_once() -> None:
    (finding,) = found(
        "reader = Reader(threading.Lock())\nmultiprocessing.Process(target=work, args=(reader,)).start()"
    )
    assert finding.message.startswith("`self.lock` is")


KEPT = """\
import lmdb
from torch.utils.data import DataLoader, Dataset


def opened(path):
    env = lmdb.open(path)
    return env, len(path)


class Store:
    @staticmethod
    def open(path):
        return lmdb.open(path)


def plain(path):
    return lmdb.open(path)


TABLE = {{"plain": plain}}


class Rows(Dataset):
    def __init__(self, path):
        {stores}

    def __len__(self):
        return 3

    def __getitem__(self, index):
        {reads}
        return index
    {more}

for row in DataLoader(Rows("rows"), num_workers=2):
    print(row)
"""


def kept(stores: str, reads: str = "pass", more: str = "") -> list[Finding]:
    """The findings about a dataset whose constructor does this."""
    text = KEPT.format(stores=stores, reads=reads, more=more)
    return [each for each in find(Project(MemoryFiles({"run.py": text.encode()}))) if each.confidence.value == "proven"]


@pytest.mark.parametrize(
    ("stores", "line"),
    [
        ("self.env, *self.sizes = opened(path)", 6),
        ("self.env = Store.open(path)", 13),
        ("self.env = TABLE['plain'](path)", 17),
    ],
)
def test_what_other_code_makes_for_a_class(stores: str, line: int) -> None:
    (finding,) = kept(stores)
    assert finding.span.line == line and "is an LMDB environment" in finding.message and finding.fix is None


def test_what_the_look_at_the_class_sees_has_its_fix() -> None:
    (finding,) = kept("self.env = plain(path)")
    assert finding.span.line == 25 and finding.fix is not None


@pytest.mark.parametrize(
    ("stores", "reads", "more"),
    [
        ("self.env, self.size = opened(path)\n        self.env = None", "pass", ""),
        ("self.path = path", "self.env, self.size = opened(self.path)", ""),
        (
            "self.env, self.size = opened(path)",
            "pass",
            "\n    def __getstate__(self):\n        return {**self.__dict__, 'env': None}\n",
        ),
    ],
)
def test_what_is_not_there_when_the_object_is_sent(stores: str, reads: str, more: str) -> None:
    assert kept(stores, reads, more) == []


@pytest.mark.parametrize("walk", ["iter(open(path))", "enumerate(open(path))", "zip(open(path), open(path))"])
def test_an_open_file_that_is_walked_over(walk: str) -> None:
    (finding,) = kept(f"self.lines = {walk}")
    assert finding.fix is None and "open it where the lines are read" in (finding.reason or "")


@pytest.mark.parametrize("walk", ["list(open(path))", "enumerate(sorted(open(path)))", "iter([path])"])
def test_lines_that_are_read_at_once(walk: str) -> None:
    assert kept(f"self.lines = {walk}") == []


FILES_OR_ROWS = """\
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return 2

    def __getitem__(self, at):
        return at


def rows():
    yield 1


def read(files, size=1):
    {test}:
        loader = DataLoader(Files(files), num_workers=2)
    else:
        loader = files
    for batch in loader:
        print(batch)


if __name__ == "__main__":
    read(rows())
"""


@each_row(
    ("test", "reported"),
    [
        ("if size", True),
        ("if isinstance(files, list)", False),
        ("if isinstance(files, (list, tuple)) and size", False),
        ("if isinstance(files, list) or size", True),
        ("if isinstance(files, (list, Generator))", True),
        ("if isinstance(files, Iterator)", True),
        ("if isinstance(size, int)", True),
        ("if not isinstance(files, list)", True),
    ],
)
def test_a_parameter_that_is_asked_for_its_type(test: str, reported: bool) -> None:
    program = FILES_OR_ROWS.format(test=test)
    said = [each.message for each in find(Project(MemoryFiles({"run.py": program.encode()})))]
    assert any("is a generator" in message for message in said) is reported


ENUM = """\
import enum
import threading
from multiprocessing import Pool


class Base(enum.Enum):
    {base}


class Shared(Base):
    GUARD = threading.Lock()
    COUNT = 3


class Plain:
    GUARD = Shared.COUNT


def work(part):
    print(part)


if __name__ == "__main__":
    with Pool(2) as pool:
        pool.map(work, [{sent}])
"""


@each_row(
    ("sent", "base", "reported"),
    [
        ("Shared.GUARD", "pass", True),
        ("Shared.GUARD.value", "pass", True),
        ("Shared.GUARD._value_", "pass", True),
        ("Shared.GUARD.name", "pass", False),
        ("Shared.COUNT.value", "pass", False),
        ("Plain.GUARD.value", "pass", False),
        ("Shared.GUARD.value", "def __new__(cls, guard):\n        return cls.of(guard)", False),  # it may be another
    ],
)
def test_the_value_of_a_member(sent: str, base: str, reported: bool) -> None:
    files = {"run.py": ENUM.format(sent=sent, base=base).encode()}
    assert [each.span.line for each in find(Project(MemoryFiles(files)))] == [11] * reported


CHOSEN = """\
import multiprocessing as mp
import queue
import threading

def fetch(rows, parallel=True):
    if parallel:
        items = {first}
        start = mp.Process
    else:
        items = {second}
        start = threading.Thread
    {more}
    runs = [start(target=print, args=(items, row)) for row in rows]
    for run in runs:
        run.start()

if __name__ == "__main__":
    fetch([1])
    fetch([2], parallel=False)
"""


@pytest.mark.parametrize(
    ("first", "second", "more", "lines"),
    [
        ("mp.Queue()", "queue.Queue()", "", []),
        ("queue.Queue()", "queue.Queue()", "", [7]),
        ("mp.Queue()", "queue.Queue()", "if len(rows) > 9:\n        start = mp.Process", [10]),
    ],
)
def test_what_goes_to_threads_in_the_branch_that_makes_it(first: str, second: str, more: str, lines: list[int]) -> None:
    files = {"a.py": CHOSEN.format(first=first, second=second, more=more).encode()}
    assert [each.span.line for each in find(Project(MemoryFiles(files)))] == lines


def test_what_options_take_along() -> None:
    """The reason names the object that keeps the options, and the attribute."""
    kept = PROGRAM.replace("self.lock = lock", "self.options = lock")
    body = "args.writer = SummaryWriter()\n    for row in DataLoader(Reader(args), num_workers=2):\n        print(row)"
    text = kept.format(body=body)
    (finding,) = find(Project(MemoryFiles({"run.py": text.encode()})))
    assert str(finding.reason).startswith(
        "`Reader` keeps the object that it is an attribute of, as `options`, and takes `writer` along"
    )


COPIES = """\
import copy
import threading
import weakref

import torch.distributed as dist
from torch import nn


def main():
    group, lock, net = dist.new_group([0]), threading.Lock(), nn.Linear(2, 2)
    {}


main()
"""


@each_row(
    "body, stops",
    [
        ("copy.deepcopy((net, group))", True),
        ("copy.deepcopy([1, {'lock': lock}])", True),
        ("pair = (net, group); copy.deepcopy(pair)", True),
        ("copy.deepcopy(nn.Sequential(nn.SyncBatchNorm(2, process_group=group)))", False),  # for model-deepcopy
        ("copy.copy((net, group))", False),
        ("import torch\n    copy.deepcopy(torch.jit.script(net))", False),
        ("import lxml.etree\n    copy.deepcopy([lxml.etree.parse('a.xml')])", False),  # it has a copier of its own
        ("copy.deepcopy([weakref.ref(net), lock.acquire])", False),  # taken as they are
        ("copy.deepcopy([lock], {id(lock): lock})", False),
        ("d = {'lock': lock, 'n': 1}; copy.deepcopy(d['n'])", False),
        ("d = {'lock': lock, 'n': 1}; [copy.deepcopy(v) for k, v in d.items() if k != 'lock']", False),
        ("copy.deepcopy({k: v for k, v in {'lock': lock}.items() if k != 'lock'})", False),
        ("d = {'lock': lock, 'n': 1}\n    d['lock'] = None\n    copy.deepcopy(d)", False),
        ("d = {'lock': lock, 'n': 1}\n    d.pop('lock')\n    copy.deepcopy(d)", False),
        ("d = {'lock': lock, 'n': 1}\n    copy.deepcopy(d)\n    del d['lock']", True),
        ("d = {'lock': lock, 'n': 1}\n    d.update(lock=None)\n    copy.deepcopy(d)", False),
        ("d = {'lock': lock, 'n': 1}\n    d = dict(d, lock=None)\n    copy.deepcopy(d)", False),
        ("d = {'lock': lock, 'n': 1}\n    d |= {'lock': None}\n    copy.deepcopy(d)", False),
        ("d = dict(lock=lock)\n    d.pop('lock')\n    copy.deepcopy(d)", False),
        ("d = {'lock': lock, 'n': 1}\n    net(d)\n    copy.deepcopy(d)", False),
        ("d = {'lock': lock, 'n': 1}\n    print(d, d['n'], d.get('n'), len(d))\n    copy.deepcopy(d)", True),
        ("d = {'lock': lock, 'n': 1}\n    copy.deepcopy(list(d))", False),
        ("items = [lock, 3]\n    first, *rest = items\n    copy.deepcopy(rest)", False),
        ("items = [3, lock]\n    items[-1:] = []\n    copy.deepcopy(items)", False),
        ("items = [3, lock]\n    del items[-1]\n    other = items\n    copy.deepcopy(other)", False),
        ("net.eval()\n    lock.acquire()\n    copy.deepcopy((net, lock))", True),
        ("net.data = {'lock': lock}\n    net.data.pop('lock')\n    copy.deepcopy(net.data)", False),
        ("try: copied = copy.deepcopy([lock])\n    except TypeError: copied = [lock]", False),
    ],
)
def test_copies_in_the_same_process(body: str, stops: bool) -> None:
    text = COPIES.format(body.replace("try: ", "try:\n        ").replace("Error: ", "Error:\n        "))
    every = find(Project(MemoryFiles({"run.py": text.encode()})))
    reported = [each for each in every if each.confidence.value != "possible"]
    assert bool(reported) is stops
    assert all("`copy.deepcopy` stops with" in each.message and each.fix is None for each in reported)
