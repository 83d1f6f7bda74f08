"""unpicklable-attributes: what is found, what is written, what is refused; runnable cases are in before_after/."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence, Finding
from codemods.project import Project
from codemods.syntax.unpicklable_table import Remedy, kinds
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

USE = """

if __name__ == "__main__":
    from multiprocessing import Pool
    print(Pool(2).map(Thing("a").run, [1]))
"""


def found(code: str, **others: str) -> list[Finding]:
    """Findings in a file `code` (and others), where something crosses."""
    files = {"main.py": code + USE, **{name.replace("__", "."): text for name, text in others.items()}}
    return list(RULE.find(Project(MemoryFiles({name: text.encode() for name, text in files.items()}))))


def thing(body: str, head: str = "", base: str = "") -> str:
    """A class `Thing(base)` whose `__init__(self, path)` has `body`, and a method that a pool calls."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    made = f"{head}\n\nclass Thing{base}:\n    def __init__(self, path):\n{lines}"
    return f"{made}\n    def run(self, n):\n        return n\n"


def fixed(code: str) -> str:
    """`code` with the only fix applied."""
    findings = found(code)
    fixes = {finding.fix for finding in findings}
    assert len(fixes) == 1 and None not in fixes, [finding.reason for finding in findings]
    text = code
    for edit in sorted(next(iter(fixes)).edits, key=lambda edit: -edit.start):  # type: ignore[union-attr]
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@each_row(
    ("head", "body", "error"),
    [
        pytest.param("import threading as t", "self.x = t.Lock()", "_thread.lock", id="module alias"),
        pytest.param("from threading import RLock as L", "self.x = L()", "_thread.RLock", id="name alias"),
        pytest.param("import h5py", "f = h5py.File(path, 'r')\nself.x = f", "h5py objects", id="local name"),
        pytest.param(
            "import h5py", "self.x = h5py.File(path, 'r') if path else None", "h5py objects", id="conditional"
        ),
        pytest.param("", "self.x = open(path, 'rb')", "_io.BufferedReader", id="binary file"),
        pytest.param("", "self.x = {k: open(k) for k in [path]}", "_io.TextIOWrapper", id="in a dict"),
        pytest.param("import lmdb", "self.x = lmdb.open(path)", "Environment", id="lmdb"),
        pytest.param("import json", "self.x = json", "module", id="module"),
        pytest.param("import numpy as np", "self.x = np.random", "module", id="module of a package"),
        pytest.param("from numpy import random", "self.x = random", "module", id="module from a package"),
        pytest.param(
            "from pycocotools import mask", "self.x = mask", "module", id="module from a package not installed"
        ),
        pytest.param("import numpy as np", "rng = np.random\nself.x = rng", "module", id="module by a local name"),
        pytest.param("from pathlib import Path", "self.x = Path(path).open()", "TextIOWrapper", id="file of a path"),
        pytest.param(
            "import functools", "self.x = functools.lru_cache(8)(self.run)", "_lru_cache_wrapper", id="cached function"
        ),
    ],
)
def test_is_found_and_made_again(head: str, body: str, error: str) -> None:
    findings = found(thing(body, head))
    assert [error in finding.message for finding in findings] == [True]
    assert findings[0].confidence is Confidence.PROVEN
    assert findings[0].fix is not None and findings[0].fix.unsafe is None
    assert findings[0].trace[0].what.endswith("is stored as `self.x`")


@each_row(
    ("head", "body"),
    [
        pytest.param("import json", "self.x = json.load(open(path))", id="read at once"),
        pytest.param("import numpy as np", "self.x = np.random.RandomState(1)", id="an object of a module"),
        pytest.param("import mine as np", "self.x = np.random", id="an attribute of another name"),
        pytest.param("import numpy as np", "self.y = Y(path)\nself.x = self.y.random", id="an attribute of an object"),
        pytest.param("import h5py", "self.x = h5py.File(path, 'r')['a'][:]", id="array from a file"),
        pytest.param("import h5py", "self.x = h5py.File(path, 'r')[str(path)][()]", id="array from a part of a file"),
        pytest.param("import numpy as np", "self.x = np.load('a.npz')['mean']", id="array from npz"),
        pytest.param("from mine import Lock", "self.x = Lock()", id="somebody else's Lock"),
        pytest.param("import logging", "self.x = logging.getLogger(path)", id="loggers are pickled by name"),
        pytest.param("import multiprocessing as mp", "x = mp.Pool(2)\nself.n = 2", id="local pool"),
    ],
)
def test_look_alikes(head: str, body: str) -> None:
    assert found(thing(body, head)) == []


