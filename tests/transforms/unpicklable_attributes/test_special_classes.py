"""Classes whose attributes can't be set, and handles that stay closed."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import types

import pytest

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
SEND = "\n\nif __name__ == '__main__':\n    multiprocessing.Process(target=print, args=({value},)).start()\n"
FROZEN = """\
import multiprocessing
import threading
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Settings:
    name: str
    lock: threading.Lock = field(default_factory=threading.Lock, compare=False)
"""
CLOSED = """\
import multiprocessing


class Reader:
    def __init__(self, path):
        self.path = path
        self.file = None

    def first(self):
        if self.file is None:
            self.file = open(self.path)
        self.file.seek(0)
        return self.file.readline()

    def close(self):
        if self.file is not None:
            self.file.close()
"""


def test_a_frozen_dataclass(monkeypatch: pytest.MonkeyPatch) -> None:
    after = migrated({"a.py": FROZEN + SEND.format(value="Settings('a')")}, RULE)["a.py"]
    module = types.ModuleType("frozen_dataclass")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(after, "a.py", "exec"), module.__dict__)
    settings = module.Settings("a")
    copy = pickle.loads(pickle.dumps(settings))
    assert copy == settings and hash(copy) == hash(settings) and not copy.lock.locked()
    with pytest.raises(dataclasses.FrozenInstanceError):
        copy.name = "b"


def test_a_frozen_class_of_attrs() -> None:
    text = FROZEN.replace("from dataclasses import dataclass", "import attr").replace("@dataclass", "@attr.s")
    text = text.replace(", field", "").replace("field(default_factory", "attr.ib(factory")
    found = reasons({"a.py": text + SEND.format(value="Settings('a')")}, RULE, confidence=Confidence.POSSIBLE)
    assert all("write `__getstate__` and `__setstate__` by hand" in reason for reason in found)


def test_a_handle_that_stays_closed() -> None:
    sent = SEND.format(value="Reader('a.txt')")
    (reason,) = reasons({"a.py": CLOSED + sent}, RULE, confidence=Confidence.POSSIBLE)
    assert reason.startswith("line 17 closes it and keeps it, so that it stays closed")
    cleared = CLOSED + "            self.file = None\n"
    after = migrated({"a.py": cleared + sent}, RULE, confidence=Confidence.POSSIBLE)["a.py"]
    assert 'state["file"] = None' in after


SHARED = """\
import multiprocessing
import sys
import threading


{before}
class Registry{bases}:
    made = {{}}
{new}
    def __init__(self, name=""):
        self.name = name
        self.lock = threading.Lock()
"""
OLD_ONE = """
    def __new__(cls, name=""):
        if name not in cls.made:
            cls.made[name] = super().__new__(cls)
        return cls.made[name]
"""
NEW_ONE = """
    def __new__(cls, name=""):
        new = super().__new__(cls)
        cls.made[name] = new
        return new
"""
META = """\
class Single(type):
    made = {}

    def __call__(cls, *args):
        if cls not in cls.made:
            cls.made[cls] = super().__call__(*args)
        return cls.made[cls]


"""
PLAIN_META = """\
class Single(type):
    def __call__(cls, *args):
        return super().__call__(*args)


"""


def shared(before: str = "", bases: str = "", new: str = "") -> dict[str, str]:
    text = SHARED.format(before=before, bases=bases, new=new)
    return {"a.py": text + SEND.format(value="Registry('train')")}


def test_a_class_that_gives_an_object_again() -> None:
    (reason,) = reasons(shared(new=OLD_ONE), RULE)
    assert reason.startswith("`__new__` of `Registry` (a.py:10) may give an object that exists already")


def test_a_metaclass_that_gives_an_object_again() -> None:
    (reason,) = reasons(shared(before=META, bases="(metaclass=Single)"), RULE)
    assert reason.startswith("`__call__` of its metaclass (a.py:9) may give an object that exists already")


def test_the_metaclass_of_a_base_class() -> None:
    (reason,) = reasons(shared(before=META + "class Base(metaclass=Single):\n    pass\n\n\n", bases="(Base)"), RULE)
    assert "`__call__` of its metaclass (a.py:9)" in reason


def test_classes_that_make_a_new_object_each_time() -> None:
    assert "__setstate__" in migrated(shared(new=NEW_ONE), RULE)["a.py"]
    assert "__setstate__" in migrated(shared(before=PLAIN_META, bases="(metaclass=Single)"), RULE)["a.py"]


STREAM = """\
import contextlib
import io
import multiprocessing
import sys


class Recorder:
    def __init__(self):
        self.stream = {stream}

    def write(self, text):
        self.stream.write(text)


{more}
"""


def recorder(more: str, stream: str = "sys.stdout") -> dict[str, str]:
    return {"a.py": STREAM.format(more=more, stream=stream) + SEND.format(value="Recorder()")}


@each_row(
    "more",
    [
        "with contextlib.redirect_stdout(io.StringIO()):\n    Recorder()",
        "with contextlib.redirect_stderr(None):\n    Recorder()",
        "sys.stdout = io.StringIO()",
        "log = open('log', 'w')\nsys.stderr = log",
    ],
)
def test_a_stream_that_is_put_elsewhere(more: str) -> None:
    (reason,) = reasons(recorder(more), RULE)
    assert (
        "puts another stream in its place, and a copy would take the one that is there when it is unpickled" in reason
    )
    assert reason.startswith("a.py:1")


@each_row(
    ("more", "stream"),
    [
        ("", "sys.stdout"),
        ("sys.stdout = Recorder()", "sys.stdout"),
        ("before = sys.stdout\nsys.stdout = before", "sys.stderr"),
        ("sys.stdout = sys.__stdout__", "sys.stdout"),
        ("sys.stdout = io.StringIO()", "sys.__stdout__"),
    ],
)
def test_a_stream_that_stays(more: str, stream: str) -> None:
    assert (
        f"        self.stream = {stream}\n"
        in migrated(recorder(more, stream), RULE)["a.py"].partition("__setstate__")[2]
    )


CONNECTION = """\
import multiprocessing
import sqlite3


