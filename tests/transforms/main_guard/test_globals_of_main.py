"""Variables of modules and attributes of classes that main sets, in every way in which it may, and a worker reads."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.main_guard import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.main_changes import program
from harness.small import migrated, reported

MADE = """\
import conf, other
from conf import Table as Named
current = None
count: int = 0
other_name = 1
twice = 1
twice = 2
class Encoder:
    size = 4
    note: int = 1
    bare: int
    rows = []
    table = {}
    numbers = itertools.count()
    a, b = 1, 2
    def __init__(self):
        self.own = 1
    @classmethod
    def configure(cls, size):
        cls.size = size
    @classmethod
    def add(cls, row):
        cls.rows.append(row)
    @staticmethod
    def fixed(cls):
        cls.size = 3
    def apply(self):
        return self.size
    def set_own(self):
        self.size = 3
    def by_type(self):
        type(self).note = 3
    def by_class(self):
        self.__class__.note = 3
    def fill(self):
        self.rows.append(3)
    @print
    def filled(self):
        self.rows.append(3)
class Plain:
    size = 4
    own = 3
    def apply(self):
        return self.size
class Late(Plain):
    pass
class Color(enum.Enum):
    RED = 1
def choose(value):
    global current
    current = value
def choose_locally(value):
    current = value
def shadow(current):
    current = 3
def add_one():
    global count
    count += 1
def make():
    global current
    if current is None:
        current = 3
    return current
def ask(x):
    if current:
        print(x)
    return x
def log(x):
    if current is not None:
        logging.info(x)
    return x
def elsewhere(x):
    logger.info(Encoder.size)
    return x
"""
CONF = """\
width = 1
nothing: int
class Table:
    size = 1
    rows = []
def name():
    return 1
"""


def told(read: str, change: str) -> bool:
    findings = reported({"train.py": program(MADE, read, change), "conf.py": CONF, "other.py": CONF}, "main-guard")
    assert all("changes in the main process only" in each.message for each in findings)
    return bool(findings)


@each_row(
    ("read", "changes"),
    [
        (
            "current",
            [
                "choose(3)",
                "globals()['current'] = 3",
                "sys.modules[__name__].current = 3",
                "setattr(sys.modules[__name__], 'current', 3)",
                "globals().update(current=3)",
                "make()",
            ],
        ),
        ("count", ["add_one()"]),
        ("ask(x)", ["choose(3)"]),
        ("elsewhere(x)", ["Encoder.size = 3"]),
        (
            "conf.width",
            [
                "conf.width = 3",
                "conf.width += 3",
                "setattr(conf, 'width', 3)",
                "setattr(conf, x, 3)",
                "vars(conf).update(width=3)",
                "conf.__dict__.update(width=3)",
            ],
        ),
        ("conf.Table.size", ["conf.Table.size = 3", "Named.size = 3"]),
        (
            "Encoder.size",
            [
                "Encoder.size = 3",
                "Encoder.configure(3)",
                "setattr(Encoder, 'size', 3)",
                "setattr(Encoder, x, 3)",
                "vars(Encoder).update(size=3)",
                "for cls in (Encoder, Plain): cls.size = 3",
                "del Encoder.size",
                "Encoder.size += 1",
            ],
        ),
        ("Plain().apply()", ["Plain.size = 3"]),
        ("Late().apply()", ["Plain.size = 3"]),
        ("Late.size", ["Plain.size = 3"]),
        ("Encoder.note", ["Encoder.note = 3", "Encoder().by_type()", "Encoder().by_class()"]),
        (
            "Encoder.rows",
            [
                "Encoder.rows.append(3)",
                "Encoder.add(3)",
                "Encoder().fill()",
                "Encoder.rows[0] = 3",
                "Encoder.rows = [3]",
            ],
        ),
        ("Encoder.table", ["Encoder.table['a'] = 3", "Encoder.table.update(a=3)", "del Encoder.table['a']"]),
        ("next(Encoder.numbers)", ["next(Encoder.numbers)"]),
        ("Color.RED.note", ["Color.RED.note = 3"]),
    ],
)
def test_what_a_worker_lacks(read: str, changes: list[str]) -> None:
    assert [change for change in changes if not told(read, change)] == []


@each_row(
    ("read", "changes"),
    [
        (
            "current",
            [
                "choose_locally(3)",
                "shadow(3)",
                "current = 3",
                "print(current)",
                "globals()['other'] = 3",
                "globals().get('current')",
                "setattr(conf, 'current', 3)",
                "choose",
                "conf.current = 3",
            ],
        ),
        ("x", ["choose(3)"]),
        ("twice", ["globals()['twice'] = 3"]),
        ("count", ["choose(3)"]),
        ("make()", ["choose(3)"]),
        (
            "conf.width",
            [
                "other.width = 3",
                "print(conf.width)",
                "setattr(other, 'width', 3)",
                "setattr(conf, 'other', 3)",
                "setattr(conf, 'width')",
                "vars(other).update(width=3)",
                "vars(conf, 1).update(width=3)",
                "dict(conf).update(width=3)",
                "conf.width == 3",
                "conf.nothing = 3",
                "conf.__doc__.update(width=3)",
                "x.width = 3",
            ],
        ),
        ("conf.nothing", ["conf.nothing = 3"]),
        (
            "Encoder.size",
            [
                "Plain.size = 3",
                "setattr(Plain, 'size', 3)",
                "Encoder.note = 3",
                "for cls in (Encoder, Plain): cls.note = 3",
                "for cls in (Encoder, Plain): print(cls.size)",
                "print(Encoder.size)",
                "Encoder().size",
            ],
        ),
        ("Plain().apply()", ["Encoder.size = 3", "Plain().size = 3", "Plain.own = 3"]),
        ("Encoder.bare", ["Encoder.bare = 3"]),
        ("Encoder.own", ["Encoder.own = 3"]),
        ("Encoder.missing", ["Encoder.absent = 3"]),
        (
            "Encoder.rows",
            ["Encoder.table['a'] = 3", "Encoder.rows.count(3)", "print(Encoder.rows[0])", "conf.Table.rows.append(3)"],
        ),
        ("next(Encoder.numbers)", ["print(Encoder.numbers)", "print(3, Encoder.numbers)"]),
        ("Color.RED.note", ["print(Color.RED.note)"]),
    ],
)
def test_what_a_worker_has(read: str, changes: list[str]) -> None:
    assert [change for change in changes if told(read, change)] == []


WORDS = """\
from multiprocessing import Pool
from tables import KINDS, kinds