@each_row(
    ("head", "body", "reason"),
    [
        pytest.param("import h5py", "self.x = h5py.File(path, 'a')", "open for writing", id="append mode"),
        pytest.param(
            "import h5py, os", "self.x = h5py.File(path, os.getenv('M'))", "decided elsewhere", id="mode from outside"
        ),
        pytest.param("import threading", "self.x = path or threading.Lock()", "passed in", id="shared lock"),
        pytest.param("import threading", "self.x = threading.Thread()", "a thread can't go along", id="thread"),
        pytest.param("import weakref", "self.x = weakref.ref(path)", "keep the object itself", id="weak reference"),
        pytest.param("", "for p in path:\n    self.x = open(p)", "in a loop", id="loop"),
        pytest.param("", "with open(path) as f:\n    self.x = f", "closes it again", id="with"),
        pytest.param("from m import find", "self.x = open(find(path))", "another value the second time", id="call"),
        pytest.param("", "self.x = open(path)\nif path:\n    self.x = 3", "something else", id="two meanings"),
        pytest.param(
            "import threading", "a = threading.Lock()\nself.x = a\nself.y = a", "keeps it as well", id="kept twice"
        ),
        pytest.param("", "f = open(path)\nf.readline()\nself.x = f", "calls `readline`", id="read by another name"),
        pytest.param("", "self.x = [open(path)]\nnext(self.x[0])", "may be read from", id="read in a list"),
        pytest.param(
            "import sqlite3",
            "c = sqlite3.connect(path)\nc.row_factory = dict\nself.x = c",
            "row_factory",
            id="set up before",
        ),
        pytest.param(
            "import sqlite3",
            "self.x = sqlite3.connect(path)\nc = self.x\nc.row_factory = dict",
            "row_factory",
            id="alias",
        ),
        pytest.param(
            "import h5py",
            "self.x = {}\nfor p in path:\n    if p:\n        self.x[p] = h5py.File(p, 'r')",
            "under a condition",
            id="filled under a condition",
        ),
        pytest.param(
            "",
            "self.x = []\nfor p in path:\n    self.x.append(open(p, 'w'))",
            "open for writing",
            id="filled for writing",
        ),
        pytest.param(
            "",
            "self.x = []\nfor p in path:\n    self.x.append(open(p))\nself.x.pop()",
            "changes it too",
            id="filled and changed",
        ),
        pytest.param(
            "import multiprocessing as mp",
            "self.x = mp.get_context('fork').Lock()",
            "context of the processes",
            id="lock of another context",
        ),
        pytest.param(
            "import logging", "self.x = logging.Logger('a')", "ask `logging.getLogger`", id="logger without name"
        ),
    ],
)
def test_refused(head: str, body: str, reason: str) -> None:
    findings = found(thing(body, head))
    assert findings and all(finding.fix is None for finding in findings)
    assert reason in (findings[0].reason or "")


READER = """
import h5py

class Reader:
    def __init__(self, path, mode="r"):
        self.path = path
        self.file = h5py.File(path, mode)

class Thing(Reader):
    def __init__(self, path, tag=""):
        super().__init__(path)

    def run(self, n):
        return self.file["x"][n]
"""