class Store:
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)

    def first(self):
        return self.db.execute("select * from runs").fetchone()


def prepare(store, limit):
    {code}
    return store
"""


def prepared(code: str) -> dict[str, str]:
    return {"a.py": CONNECTION.format(code=code) + SEND.format(value="prepare(Store('runs.db'), 3)")}


@each_row(
    ("code", "what"),
    [
        ("store.db.row_factory = sqlite3.Row", "sets `row_factory` on it"),
        ("store.db.create_function('half', 1, abs)", "calls `create_function` on it"),
        ("store.db.execute('PRAGMA query_only = on')", "changes the database"),
        ("store.db.execute(f'create temp view good as select {limit}')", "changes the database"),
        ("store.db.execute(' create temp view %s as select 1' % limit)", "changes the database"),
        ("store.db.execute('attach {} as more'.format(limit))", "changes the database"),
    ],
)
def test_a_connection_that_is_set_up_from_outside(code: str, what: str) -> None:
    (reason,) = reasons(prepared(code), RULE)
    assert reason == f"a.py:15 {what}, and a new one would not have that; do it right after it is opened"


@pytest.mark.parametrize("code", ["print(store.db.execute('select 1'))", "print(store.db.total_changes)", "pass"])
def test_a_connection_that_is_only_asked(code: str) -> None:
    assert "sqlite3.connect" in migrated(prepared(code), RULE)["a.py"].partition("__setstate__")[2]


@pytest.mark.parametrize("code", ["self.db.execute('select 1')", "sqlite3.connect(path).executemany('select ?', [])"])
def test_a_cursor_with_the_rest_of_its_rows(code: str) -> None:
    text = CONNECTION.replace("sqlite3.connect(path)\n", f"sqlite3.connect(path)\n        self.rest = {code}\n")
    found = reasons({"a.py": text.format(code="pass") + SEND.format(value="Store('runs.db')")}, RULE)
    assert len(found) == 2
    assert sum("keep the rows (`fetchall`), or run the query where they are read" in each for each in found) == 1
    assert sum("`self.rest` (line 9) can't be fixed" in each for each in found) == 1, found


STARS = """\
import lmdb
{imports}
class Rows({base}):
    def __init__(self, path):
        self.env = lmdb.open(str(path), readonly=True, lock=False)
    def __len__(self):
        return 3
    def __getitem__(self, at):
        return self.env.begin().get(b'x')
"""


@each_row(
    ("imports", "base", "known"),
    [
        pytest.param("from fastai.vision import *", "Dataset", True, id="of torch, by fastai"),
        pytest.param("from fastai.vision import *", "ImageList", False, id="of fastai"),
        pytest.param("from somewhere import *", "Dataset", False, id="of a package that is not known"),
        pytest.param("from fastai.vision import *\nfrom rows import *", "Dataset", False, id="two star imports"),
    ],
)
def test_base_class_by_a_star_import(imports: str, base: str, known: bool) -> None:
    files = {"a.py": STARS.format(imports=imports, base=base)}
    fixes = [found.fix for found in reported(files, "unpicklable-attributes", confidence=Confidence.POSSIBLE)]
    assert [fix is not None and fix.unsafe is None for fix in fixes] == [known]


def test_an_object_made_without_its_constructor_that_gets_a_file() -> None:
    code = """\
class Reader:
    def __init__(self, path):
        self.file = open(path)

    @classmethod
    def of(cls, file):
        self = cls.__new__(cls)
        self.file = file
        return self

    def run(self, n):
        return self.file.name, n


if __name__ == '__main__':
    from multiprocessing import Pool
    print(Pool(2).map(Reader('a.py').run, [1]))
"""
    (finding,) = reported({"a.py": code}, "unpicklable-attributes")
    assert finding.fix is None
    assert (finding.reason or "").startswith("a.py:8 sets it from outside")


DROPPED = """\
import threading
from multiprocessing import Process


class Trainer:
    def __init__(self):
        self.lock = threading.Lock()

    def run(self):
        self.{name} = None
        Process(target=self.work).start()

    def work(self):
        print(self)


class Other(Trainer):
    pass


{made}
"""


@each_row(
    ("name", "made", "found"),
    [
        ("lock", "Other().work()\nTrainer().run()", False),  # what is below and never sent does not matter
        ("lock", "Other().run()", False),
        ("lock", "Trainer().run()\nProcess(target=Other().work).start()", True),
        ("loss", "Trainer().run()", True),
    ],
)
def test_what_is_given_up_before_the_start(name: str, made: str, found: bool) -> None:
    assert bool(reported({"a.py": DROPPED.format(name=name, made=made)}, RULE)) is found


@pytest.mark.parametrize(
    ("made", "error"), [("Condition()", "`cannot pickle '_thread.RLock' object`"), ("Condition(LOCK)", "`TypeError`")]
)
def test_the_error_of_a_condition_is_that_of_its_lock(made: str, error: str) -> None:
    text = (
        "import multiprocessing\nfrom threading import Condition, Lock\n\nLOCK = Lock()\n\n\nclass Box:\n"
        f"    def __init__(self):\n        self.full = {made}\n"
    )
    (found,) = reported({"a.py": text + SEND.format(value="Box()")}, RULE)
    assert found.message.endswith(f"stops with {error}")
