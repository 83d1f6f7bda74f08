"""What a module keeps for a whole process, in whatever form: the main process changes it, and workers ask for it."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.main_changes import is_reported, program
from harness.small import reported

METER = """\
class Meter:
    def __init__(self):
        self.total = 0
    def update(self, value):
        self.total += value
        return self
    __call__ = None
    def get(self):
        return self.total
    def __lshift__(self, value):
        self.total = value
        return self
    def __enter__(self):
        self.total = 1
    def __exit__(self, *rest):
        self.total = 0
meter = Meter()
update, get = meter.update, meter.get
tell = meter.get
note = meter.update
TABLE = {"a": Meter(), "b": Meter()}
def current():
    return meter"""
ROWS = """\
class Rows:
    size = 1
    rows = {}
    numbers = itertools.count()
    def put(self, key):
        self.rows[key] = 1
    def __init__(self):
        self.number = next(Rows.numbers)
class Other:
    size = 1
class Color(enum.Enum):
    RED = 1
class One:
    kept = None
    def __new__(cls):
        if cls.kept is None:
            cls.kept = super().__new__(cls)
            cls.kept.names = []
        return cls.kept"""


@each_row(
    ("made", "read", "change"),
    [
        (METER, "meter.total", "note(3)"),
        (METER, "tell()", "meter.update(3)"),
        (METER, "meter.total", "meter << 3"),
        (METER, "meter.total", "current().total = 3"),
        (METER, "TABLE['a'].total", "for each in TABLE.values(): each.total = 3"),
        (METER, "TABLE['a'].total", "first = TABLE['a']\nfirst.total = 3"),
        ("def option(k, v=0, t={'a': 1}):\n    if v: t[k] = v\n    return t[k]", "option('a')", "option('a', 3)"),
        (ROWS, "Rows.size", "for cls in (Rows, Other): cls.size = 3"),
        (ROWS, "len(Rows.rows)", "Rows().put(3)"),
        (ROWS, "Rows().number", "Rows()"),
        (ROWS, "Color.RED.note", "Color.RED.note = 3"),
        (ROWS, "len(One().names)", "One().names.append(3)"),
        ("DONE = threading.Event()", "DONE.is_set()", "DONE.set()"),
        ("TODO = queue.Queue()", "TODO.qsize()", "TODO.put(3)"),
        ("TEXT = io.StringIO()", "TEXT.getvalue()", "TEXT.write('a')"),
        ("LIVE = weakref.WeakSet()", "len(LIVE)", "LIVE.add(main)"),
        ("HEAP = [3, 4]", "HEAP[0]", "heapq.heappush(HEAP, 1)"),
        ("HEAP = [3, 4]", "HEAP[0]", "random.Random(3).shuffle(HEAP)"),
        ("HEAP = [3, 4]", "HEAP[0]", "HEAP[:] = [5]"),
        ("A = np.zeros(3)", "A.sum()", "np.add(A, 1, out=A)"),
        ("A = np.zeros(3)", "A.sum()", "np.copyto(A, 1)"),
        ("A = np.zeros(3)", "A.sum()", "A.fill(1)"),
        ("A = np.zeros(3)", "A.sum()", "part = A[1:]\npart += 1"),
        ("NET = nn.Linear(1, 1)", "float(NET.weight)", "nn.init.constant_(NET.weight, 3)"),
        ("NET = nn.Linear(1, 1)", "NET(x)", "NET.load_state_dict({})"),
        ("NET = nn.Dropout(0.5)", "NET.training", "NET.eval()"),
        ("ROWS = []", "len(ROWS)", "list(map(ROWS.append, range(3)))"),
        ("ROWS = []\ndef fill():\n    ROWS.append(1)", "len(ROWS)", "threading.Thread(target=fill).start()"),
        ("A = {'n': 1}\ndef each(f):\n    f(3)", "A['n']", "each(lambda v: A.update(n=v))"),
        ("A = {'n': [1]}\nB = [2]", "len(A['n'])", "a, b = A['n'], B\na.append(3)"),
        ("size = 1", "size", "exec('size = 5', globals())"),
        ("size = 1", "size", "globals()['size'] = 5"),
        ("size = 1", "size", "setattr(sys.modules[__name__], 'size', 5)"),
    ],
)
def test_changed_by_the_main_process(made: str, read: str, change: str) -> None:
    assert is_reported(made, read, change)


@each_row(
    ("made", "read", "change"),
    [
        (METER, "meter.total", "print(tell())"),
        (METER, "x", "note(3)"),
        (METER, "TABLE['a'].total", "for each in TABLE.values(): print(each.total)"),
        (ROWS, "Rows.size", "for cls in (Rows, Other): print(cls.size)"),
        (ROWS, "Rows.size", "Rows().put(3)"),
        ("DONE = threading.Event()", "DONE.is_set()", "print(DONE.is_set())"),
        ("DONE = threading.Event()", "x", "DONE.set()"),
        ("ROWS = []\ndef show():\n    print(ROWS)", "len(ROWS)", "threading.Thread(target=show).start()"),
        ("A = {'n': 1}\ndef each(f):\n    f(3)", "A['n']", "each(lambda v: print(A['n']))"),
        ("A = {'n': [1]}\nB = [2]", "len(A['n'])", "a, b = A['n'], B\nb.append(3)"),
        ("HEAP = [3, 4]", "HEAP[0]", "print(heapq.nsmallest(1, HEAP))"),
        ("A = np.zeros(3)", "A.sum()", "b = np.add(A, 1)"),
        ("A = np.zeros(3)", "A.sum()", "part = A[1:]\npart = part + 1"),
        ("NET = nn.Linear(1, 1)", "NET(x)", "NET.state_dict()"),
        ("size = 1", "size", "print(globals()['size'])"),
    ],
)
def test_look_alikes(made: str, read: str, change: str) -> None:
    assert not is_reported(made, read, change)


PLUGIN = {
    "table.py": "TABLE = {}\n\ndef register(function):\n    TABLE[function.__name__] = function\n    return function\n",
    "plugin.py": "from table import register\n\n@register\ndef fast(x):\n    return x\n",
}


@pytest.mark.parametrize(
    ("above", "change", "found"),
    [
        ("", "import plugin", True),
        ("import importlib", "importlib.import_module('plugin')", True),
        ("import plugin", "print(3)", False),
    ],
)
def test_a_file_that_only_the_main_process_imports(above: str, change: str, found: bool) -> None:
    made = f"{above}\nfrom table import TABLE"
    train = program(made, "sorted(TABLE)", change)
    assert bool(reported({**PLUGIN, "train.py": train}, "main-guard")) is found


@each_row(
    ("read", "change", "found"),
    [
        ("LOG.isEnabledFor(10)", "LOG.setLevel(10)", True),
        ("LOG.level", "logging.basicConfig(level=10)", True),
        ("len(LOG.handlers)", "LOG.addHandler(logging.NullHandler())", True),
        ("LOG.getEffectiveLevel()", "LOG.setLevel(10)", True),
        ("LOG.hasHandlers()", "LOG.addHandler(logging.NullHandler())", True),
        ("LOG.filters", "LOG.addFilter(str)", True),
        ("LOG.propagate", "LOG.propagate = False", True),
        ("LOG.disabled", "LOG.disabled = True", True),
        ("LOG.name", "LOG.setLevel(10)", False),
        ("LOG.isEnabledFor(10)", "print(LOG.level)", False),
    ],
)
def test_what_loggers_are_set_to(read: str, change: str, found: bool) -> None:
    assert is_reported("import logging\nLOG = logging.getLogger('a')", read, change) is found


MAPPED = """\
class Grid:
    def __init__(self, path):
        self.rows = np.memmap(path, dtype="i4", mode="{mode}", shape=(3,))
        self.size = 3
    def fill(self, value):
        {write}