@each_row(
    ("more", "reason"),
    [
        pytest.param("", None, id="the default"),
        pytest.param("other = Reader('b', mode='r')\n", None, id="for reading"),
        pytest.param("ok = isinstance(Thing, Reader)\n", None, id="no call"),
        pytest.param("new = Reader('b', 'w')\n", "open for writing (`w`)", id="written elsewhere"),
        pytest.param("new = Reader('b', mode=choose())\n", "decided elsewhere", id="chosen"),
        pytest.param("new = Reader(*arguments)\n", "decided elsewhere", id="packed"),
        pytest.param("new = Reader('b', **options)\n", "decided elsewhere", id="keywords"),
        pytest.param("make = Reader\n", "decided elsewhere", id="under another name"),
        pytest.param("new = READERS['Reader']('b', 'w')\n", "decided elsewhere", id="by its name"),
        pytest.param("def open_it(cls=Reader): pass\n", "decided elsewhere", id="as a default"),
        pytest.param(
            "class Writer(Reader):\n    def __init__(self):\n        Reader.__init__(self, 'b', 'w')\n",
            "open for writing (`w`)",
            id="below",
        ),
    ],
)
def test_a_mode_that_every_call_shows(more: str, reason: str | None) -> None:
    (finding,) = found(READER + more)
    assert (finding.fix is None) == (reason is not None)
    assert (reason or "") in (finding.reason or "")


@each_row(
    ("body", "walks"),
    [
        ("self.x = Path('a').iterdir()", True),
        ("self.x = (Path('a') / path).iterdir()", True),
        ("root = Path('a') / path / 'b'\nself.x = root.glob('*')", True),
        ("root = Path('a')\nself.root = root / path\nself.x = self.root.iterdir()", True),
        ("self.x = Path(path).resolve().parent.joinpath('b').rglob('*')", True),
        ("self.x = (Path('a') * 2).iterdir()", False),
        ("self.x = (8 / path).iterdir()", False),
        ("self.x = Path('a').name.iterdir()", False),
        ("self.x = [*(Path('a') / path).iterdir()]", False),
        ("self.x = Path('a') / path", False),
    ],
)
def test_a_path_from_another_path(body: str, walks: bool) -> None:
    assert ["is a generator" in each.message for each in found(thing(body, "from pathlib import Path"))] == [
        True
    ] * walks


def test_a_mode_of_a_method_is_shown_by_its_calls() -> None:
    code = thing("self.open(path)", "import gzip").replace(
        "    def run", "    def open(self, path, how='rb'):\n        self.x = gzip.open(path, how)\n\n    def run"
    )
    assert "self.x = gzip.open(self.path, self.how)" in fixed(code)
    (finding,) = found(code + "\nThing('a').open('b', 'wb')\n")
    assert "open for writing" in (finding.reason or "")


def test_what_is_made_from_a_file_that_is_closed_by_then() -> None:
    body = "self.f = open(path, 'rb')\nself.m = mmap.mmap(self.f.fileno(), 0, prot=mmap.PROT_READ)\nself.f.close()"
    text = fixed(thing(body, "import mmap"))
    assert 'state["f"] = not self.f.closed' in text
    put = text[text.index("def __setstate__") :]
    assert put.index("self.m = mmap") < put.index('if not state["f"]:') < put.index("self.f.close()")
    findings = found(thing("if path:\n    " + body.replace("\n", "\n    "), "import mmap"))
    assert findings and all("which line 8 closes" in (finding.reason or "") for finding in findings)


def test_an_element_under_another_name_is_shared() -> None:
    body = "self.x = {k: open(k) for k in path}\nself.y = self.x['a']"
    container, element = found(thing(body))
    assert "line 6 keeps one of them under another name" in (container.reason or "")
    assert "two copies would no longer be one object" in (element.reason or "")
    assert fixed(thing(body + ".name"))


def test_functions_of_a_database_are_set_up_again() -> None:
    body = "self.x = sqlite3.connect(path)\nself.x.create_function('shout', 1, str.upper)"
    assert fixed(thing(body, "import sqlite3")).count("self.x.create_function('shout', 1, str.upper)") == 2
    (finding,) = found(thing(body.replace("\nself.x.c", "\nif path:\n    self.x.c"), "import sqlite3"))
    assert "writes to it" in (finding.reason or "")


def test_no_task_adds_one_more_handler_to_a_logger() -> None:
    body = "self.x = logging.FileHandler(path)\nlogging.getLogger('a').addHandler(self.x)"
    (finding,) = found(thing(body, "import logging"))
    assert finding.fix is None and (finding.reason or "").startswith("the object is pickled with each task")
    assert fixed(thing(body.splitlines()[0], "import logging"))


