"""Attributes of one class in many shapes: a row for each surrounding that decides what becomes of them."""

from __future__ import annotations

import pytest

from codemods.finding import Finding
from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

USE = """
if __name__ == "__main__":
    from multiprocessing import Pool
    Pool(2).map(Thing("a").run, [1])
"""
OLD = {"setup.py": b"setup(python_requires='>=3.6')"}  # where loggers can't be pickled


def found(text: str, **others: bytes) -> list[Finding]:
    files = {"main.py": text.encode(), **{name.replace("_py", ".py"): data for name, data in others.items()}}
    return list(RULE.find(Project(MemoryFiles(files))))


LOGGING = """\
import logging
{head}class Thing:
    def __init__(self, path):
        self.logger = logging.getLogger("x")
        self.path = path
    def run(self, n):
        self.logger.info(n)
        return n
{tail}"""


@each_row(
    ("head", "tail", "name", "new"),
    [
        ("", "", "logger", True),
        ('log = logging.getLogger("x")\n', "", "log", False),
        ('log = logging.getLogger("y")\n', "", "logger", True),
        ('class A: pass\nA.log = logging.getLogger("x")\n', "", "logger", True),
        ("logger = 1\n", "", "_logger", True),
        ("", "import os\n", "logger", True),
        ("import os\n", "from os import path\n", "logger", True),
    ],
)
def test_a_logger_of_the_module(head: str, tail: str, name: str, new: bool) -> None:
    text = LOGGING.format(head=head, tail=tail) + USE
    (finding,) = found(text, setup_py=OLD["setup.py"])
    assert finding.fix is not None and finding.fix.title == f"Say `{name}` instead of `self.logger`"
    texts = [edit.text for edit in finding.fix.edits]
    assert texts == ([f'\n\n{name} = logging.getLogger("x")'] if new else []) + ["", name]
    if new:  # below the last import above the class
        above = text[: finding.fix.edits[0].start]
        assert above.splitlines()[-1].startswith("import")
        assert "Thing" not in above


@each_row(
    "head",
    [
        "logger = _logger = 1\n",
        'log = logging.getLogger("x")\nlog = None\n',
        'log = logging.getLogger("x")\nif log:\n    log = None\n',
        'log = logging.getLogger("x")\ndef change():\n    global log\n    log = None\n',
        'log = logging.getLogger("x")\nfor log in []:\n    pass\n',
    ],
)
def test_no_logger_of_the_module_can_stand_for_it(head: str) -> None:
    """Both names are taken, or the module binds its logger's name once more."""
    (finding,) = found(LOGGING.format(head=head, tail="") + USE, setup_py=OLD["setup.py"])
    assert finding.fix is not None
    assert finding.fix.title == "Leave `self.logger` of `Thing` out of the pickle and make it anew in the copy"


LOCK = """\
import multiprocessing
from torch.utils.data import DataLoader
class Thing:
    def __init__(self, path):
        self.lock = multiprocessing.Lock()
    def __len__(self): return 1
    def __getitem__(self, n):
        with self.lock: return n

if __name__ == "__main__":
    {use}
"""
IN_CONTEXT = 'make it with the context of the processes that get it: `multiprocessing.get_context("spawn")`'


@each_row(
    ("use", "reason"),
    [
        ("DataLoader(Thing('a'), num_workers=2)", None),
        ("DataLoader(Thing('a'), num_workers=2, multiprocessing_context='fork')", None),
        ("DataLoader(Thing('a'), num_workers=2, multiprocessing_context='spawn')", IN_CONTEXT),
        ("DataLoader(Thing('a'), num_workers=2, multiprocessing_context='forkserver')", IN_CONTEXT),
        (
            "DataLoader(Thing('a'), num_workers=2, multiprocessing_context=multiprocessing.get_context('spawn'))",
            IN_CONTEXT,
        ),
        ("multiprocessing.Process(target=Thing('a').__getitem__).start()", None),
        ("ctx = multiprocessing.get_context('fork')\n    ctx.Process(target=Thing('a').__getitem__).start()", None),
        (
            "ctx = multiprocessing.get_context('spawn')\n    ctx.Process(target=Thing('a').__getitem__).start()",
            IN_CONTEXT,
        ),
        (
            "multiprocessing.Pool(2).map(Thing('a').__getitem__, [1])",
            "pass it where the processes are made (`args=`; of a pool `initializer=` and `initargs=`), or use one of "
            "`multiprocessing.Manager()`",
        ),
    ],
)
def test_a_lock_of_processes(use: str, reason: str | None) -> None:
    assert [each.reason for each in found(LOCK.format(use=use))] == ([] if reason is None else [reason])