def child(grid, value):
    grid.fill(value)"""


@each_row(
    ("mode", "write", "found"),
    [
        ("w+", "self.rows[:] = value", True),
        ("r+", "self.rows.fill(value)", True),
        ("r+", "self.rows += value", True),
        ("r", "self.rows[:] = value", False),  # fails today
        ("w+", "print(self.rows[0])", False),
        ("w+", "self.size = value", False),
    ],
)
def test_a_mapped_file_that_a_worker_writes_to(mode: str, write: str, found: bool) -> None:
    made = MAPPED.format(mode=mode, write=write)
    train = program(made, "x", "pass", start="pool.apply(child, (Grid('a'), 3))")
    assert bool(reported({"train.py": train}, "main-guard")) is found


@pytest.mark.parametrize("imported", ["from common import *", "from common import Process", "import common"])
def test_a_process_by_way_of_another_file(imported: str) -> None:
    process = "common.Process" if imported == "import common" else "Process"
    train = f"{imported}\n\ndef work():\n    print(3)\n\np = {process}(target=work)\np.start()\np.join()\n"
    files = {"common.py": "from multiprocessing import Process\nSIZE = 3\n", "train.py": train}
    assert reported(files, "main-guard")
    assert not reported({**files, "common.py": "from threading import Thread as Process\nSIZE = 3\n"}, "main-guard")


ALIASES = """\
STATE = {{"n": 1}}
class Log:
    def __init__(self):
        self.rows = []