@pytest.mark.parametrize(
    ("use", "confidence"),
    [("with Thing('a') as t:\n    pass\n", Confidence.LIKELY), ("with t:\n    pass\n", Confidence.POSSIBLE)],
)
def test_what_is_opened_on_entering(use: str, confidence: Confidence) -> None:
    enter = "    def __enter__(self):\n        self.x = open(self.path)\n        return self\n\n    def run"
    code = thing("self.path = path\nself.x = None").replace("    def run", enter)
    (finding,) = found(code + use)
    assert finding.confidence is confidence
    assert finding.fix is not None and finding.fix.unsafe is None


def test_a_module_as_one_of_two_values() -> None:
    body = "self.x = np.random if path else np.random.RandomState(1)"
    (finding,) = found(thing(body, "import numpy as np"))
    assert finding.message.startswith("`self.x` is a module") and finding.fix is None
    assert not found(thing("self.x = np.random.rand() if path else np.random.RandomState(1)", "import numpy as np"))


def test_a_module_that_is_imported_under_the_guard_too() -> None:
    code = thing("self.x = h5py.File(path, 'r')", "import h5py")
    assert fixed(code + "\nif __name__ == '__main__':\n    import h5py\n")
    (finding,) = found(code.replace("import h5py\n", "\n") + "\nif __name__ == '__main__':\n    import h5py\n")
    assert "exists only in the main process" in (finding.reason or "")


def test_a_csv_writer_is_told_as_one() -> None:
    (finding,) = found(thing("self.x = csv.DictWriter(path, ['a'])", "import csv"))
    assert "_csv.writer" in finding.message and "give the rows back" in (finding.reason or "")


@each_row(
    ("value", "reason"),
    [
        ("iter(csv.DictReader(path))", "read the rows that are left"),
        ("enumerate(csv.reader(path))", "read the rows that are left"),
        ("zip(path, os.scandir(path))", "keep a list of the paths"),
        ("iter(re.finditer('a', path))", "in a list"),
        ("list(csv.reader(path))", ""),
        ("list(enumerate(csv.reader(path)))", ""),
        ("iter(sorted(csv.reader(path)))", ""),
    ],
)
def test_an_iterator_that_keeps_another(value: str, reason: str) -> None:
    findings = found(thing(f"self.x = {value}", "import csv, os, re"))
    assert [finding.fix for finding in findings] == [None] * bool(reason)
    assert all(reason in (finding.reason or "") for finding in findings)


def test_one_that_stays_stops_the_others() -> None:
    findings = found(thing("self.log = open(path, 'w')\nself.lock = Lock()", "from threading import Lock"))
    assert [finding.fix for finding in findings] == [None, None]
    assert "`self.log` (line 5) can't be fixed" in (findings[1].reason or "")


def test_an_attribute_that_holds_the_argument_is_used() -> None:
    text = fixed(thing("self.root = path\nself.x = open(path)"))
    assert "self.x = open(self.root)" in text and "self.path" not in text


def test_private_names_are_written_as_python_stores_them() -> None:
    assert 'del state["_Thing__lock"]' in fixed(thing("self.__lock = Lock()", "from threading import Lock"))


def test_comments_at_the_end_of_a_method_stay_in_it() -> None:
    text = fixed(thing("self.x = Lock()\n# counts\n# self.y = 0", "from threading import Lock"))
    assert "        # self.y = 0\n\n    def __getstate__" in text


def test_unknown_base_class_makes_it_unsafe() -> None:
    findings = found(thing("self.x = Lock()", "from threading import Lock\nfrom other import Base", "(Base)"))
    assert findings[0].fix is not None and "other.Base" in (findings[0].fix.unsafe or "")


def test_itertools_is_only_possible() -> None:
    findings = found(thing("self.x = itertools.count()", "import itertools"))
    assert [finding.confidence for finding in findings] == [Confidence.POSSIBLE]


def test_loggers_count_where_an_old_python_is_declared() -> None:
    code = thing("self.x = logging.getLogger('mmdet')", "import logging")
    findings = found(code, setup__py="setup(python_requires='>=3.6')")
    assert ["_thread.RLock" in finding.message for finding in findings] == [True]
    assert not found(code, setup__py="setup(python_requires='>=3.8')")


USE_OF_A_LOGGER = """
    def run(self, n):
        self.log.info("%s", n)
        return n
"""