WORDS = None
NAMES = None


def load(path):
    with open(path) as file:
        words = [line.strip() for line in file]
    return [word.replace("_", " ") for word in words]


def work(x):
    return WORDS[x], NAMES


def ground(path, items):
    global WORDS, NAMES
    if WORDS is None:
        WORDS = {value}
        NAMES = {names}
    with Pool(2) as pool:
        return pool.map(work, items)
"""
TABLES = "KINDS = ['is', 'has']\n\n\ndef kinds():\n    return (each for each in KINDS)\n"


@each_row(
    ("value", "names", "unsafe"),
    [
        pytest.param("load(path)", "KINDS", "", id="lines of a file, and a table of another file"),
        pytest.param("load(path)", "[name for name in KINDS]", "", id="items of a table of another file"),
        pytest.param("[row for row in unknown(path)]", "KINDS", "`WORDS` has to be pickled", id="unknown items"),
        pytest.param("load(path)", "kinds()", "can't be pickled", id="a generator"),
        pytest.param("[open(name) for name in KINDS]", "KINDS", "can't be pickled", id="files"),
    ],
)
def test_a_global_that_a_condition_sets_is_handed_over_as_it_is(value: str, names: str, unsafe: str) -> None:
    files = {"a.py": WORDS.format(value=value, names=names), "tables.py": TABLES}
    findings = list(RULE.find(Project(MemoryFiles({path: text.encode() for path, text in files.items()}))))
    assert len(findings) == 2
    for finding in findings:
        why = finding.reason if finding.fix is None else finding.fix.unsafe
        assert (unsafe in (why or "")) if unsafe else why is None
        if finding.fix is not None:
            assert "initargs=(NAMES, WORDS)" in "".join(edit.text for edit in finding.fix.edits)


TURNS = """\
from multiprocessing import Pool

LIMITS = {{"most": 3}}


def fill(x):
    LIMITS["most"] = x


def work(x):
    return x < LIMITS["most"]


def main(items, parallel, more):
    for item in items:
        if parallel:
            with Pool(2) as pool:
                print(pool.map(work, items))
        {otherwise}:
            fill(item)


if __name__ == "__main__":
    main([1, 2], True, False)
"""


@pytest.mark.parametrize(("otherwise", "found"), [("else", False), ("elif more", False), ("if more", True)])
def test_a_change_in_the_other_branch_of_a_start_is_of_no_run_with_workers(otherwise: str, found: bool) -> None:
    assert bool(reported({"a.py": TURNS.format(otherwise=otherwise)}, "main-guard")) is found


def test_values_that_a_line_has_no_room_for_stand_one_by_one() -> None:
    listed = [f"a_rather_long_name_of_a_table_{letter}" for letter in "abc"]
    sets = "".join(f"    {name} = {{}}\n" for name in listed)
    text = (
        f"from multiprocessing import Pool\n\n\ndef work(x):\n    return {', '.join(listed)}\n\n\n"
        f'if __name__ == "__main__":\n{sets}    with Pool(processes=4) as pool:\n        print(pool.map(work, [1]))\n'
    )
    fixed = migrated({"a.py": text}, "main-guard")["a.py"]
    assert max(map(len, fixed.splitlines())) <= 120
    call = fixed[fixed.index("with Pool(") : fixed.index(" as pool")]
    assert call.splitlines()[1:3] == ["        processes=4,", "        initializer=_init_worker,"]
    assert call.endswith(f"        initargs=({', '.join(listed)}),\n    )")


TWO_POOLS = """\
import argparse
from multiprocessing import Pool