@pytest.mark.parametrize(
    ("made", "fine"),
    [
        ("self.lock = multiprocessing.get_context('spawn').Lock()", True),
        ("ctx = multiprocessing.get_context('forkserver'); self.lock = [ctx.Lock() for _ in path]", True),
        ("self.ctx = multiprocessing.get_context(method='spawn'); self.lock = self.ctx.Event()", True),
        ("ctx = multiprocessing.get_context('fork'); self.lock = ctx.Lock()", False),
        ("ctx = multiprocessing.get_context(); self.lock = ctx.Lock()", False),
    ],
)
def test_a_lock_of_a_spawn_context_is_for_spawned_processes(made: str, fine: bool) -> None:
    use = "ctx = multiprocessing.get_context('spawn')\n    ctx.Process(target=Thing('a').__getitem__).start()"
    program = LOCK.format(use=use).replace("self.lock = multiprocessing.Lock()", made)
    assert [each.reason for each in found(program)] == ([] if fine else [IN_CONTEXT])


SLOTS = "the class of attrs has slots; write `__getstate__` and `__setstate__` by hand"
DEFINED = "the class is defined with `{}`; write `__getstate__` and `__setstate__` by hand"


@each_row(
    ("mark", "reasons"),
    [
        ("", []),
        ("@dataclass", [None]),
        ("@dataclass()", [None]),
        ("@dataclass(frozen=True)", [None]),
        ("@dataclass(slots=False)", [None]),
        ("@dataclass(slots=True)", [DEFINED.format("slots")]),
        ("@attr.s(auto_attribs=True)", [None]),
        ("@attr.s(frozen=True)", [DEFINED.format("frozen")]),
        ("@attr.attrs", [None]),
        ("@attrs.define", [SLOTS]),
        ("@attrs.define(slots=False)", [SLOTS]),
        ("@print", []),
    ],
)
def test_fields(mark: str, reasons: list[str | None]) -> None:
    text = f"import attr, attrs, threading\nfrom dataclasses import dataclass\n{mark}\nclass Thing:\n    name: str\n"
    text += "    lock: object = threading.Lock()\n    def run(self, n):\n        with self.lock: return n\n"
    assert [each.reason for each in found(text + USE)] == reasons


@each_row(
    ("empty", "fill", "again"),
    [
        ("{}", "self.files['a'] = open(path)", ["self.files['a'] = open(self.path)"]),
        ("{}", "self.files[path] = open(path)", ["self.files[self.path] = open(self.path)"]),
        ("[]", "self.files.append(open(path))", ["self.files.append(open(self.path))"]),
        ("{}", "for p in path: self.files[p] = open(p)", ["for p in self.path:", "    self.files[p] = open(p)"]),
        ("[]", "for p in path: self.files.append(open(p))", ["for p in self.path:", "    self.files.append(open(p))"]),
    ],
)
def test_what_is_filled_is_filled_anew(empty: str, fill: str, again: list[str]) -> None:
    text = f"class Thing:\n    def __init__(self, path):\n        self.path = path\n        self.files = {empty}\n"
    text += f"        {fill}\n    def run(self, n):\n        return self.files\n"
    (finding,) = found(text + USE)
    assert finding.fix is not None and finding.fix.unsafe is None
    lines = "".join(edit.text for edit in finding.fix.edits).splitlines()
    at = lines.index(f"        self.files = {empty}")
    assert [line.removeprefix("        ") for line in lines[at + 1 :]] == again


@each_row(
    ("more", "reasons"),
    [
        ("other = lock", [None]),
        ("f(lock)", [None]),
        ("self.other = f(lock)", [None]),
        (
            "self.other = lock",
            ["line 6 keeps it as well; set that to `self.lock`", "line 5 keeps it as well; set that to `self.other`"],
        ),
        (
            "Keeper(lock)",
            [
                "it is passed in (main.py:6), so other objects may share it; pass what it is opened with, and open it "
                "in the class",
                "line 6 passes it to `Keeper`, which may keep it too; let one of them own it",
            ],
        ),
    ],
)
def test_a_local_that_is_kept(more: str, reasons: list[str | None]) -> None:
    text = "import threading\nclass Thing:\n    def __init__(self, path):\n        lock = threading.Lock()\n"
    text += f"        self.lock = lock\n        {more}\n    def run(self, n):\n        with self.lock: return n\n"
    text += "class Keeper:\n    def __init__(self, held):\n        self.held = held\n"
    findings = found(text + USE)
    assert sorted(map(str, (each.reason for each in findings))) == sorted(map(str, reasons))


TOOL = """\
{head}class Thing:
    def __init__(self, path):
        self.tool = tool
        self.path = path
    def run(self, n):
        return self.tool.dumps(n)
"""


@each_row(
    ("head", "by_name"),
    [
        ("import json as tool\n", True),
        ("import json as tool\nimport pickle as tool\n", True),  # the name has one value when methods run
        ("if __debug__:\n    import json as tool\n", False),
        ("try:\n    import json as tool\nexcept ImportError:\n    import pickle as tool\n", False),
        ("import json as tool\ndef change():\n    global tool\n    del tool\n", False),
        ("import json as tool\ndef change():\n    global tool\n    import pickle as tool\n", False),
    ],
)
def test_a_module_by_its_name(head: str, by_name: bool) -> None:
    (finding,) = found(TOOL.format(head=head) + USE)
    assert (finding.fix is not None and finding.fix.title == "Say `tool` instead of `self.tool`") is by_name