@each_row(
    ("head", "body", "expected"),
    [
        pytest.param("logger = logging.getLogger('a')", "self.log = logger", ["logger.info"], id="the module has it"),
        pytest.param(
            "", "self.log = logging.getLogger('a')", ['"""x', "logger = logging.getLogger('a')"], id="moves up"
        ),
        pytest.param(
            "", "self.log = logging.getLogger(type(self).__name__)", ['state["log"] = self.log.name'], id="by its name"
        ),
        pytest.param(
            "def get_root_logger():\n    return logging.getLogger('mm')",
            "self.log = get_root_logger()",
            ['self.log = logging.getLogger(state["log"])'],
            id="from a helper",
        ),
    ],
)
def test_loggers_for_an_old_python(head: str, body: str, expected: list[str]) -> None:
    code = f'"""x"""\nimport logging\n\n{head}\n\nclass Thing:\n    def __init__(self, path):\n'
    code += f"        self.n = 1\n        {body}\n" + USE_OF_A_LOGGER
    findings = found(code, setup__py="setup(python_requires='>=3.6')")
    assert findings and findings[0].fix is not None, findings[0].reason
    text = code
    for edit in sorted(findings[0].fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert all(each in text for each in expected), text


def test_a_logger_given_to_the_constructor_crosses_by_its_name() -> None:
    code = "class Thing:\n    def __init__(self, path, logger=None):\n        self.log = logger\n" + USE_OF_A_LOGGER
    code += "\ndef make():\n    import logging\n    return Thing('a', logger=logging.getLogger('x'))\n"
    (finding,) = found(code, setup__py="setup(python_requires='>=3.6')")
    assert finding.fix is not None
    text = "".join(edit.text for edit in finding.fix.edits)
    assert 'state["log"] = None if self.log is None else self.log.name' in text and "import logging" in text


def test_a_list_is_filled_again_only_from_what_can_be_walked_twice() -> None:
    code = thing("self.x = []\nfor p in path:\n    self.x.append(open(p))")
    assert found(code)[0].fix is not None
    (finding,) = found(code + "\n\ndef make(paths):\n    return Thing(map(str, paths))\n")
    assert "walked only once" in (finding.reason or "")


@pytest.mark.parametrize(("made", "hazards"), [("dict()", 0), ("Lock()", 1)])
def test_the_factory_of_a_field_is_of_the_file(made: str, hazards: int) -> None:
    code = f"""\
from dataclasses import dataclass, field
from threading import Lock

def fresh():
    return {made}

@dataclass
class Thing:
    path: str
    x: object = field(default_factory=fresh)

    def run(self, n):
        return n
"""
    assert len(found(code)) == hazards


def test_what_a_base_class_makes_of_its_state() -> None:
    base = "from threading import Lock\n\nclass Base:\n    def __getstate__(self):\n        return {}\n"
    assert found(base.replace("{}", "self.__dict__") + thing("self.x = Lock()", base="(Base)"))[0].reason
    slots = "from threading import Lock\n\nclass Base:\n    __slots__ = ('a',)\n"
    assert "__slots__" in (found(slots + thing("self.x = Lock()", base="(Base)"))[0].reason or "")
    optimizer = thing("self.x = Lock()", "from threading import Lock\nfrom torch.optim import Optimizer", "(Optimizer)")
    assert not found(optimizer)  # pickles what it names
    pipe = thing("self.x = Lock()", "from threading import Lock\nimport torch.utils.data as d", "(d.IterDataPipe)")
    assert "dict(super().__getstate__())" in fixed(pipe)


def test_two_bases_with_state_are_refused() -> None:
    head = "from threading import Lock\n\nclass Other:\n    def __init__(self):\n        self.y = Lock()\n"
    findings = found(thing("self.x = Lock()", head) + "\n\nclass Both(Thing, Other):\n    pass\n")
    assert all("derives from" in (finding.reason or "") for finding in findings) and len(findings) == 2


def test_every_entry_of_the_table_is_complete() -> None:
    for kind in kinds().values():
        assert kind.what and kind.error and kind.source
        assert kind.remedy is not Remedy.IMPORT
        assert kind.advice or kind.remedy in {Remedy.RECREATE, Remedy.REOPEN, Remedy.NAMED, Remedy.EXHAUST}


@each_row(
    ("head", "body", "hidden"),
    [
        pytest.param("import soundfile as sf", "self.x = sf.SoundFile(path)", "whose `_file`", id="sound file"),
        pytest.param("from rich.console import Console", "self.x = Console()", "whose `_lock`", id="console"),
        pytest.param("from loguru import logger", "self.x = logger", "whose `_core.handlers`", id="no call"),
        pytest.param(
            "import torch", "self.x = torch.jit.load(path).eval()", "whose `_c`", id="methods that give itself"
        ),
    ],
)
def test_what_installed_packages_hide(head: str, body: str, hidden: str) -> None:
    code = thing(body, head)
    assert hidden in found(code)[0].message
    assert body.replace("path", "self.path") in fixed(code)


@each_row(
    ("head", "body", "reason"),
    [
        pytest.param("import faiss", "self.x = faiss.Kmeans(4, 2)", "`self.x.cp = None`", id="the line to write"),
        pytest.param("import duckdb", "self.x = duckdb.connect(path)", "open for writing", id="read_only"),
        pytest.param(
            "import sqlalchemy", "self.x = sqlalchemy.create_engine('sqlite://')", "in memory", id="database in memory"
        ),
        pytest.param(
            "import sqlite3",
            "self.x = sqlite3.connect(':memory:')\nself.x.execute('create table t (n)')",
            "in memory",
            id="database in memory that is filled",
        ),
        pytest.param("import psutil", "self.x = psutil.Process()", "without a pid", id="the process itself"),
        pytest.param(
            "import torch", "self.x = torch.jit.load(path)\nself.x.train()", "fills or sets it", id="changed since"
        ),
        pytest.param(
            "from torch.utils.data import DataLoader",
            "self.x = iter(DataLoader([1], num_workers=path))",
            "gives it `num_workers`",
            id="iterator over workers",
        ),
        pytest.param(
            "from threading import Lock\nfrom torch.utils.data import DataLoader",
            "self.x = Lock()\nself.y = DataLoader([self.x])",
            "passes it to `DataLoader`",
            id="kept by another object",
        ),
        pytest.param(
            "import threading\n\nclass Own(threading.Thread):\n    pass",
            "self.x = Own()",
            "a thread can't go along",
            id="class that derives from a thread",
        ),
    ],
)
def test_installed_and_derived_things_that_stay(head: str, body: str, reason: str) -> None:
    findings = found(thing(body, head))
    assert findings and all(finding.fix is None for finding in findings)
    assert any(reason in (finding.reason or "") for finding in findings), [finding.reason for finding in findings]


def test_a_scripted_module_among_the_modules_of_a_model_stays() -> None:
    code = thing("self.x = torch.jit.load(path)", "import torch", "(torch.nn.Module)")
    assert "among its submodules" in (found(code)[0].reason or "")


@each_row(
    ("base", "call"),
    [
        pytest.param("", "Thing('a', logger=LOG)", id="call"),
        pytest.param("class Own(Thing):\n    pass\n", "Own('a', LOG)", id="no constructor of its own"),
        pytest.param(
            "class Own(Thing):\n    def __init__(self, log):\n        super().__init__('a', log)\n",
            "Own(LOG)",
            id="super",
        ),
        pytest.param(
            "class Own(Thing):\n    def __init__(self, **kw):\n        super().__init__('a', **kw)\n",
            "Own(**{'logger': LOG})",
            id="keywords",
        ),
        pytest.param("TABLE = {'a': Thing}\n", "TABLE['a']('a', logger=LOG)", id="table"),
        pytest.param("from functools import partial\n", "partial(Thing, logger=LOG)", id="partial"),
        pytest.param(
            "@DATASETS.register_module()\nclass Own(Thing):\n    pass\n", "build_dataset(1, logger=LOG)", id="registry"
        ),
    ],
)
def test_ways_of_a_logger_into_the_class(base: str, call: str) -> None:
    code = "class Thing:\n    def __init__(self, path, logger=None):\n        self.log = logger\n" + USE_OF_A_LOGGER
    made = call.replace("LOG", "logging.getLogger('x')")
    code += f"\n\n{base}\ndef make():\n    import logging\n    return {made}\n"
    assert [finding.fix is not None for finding in found(code, setup__py="setup(python_requires='>=3.6')")] == [True]


def test_a_field_of_a_dataclass_may_be_given_below() -> None:
    code = """\
import logging
from dataclasses import dataclass

@dataclass
class Base:
    path: str
    log: object = None

    def run(self, n):
        return n

@dataclass
class Thing(Base):
    size: int = 3

def make():
    return Thing("a", logging.getLogger("x"))
"""
    (finding,) = found(code, setup__py="setup(python_requires='>=3.6')")
    assert "`self.log` is a logger" in finding.message and finding.fix is not None


def test_a_dataset_of_an_installed_package_is_handed_on() -> None:
    code = """\
from torch.utils.data import DataLoader
from torchvision.datasets import LSUN

data = LSUN("root")
loaders = [DataLoader(data, num_workers=2), DataLoader(data, num_workers=0)]
"""
    (finding,) = found(code)
    assert (finding.span.line, finding.fix) == (5, None) and "`dbs[0].env`" in finding.message
    assert finding.reason == "make it in a Dataset of your own, which this rule can fix"


def test_a_module_of_the_repository_is_not_the_one_of_its_name() -> None:
    assert not found(thing("self.x = Queue()", "from .queue import Queue"))


def test_a_class_of_the_same_name_elsewhere_gets_nothing() -> None:
    other = "class Counter:\n    def __init__(self, start):\n        self.counter = start\n"
    code = (
        "from collections import Counter\n\nclass Thing:\n    def run(self, n):\n        return Counter(x for x in n)\n"
    )
    assert not found(code, own__py=other)


def test_what_is_opened_for_writing_on_demand_stays() -> None:
    opens = "\n\n    def start(self):\n        self.x = open('log', 'w')\n"
    writes = "\n    def run(self, n):\n        if self.x:\n            self.x.write(n)\n"
    code = "class Thing:\n    def __init__(self, path):\n        self.x = None\n        self.start()" + opens + writes
    assert "open for writing" in (found(code)[0].reason or "")


def test_a_long_chain_of_subclasses_is_repaired_once_per_class() -> None:
    """Each class fixes its bases too; the number of edits grows with the depth and not with its power of two."""
    depth = 24
    lines = ["import threading", "from torch.utils.data import Dataset", "", ""]
    base = "Dataset"
    for number in range(depth):
        lines += [
            f"class C{number}({base}):",
            "    def __init__(self):",
            "        super().__init__()",
            f"        self.lock{number} = threading.Lock()",
            "",
            "",
        ]
        base = f"C{number}"
    findings = found("\n".join(lines))
    fixes = [finding.fix for finding in findings]
    assert len(fixes) == depth and all(fix is not None for fix in fixes)
    most = max(len(fix.edits) for fix in fixes if fix is not None)
    assert most <= 4 * depth
    assert len({edit for fix in fixes if fix is not None for edit in fix.edits}) <= 4 * depth


@each_row(
    ("path", "text", "old"),
    [
        ("docker/Dockerfile", "FROM python:3.6-slim\n", True),
        ("Dockerfile", "FROM nvidia/cuda\nRUN conda install -y python=3.6 pytorch\n", True),
        ("Dockerfile", "RUN apt-get update && apt-get install -y python3.6 git\n", True),
        ("environment.yml", "dependencies:\n  - python=3.6.8\n  - pytorch\n", True),
        (".python-version", "3.6.9\n", True),
        ("runtime.txt", "python-3.6.9\n", True),
        ("docs/getting_started.md", "```\nconda create -n lab python=3.6 -y\n```\n", True),
        ("README.md", "Tested with Python 3.6 and up.\n", False),
        ("Dockerfile", "FROM python:3.10\n", False),
        ("environment.yml", "dependencies:\n  - python=3.60\n", False),
    ],
)
def test_containers_and_environments_say_which_python_is_installed(path: str, text: str, old: bool) -> None:
    code = thing("self.x = logging.getLogger('mmdet')", "import logging") + USE
    files = {"main.py": code.encode(), path: text.encode()}
    assert ["_thread.RLock" in item.message for item in RULE.find(Project(MemoryFiles(files)))] == [True] * old
    newer = files | {"setup.py": b"setup(python_requires='>=3.8')"}
    assert not list(RULE.find(Project(MemoryFiles(newer))))