def sized(row):
    return row * args.size


def looked_up(row):
    return row * table[row]


def first({parameter}):
    pool = Pool(2)
    print(pool.map(sized, [1]))


def second():
    pool = Pool(3)
    print(pool.map({both}, [1]))


if __name__ == "__main__":
    args = argparse.ArgumentParser().parse_args()
    table = {{1: 2}}
    table[2] = len(args)
    first(3)
    second()
"""


@pytest.mark.parametrize("both", ["looked_up", "sized"])
def test_what_hinders_at_one_pool_is_not_said_of_another(both: str) -> None:
    text = TWO_POOLS.format(parameter="args", both=both)
    found = {each.span.line: each for each in reported({"train.py": text}, "main-guard")}
    reason = found[6].reason or ""
    assert "where line 14 makes the pool, `args` is another variable" in reason
    assert (10 in found) is (both == "looked_up")
    assert all(each.fix is not None for line, each in found.items() if line == 10)


def test_each_pool_has_a_function_of_its_own() -> None:
    after = migrated({"train.py": TWO_POOLS.format(parameter="size", both="looked_up")}, "main-guard")["train.py"]
    assert "Pool(2, initializer=_init_worker, initargs=(args,))" in after
    assert "Pool(3, initializer=_init_pool_worker, initargs=(table,))" in after
    assert "def _init_worker(value):\n    global args\n" in after
    assert "def _init_pool_worker(value):\n    global table\n" in after
    same = migrated({"train.py": TWO_POOLS.format(parameter="size", both="sized")}, "main-guard")["train.py"]
    assert same.count("initializer=_init_worker, initargs=(args,)") == 2


@each_row(
    ("use", "words"),
    [
        (
            "DataLoader(rows, num_workers=2, worker_init_fn=lambda n: n, collate_fn=work)",
            "by the `worker_init_fn` of the loader",
        ),
        ("Process(None, work, None, (rows,)).start()", "as an argument (or by the `initializer` of a pool)"),
    ],
)
def test_the_reason_names_what_the_boundary_has(use: str, words: str) -> None:
    script = f"""\
from multiprocessing import Process
from options import parse
from torch.utils.data import DataLoader


def work(rows):
    if options.flip:
        print(rows)


def main(rows):
    return {use}


if __name__ == "__main__":
    options = parse()
    main([1])
"""
    (finding,) = reported({"a.py": script}, "main-guard")
    assert finding.fix is None and words in (finding.reason or "")


SENT = """\
from functools import partial
from multiprocessing import Pool

def work(by, row):
    return scale * by * row

def plain(by, row):
    return by * row

def main(each, rows):
    def inner(by, row):
        return scale * by * row
    step = partial({sent}, 2)
    with Pool(2) as pool:
        print(pool.map({passed}, rows), scale)

if __name__ == "__main__":
    scale = int(input())
    main(plain, [1, 2])
"""


@each_row(
    ("sent", "passed", "found"),
    [
        ("work", "step", True),
        ("plain", "step", False),
        ("each", "step", False),  # what it is called with, and not the function whose parameter it is
        ("plain", "each", False),
        ("inner", "step", False),  # it can't be pickled: where it moves out of `main`, it is found
        ("plain", "inner", False),
    ],
)
def test_the_function_that_a_partial_calls(sent: str, passed: str, found: bool) -> None:
    assert bool(reported({"a.py": SENT.format(sent=sent, passed=passed)}, "main-guard")) is found


TWO_STEPS = """\
from multiprocessing import Pool

def first(row):
    return row + 1 if whole else row

def second(row):
    return row * 2

def run(rows: list, number: int, value: bool) -> list:
    global whole
    whole = value
    with Pool(processes=number) as pool:
        rows = pool.map(first, rows, number)
    with Pool(processes=number) as pool:
        return pool.map({second}, rows, number)

if __name__ == "__main__":
    print(run([1, 2], 2, True))
"""


@each_row(("second", "begin"), [("second", 1), ("first", 2)])
def test_a_pool_that_is_sent_none_of_it_begins_as_before(second: str, begin: int) -> None:
    after = migrated({"a.py": TWO_STEPS.format(second=second)}, "main-guard")["a.py"]
    assert after.count("initializer=_init_worker, initargs=(whole,)") == begin