LOG = Log()
class Task:
    def __init__(self, kept):
        self.kept = kept
    def run(self):
        return self.kept
def bump():
    {change}
def child(given, n):
    bump()
    return given
def note(given):
    return len(given)
{more}"""


@each_row(
    ("change", "args", "found"),
    [
        ("STATE['n'] += 1", "(STATE, 1)", True),
        ("LOG.rows.append(1)", "(LOG, 1)", True),
        ("LOG.rows.append(1)", "(Task(LOG), 1)", True),
        ("LOG.rows.append(1)", "(STATE, 1)", False),
        ("print(STATE)", "(STATE, 1)", False),
        ("STATE['n'] += 1", "(STATE['n'], 1)", False),
        ("STATE['n'] += 1", "(dict(STATE), 1)", False),
        ("STATE['n'] += 1", "(note(STATE), 1)", False),
    ],
)
def test_an_object_of_a_module_that_is_sent_as_well(change: str, args: str, found: bool) -> None:
    body = f"process = Process(target=child, args={args})\nprocess.start()"
    if "Task" in args:
        body = body.replace("target=child", "target=child_of_task")
    more = "from multiprocessing import Process\ndef child_of_task(task, n):\n    bump()\n    return task.run()"
    made = ALIASES.format(change=change, more=more)
    assert bool(reported({"train.py": program(made, "x", body)}, "main-guard")) is found


BUCKET = """\
def bucket(name):
    return hash(name) % 100
def place(name):
    return len(name)
class Shelf:
    def bucket(self, name):
        return len(name)"""


@each_row(
    ("read", "change", "found"),
    [
        ("hash(str(x))", "print(hash('1'))", True),
        ("bucket(str(x))", "print(bucket('1'))", True),
        ("bucket(str(x))", "print(place('1'))", False),
        ("bucket(str(x))", "print(Shelf().bucket('1'))", False),
        ("place(str(x))", "print(hash('1'))", False),
        ("hash(3)", "print(hash('1'))", False),
        ("hash(str(x))", "print(hash(1))", False),
    ],
)
def test_hashes_of_texts_on_both_sides(read: str, change: str, found: bool) -> None:
    assert bool(reported({"train.py": program(BUCKET, read, change)}, "main-guard")) is found


CACHED = """\
import multiprocessing as mp

CACHE = {{}}


def compute(word):
    return len(word)


def embed(word):
    if word in CACHE:
        return CACHE[word]
    {worker}
    return CACHE[word]


def child(words, q):
    q.put([embed(word) for word in words])


if __name__ == "__main__":
    {main}
    q = mp.Queue()
    process = mp.Process(target=child, args=(["a", "b"], q))
    process.start()
    process.join()
"""


@each_row(
    ("worker", "main", "found"),
    [
        ("CACHE[word] = compute(word)", "CACHE['a'] = 97", True),  # another value
        ("CACHE[word] = compute(word)", "CACHE['a'] = len('a')", True),  # of another function
        ("CACHE[word] = word * 2", "CACHE['a'] = '97'", True),  # no function
        ("CACHE[word] = compute(word)", "CACHE['a'] = compute('a')", False),  # of the same function
        ("found = compute(word); CACHE[word] = found", "CACHE['a'] = compute('a')", False),  # by another name
        ("CACHE[word] = compute(word)", "embed('a')", False),  # as workers do it
        ("CACHE[word] = compute(word)", "print(CACHE)", False),  # only read
        ("CACHE.update({word: 1})", "CACHE['a'] = 97", False),  # workers change all of it
    ],
)
def test_results_that_workers_keep_for_themselves(worker: str, main: str, found: bool) -> None:
    findings = reported({"a.py": CACHED.format(worker=worker, main=main)}, "main-guard")
    assert ["`CACHE`, which line 22 of a.py changes" in each.message for each in findings] == [True] * found
