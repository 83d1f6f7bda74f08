"""Globals, attributes of classes and tables that only the main process sets: found across files, look-alikes left."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

STATE = """\
current = None
table = {{}}

class Encoder:
    size = 4

    @classmethod
    def configure(cls, size):
        cls.size = size

    def apply(self, row):
        return self.size + row

def choose(name):
    global current
    current = name

def register(name, function):
    table[name] = function

def chosen(row):
    return {read}

def make(row):
    global current
    if current is None:
        current = row
    return current

def note(row):
    if current is not None:
        log.info(row)
    return row

def load(values):
    globals().update(values)

kept = 1
size = len("ab")
"""
TRAIN = """\
import state
from state import Encoder
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return state.chosen(index)

def main():
    {change}
    for row in DataLoader(Rows(), num_workers=2):
        print(row)

if __name__ == "__main__":
    main()
"""


def reports(read: str, change: str) -> list[tuple[str, str]]:
    """Where workers are said to read what only the main process sets, and where that is."""
    files = {"state.py": STATE.format(read=read), "train.py": TRAIN.format(change=change)}
    contents = {path: text.encode() for path, text in files.items()}
    found = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    assert all(each.fix is None and "pass the worker what it needs" in (each.reason or "") for each in found)
    return [(f"{each.path}:{each.span.line}", f"{each.trace[0].path}:{each.trace[0].line}") for each in found]


@each_row(
    ("read", "change", "set_at"),
    [
        ("current + row", "state.choose(3)", "state.py:16"),
        ("row if current is None else current", "state.choose(3)", "state.py:16"),
        ("Encoder.size", "Encoder.configure(9)", "state.py:9"),
        ("Encoder().apply(row)", "Encoder.configure(9)", "state.py:9"),
        ("kept + row", "vars(state).update(kept=3)", "train.py:13"),
        ("kept + row", "state.__dict__['kept'] = 3", "train.py:13"),
        ("kept + row", "setattr(state, 'kept', 3)", "train.py:13"),
        ("kept + row", "setattr(state, input(), 3)", "train.py:13"),
        ("kept + row", "state.load({'kept': 3})", "state.py:36"),
        ("Encoder.size", "Encoder.size = 9", "train.py:13"),
        ("Encoder.size", "state.Encoder.size += 1", "train.py:13"),
        ("table[row](row)", "state.register(0, print)", "state.py:19"),
    ],
)
def test_what_the_main_process_sets_and_a_worker_reads(read: str, change: str, set_at: str) -> None:
    ((place, changed),) = reports(read, change)
    assert changed == set_at
    assert place == ("state.py:12" if read.startswith("Encoder()") else "state.py:22")


def test_a_class_under_another_name() -> None:
    files = {
        "state.py": "class Settings:\n    size = 1\n",
        "data.py": "from state import Settings as cfg\n\n\nclass Rows:\n    def __getitem__(self, at):\n"
        "        return at + cfg.size\n",
        "train.py": "from torch.utils.data import DataLoader\nfrom data import Rows\nfrom state import Settings as hp\n"
        "\nif __name__ == '__main__':\n    hp.size = 2\n    print(list(DataLoader(Rows(), num_workers=2)))\n",
    }
    contents = {path: text.encode() for path, text in files.items()}
    (found,) = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    assert (found.path, found.span.line, found.trace[0].path, found.trace[0].line) == ("data.py", 6, "train.py", 6)


@each_row(
    ("read", "change"),
    [
        ("kept + row", "vars(state).update(other=3)"),
        ("kept + row", "vars(Encoder).update(kept=3)"),
        ("kept + row", "state.__dict__['other'] = 3"),
        ("kept + row", "print(state.__dict__['kept'], vars(state).get('kept'))"),
        ("size + row", "state.load({'kept': 3})"),  # nothing says that this is a setting
        ("current + row", "pass"),  # nothing calls what sets it
        ("row", "state.choose(3)"),
        ("make(row)", "state.choose(3)"),  # it makes the value itself
        ("note(row)", "state.choose(3)"),  # it only logs
        ("choose(row) or current", "state.choose(3)"),  # the worker sets it itself
        ("table[row] if row in table else row", "state.register(0, print)"),
        ("table.get(row)", "state.register(0, print)"),
        ("table['plain']", "state.register(0, print)"),
        ("Encoder.size", "Encoder().size = 9"),  # of one object
    ],
)
def test_look_alikes(read: str, change: str) -> None:
    assert reports(read, change) == []


def test_what_an_import_sets_workers_have_too() -> None:
    files = {
        "state.py": STATE.format(read="current + row") + "\nchoose(3)\n",
        "train.py": TRAIN.format(change="pass"),
    }
    contents = {path: text.encode() for path, text in files.items()}
    assert check(MemoryFiles(contents), Settings(select=("main-guard",))).findings == ()


@each_row(
    ("read", "change", "found"),
    [
        pytest.param("words.current + row", "words.current = 'b'", True, id="plainly"),
        pytest.param("row if words.current == 'a' else -row", "words.current = 'b'", True, id="compared"),
        pytest.param("words.current.size", "words.current = 'b'", True, id="a part of it"),
        pytest.param("row if words.current is None else 1", "words.current = 'b'", True, id="asked for"),
        pytest.param("words.other + row", "words.current = 'b'", False, id="another name"),
        pytest.param("words.current + row", "print(words.current)", False, id="nobody sets it"),
        pytest.param("words.current + row", "Encoder.current = 'b'", False, id="of something else"),
        pytest.param("words.make(row)", "words.make = len", True, id="a function"),
    ],
)
def test_a_variable_of_another_module(read: str, change: str, found: bool) -> None:
    files = {
        "words.py": "current = 'a'\nother = 'b'\ndef make(row):\n    return row\n",
        "state.py": "import words\n" + STATE.format(read=read),
        "train.py": "import words\n" + TRAIN.format(change=change),
    }
    contents = {path: text.encode() for path, text in files.items()}
    reported = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    places = [(each.path, each.span.line, each.trace[0].path, each.trace[0].line) for each in reported]
    assert places == ([("state.py", 23, "train.py", 14)] if found else [])


@each_row(
    ("read", "change", "found"),
    [
        ("package.words.current + row", "words.current = 'b'", True),
        ("words.current + row", "package.words.current = 'b'", True),
        ("package.words.current + row", "package.words.current = 'b'", True),
        ("package.words.current + row", "package.others.current = 'b'", False),
        ("package.words.other + row", "package.words.current = 'b'", False),
    ],
)
def test_a_variable_of_a_module_in_a_package(read: str, change: str, found: bool) -> None:
    imports = "import package.others\nimport package.words\nfrom package import words\n"
    files = {
        "package/words.py": "current = 'a'\nother = 'b'\n",
        "package/others.py": "current = 'a'\n",
        "state.py": imports + STATE.format(read=read),
        "train.py": imports + TRAIN.format(change=change),
    }
    reported = check(
        MemoryFiles({path: text.encode() for path, text in files.items()}), Settings(select=("main-guard",))
    )
    assert [each.path for each in reported.findings] == ["state.py"] * found


def test_a_script_sets_it_for_its_workers_too() -> None:
    """At its top, where a child runs it again."""
    train = "import words\nwords.current = 'b'\n" + TRAIN.format(change="pass")
    files = {
        "words.py": "current = 'a'\n",
        "state.py": "import words\n" + STATE.format(read="words.current + row"),
        "train.py": train,
    }
    contents = {path: text.encode() for path, text in files.items()}
    assert check(MemoryFiles(contents), Settings(select=("main-guard",))).findings == ()


OWN = """\
size = 4
made = 0

def scaled(row):
    return row * size

def number():
    global made
    made += 1
    return made

def tag(row):
    return f"{row}-{number()}"

def step(row):
    step.calls += 1
    return row * step.calls

step.calls, step.limit = 0, 3
step.rows = []

def limited(row):
    return row if len(step.rows) < step.limit else None

def lazy(row):
    if not hasattr(lazy, "table"):
        lazy.table = {}
    return lazy.table.get(row)
"""


@each_row(
    ("change", "read", "set_at"),
    [
        pytest.param("words.size = 9", "words.scaled(row)", ["words.py:5"], id="read by its module, set by another"),
        pytest.param("words.other = 9", "words.scaled(row)", [], id="another is set"),
        pytest.param("size = 9", "words.scaled(row)", [], id="a name of the script"),
        pytest.param("words.number()", "words.number()", ["words.py:10"], id="goes on in both"),
        pytest.param("words.tag(1)", "words.tag(row)", ["words.py:10"], id="goes on in both, by a function of both"),
        pytest.param("pass", "words.tag(row)", [], id="goes on in the worker alone"),
        pytest.param("words.step(1)", "words.step(row)", ["words.py:17"], id="an attribute of the function itself"),
        pytest.param("pass", "words.step(row)", [], id="an attribute that only workers count"),
        pytest.param("words.step.limit = 4", "words.limited(row)", ["words.py:23"], id="an attribute of a function"),
        pytest.param("words.step.rows.append(1)", "words.limited(row)", ["words.py:23"], id="a list on a function"),
        pytest.param("words.lazy(1)", "words.lazy(row)", [], id="made where it is not there"),
    ],
)
def test_what_its_own_module_reads(change: str, read: str, set_at: list[str]) -> None:
    files = {
        "words.py": OWN,
        "state.py": "import words\n" + STATE.format(read=read),
        "train.py": "import words\n" + TRAIN.format(change=change),
    }
    contents = {path: text.encode() for path, text in files.items()}
    found = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    assert [f"{each.path}:{each.span.line}" for each in found] == set_at


SENT = """\
from multiprocessing import Process


class Box:
    {body}

    def __init__(self, wide):
        self.wide = wide


class Bag:
    high = 2


def measure(box, by):
    print(box.{name} * by)


def main():
    {change}
    Process(target=measure, args=(Box(3), 2)).start()


if __name__ == "__main__":
    main()
"""


@each_row(
    ("name", "body", "change", "found"),
    [
        pytest.param("high", "high = 1", "Box.high = 5", True, id="set"),
        pytest.param("high", "high = 1", "Box.high = property(lambda self: 5)", True, id="a property"),
        pytest.param("high", "high = 1", "Bag.high = 5", False, id="of another class"),
        pytest.param("wide", "wide = 1", "Box.wide = 5", False, id="objects have their own"),
        pytest.param("high", "high = 1", "print(Box.high)", False, id="read"),
    ],
)
def test_of_the_class_of_an_argument(name: str, body: str, change: str, found: bool) -> None:
    text = SENT.format(name=name, body=body, change=change)
    report = check(MemoryFiles({"run.py": text.encode()}), Settings(select=("main-guard",)))
    assert [each.span.line for each in report.findings] == [16] * found


FIELDS = """\
from dataclasses import dataclass, field
from multiprocessing import Process
from typing import ClassVar


@dataclass
class State:
    rows: list = field(default_factory=list)
    shared: ClassVar[list] = []

    def note(self, row):
        self.{name}.append(row)


def show(state):
    print(state.{name})


def main():
    state = State()
    state.note(1)
    Process(target=show, args=(state,)).start()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("name", "found"), [("rows", False), ("shared", True)])
def test_fields_belong_to_each_object(name: str, found: bool) -> None:
    report = check(MemoryFiles({"run.py": FIELDS.format(name=name).encode()}), Settings(select=("main-guard",)))
    assert [each.span.line for each in report.findings] == [16] * found


def test_a_field_that_main_sets_on_the_class() -> None:
    text = FIELDS.format(name="rows").replace("    state.note(1)\n", "    State.rows = [3]\n")
    text = text.replace("print(state.rows)", "print(State.rows)").replace(" = field(default_factory=list)", " = ()")
    report = check(MemoryFiles({"run.py": text.encode()}), Settings(select=("main-guard",)))
    assert [each.rule for each in report.findings] == ["main-guard"]


KEPT = """\
from multiprocessing import Process

import kept
from kept import Kept


def start(target):
    Process(target=target, args=(3,)).start()


def make():
    def put(x):
        kept.rows.append(x)
        print(len(kept.rows))

    return put


def main():
    collect = make()
    {before}
    start(collect)


if __name__ == "__main__":
    main()
"""


@each_row(
    ("before", "found"),
    [
        ("collect(0)", True),
        ("kept.rows.append(0)", True),
        ("kept.other.append(0)", False),
        ("print(kept.rows)", False),
    ],
)
def test_a_table_of_another_module_that_goes_on_in_workers(before: str, found: bool) -> None:
    """The function fills it in the worker, and in the main process by whatever name it has there."""
    files = MemoryFiles({"run.py": KEPT.format(before=before).encode(), "kept.py": b"rows = []\nother = []\n"})
    report = check(files, Settings(select=("main-guard",)))
    assert ["kept.rows" in each.message for each in report.findings] == [True] * found


STATES = """\
import contextvars
from multiprocessing import Process

depth = contextvars.ContextVar("depth", default=0)


class Scope:
    def __enter__(self):
        depth.set(1)

    def __exit__(self, *error):
        pass


class Unit:
    known = {{}}

    def __new__(cls, name):
        cls.known[name] = super().__new__(cls)
        return cls.known[name]


def make(tag):
    return lambda: print(tag, {read})


def work():
    print({read})


def main():
    {change}
    Process(target={target}).start()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("target", ["work", "make(1)"])
@pytest.mark.parametrize(
    ("read", "change", "found"),
    [
        ("depth.get()", "with Scope():\n        pass", False),
        ("depth.get()", "scope = Scope()\n    scope.__enter__()", True),
        ("Unit.known", "Unit('m')", True),
        ("Unit.known", "print(Unit)", False),
    ],
)
def test_what_new_objects_change(read: str, change: str, found: bool, target: str) -> None:
    """By `__enter__` and `__new__`; read by a function that is sent, or by a lambda."""
    text = STATES.format(read=read, change=change, target=target)
    report = check(MemoryFiles({"run.py": text.encode()}), Settings(select=("main-guard",)))
    assert ["changes in the main process only" in each.message for each in report.findings] == [True] * found


@pytest.mark.parametrize(("around", "found"), [("with Scope():", True), ("if Scope:", False)])
def test_a_worker_that_is_started_within(around: str, found: bool) -> None:
    text = STATES.format(read="depth.get()", change=f"{around}\n        Process(target=work).start()", target="print")
    report = check(MemoryFiles({"run.py": text.encode()}), Settings(select=("main-guard",)))
    assert ["changes in the main process only" in each.message for each in report.findings] == [True] * found


MADE = """\
from multiprocessing import Process


class Pool:
    made = 0

    @property
    def handle(self):
        {count} += 1
        return 1

    def warm(self):
        return {used}


def work():
    print(Pool.made)


def main():
    Pool().warm()
    Process(target=work).start()


if __name__ == "__main__":
    main()
"""


@each_row(
    ("count", "used", "found"),
    [
        ("type(self).made", "self.handle", True),
        ("self.__class__.made", "self.handle", True),
        ("Pool.made", "self.handle", True),
        ("type(self).made", "1", False),
        ("type(self).other", "self.handle", False),
    ],
)
def test_a_property_that_counts_on_its_class(count: str, used: str, found: bool) -> None:
    text = MADE.format(count=count, used=used)
    report = check(MemoryFiles({"run.py": text.encode()}), Settings(select=("main-guard",)))
    assert ["changes in the main process only" in each.message for each in report.findings] == [True] * found


CALLED = """\
from multiprocessing import Process


class Encoder:
    size = 2
    extras = {{}}

    def __call__(self, row):
        return [row] * self.size + [*self.extras]


class Plain(Encoder):
    def __call__(self, row):
        return [row]


def work(row):
    encode = {made}
    print({read})


def main():
    {change}
    Process(target=work, args=(1,)).start()


if __name__ == "__main__":
    main()
"""


@each_row(
    ("made", "read", "change", "found"),
    [
        ("Encoder()", "encode(row)", "Encoder.size = 5", 1),
        ("None", "Encoder()(row)", "Encoder.extras['bias'] = 1", 1),
        ("Encoder()", "encode", "Encoder.size = 5", 0),  # not called
        ("Encoder", "encode()", "Encoder.size = 5", 0),
        ("Plain()", "encode(row)", "Encoder.size = 5", 0),
        ("Encoder()", "encode(row)", "Plain.size = 5", 0),
        ("Encoder()", "encode(row)", "pass", 0),
    ],
)
def test_an_object_that_the_worker_calls(made: str, read: str, change: str, found: int) -> None:
    text = CALLED.format(made=made, read=read, change=change)
    report = check(MemoryFiles({"run.py": text.encode()}), Settings(select=("main-guard",)))
    assert ["changes in the main process only" in each.message for each in report.findings] == [True] * found


GETTER = """\
kept = None

class Kept:
    value = None

    @classmethod
    def get(cls):
        return cls.value

    @staticmethod
    def first(cls):
        return cls.value

def put(value):
    global kept
    kept = Kept.value = value

def checked(value):
    assert value is not None, "put it first"
    return value

def get():
    {get}
"""
GETS = """\
from torch.utils.data import DataLoader
import kept
from kept import Kept

def collate(rows):
    return rows * {read}

def other():
    kept.put(4)

if __name__ == "__main__":
    kept.put(3)
    print(list(DataLoader([1, 2], num_workers=2, collate_fn=collate)))
"""


@each_row(
    ("get", "read", "found"),
    [
        pytest.param("return kept", "kept.get()", True, id="plain"),
        pytest.param("return checked(kept)", "kept.get()", True, id="checked by a function"),
        pytest.param("if kept is None: raise KeyError('x')\n    return kept", "kept.get()", True, id="or an error"),
        pytest.param("if not kept: raise KeyError('x')\n    return kept", "kept.get()", True, id="or an error, by not"),
        pytest.param(
            "if kept: raise KeyError('x')\n    return 3", "kept.get()", False, id="an error where it is there"
        ),
        pytest.param("if kept is None: put(5)\n    return kept", "kept.get()", False, id="set where it is missing"),
        pytest.param("return 3", "Kept.get()", True, id="of a class"),
        pytest.param("return Kept", "Kept.first(collate)", False, id="a static method: of something else"),
    ],
)
def test_a_function_that_returns_what_main_has_set(get: str, read: str, found: bool) -> None:
    contents = {"kept.py": GETTER.format(get=get).encode(), "train.py": GETS.format(read=read).encode()}
    places = [
        (each.path, each.trace[0].line)
        for each in check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    ]
    assert [path for path, _ in places] == ["kept.py"] * found


@each_row(
    ("body", "found"),
    [
        pytest.param("try: size = kept.get()\n    except KeyError: size = 3", False, id="handled"),
        pytest.param(
            "try: size = kept.get()\n    except (OSError, LookupError): size = 3", False, id="by a base class"
        ),
        pytest.param("try: size = kept.get()\n    except own.Missing: size = 3", False, id="by a class not known here"),
        pytest.param("try: size = kept.get()\n    except OSError: size = 3", True, id="another error"),
        pytest.param("try: size = kept.get()\n    except KeyError: raise", True, id="passed on"),
        pytest.param("try: size = 3\n    except KeyError: size = kept.get()", True, id="in the handler"),
        pytest.param("try: size = read()\n    except KeyError: size = 3", False, id="further up"),
        pytest.param("size = 3\n    with suppress(KeyError): size = read()", False, id="suppressed"),
        pytest.param("size = read()", True, id="not handled"),
    ],
)
def test_a_getter_whose_error_its_callers_handle(body: str, found: bool) -> None:
    get = "if kept is None: raise KeyError('x')\n    return kept"
    train = GETS.format(read="size").replace("    return", f"    {body}\n    return", 1)
    train = train.replace("def collate", "def read():\n    return kept.get()\n\ndef collate")
    contents = {"kept.py": GETTER.format(get=get).encode(), "train.py": train.encode()}
    paths = [each.path for each in check(MemoryFiles(contents), Settings(select=("main-guard",))).findings]
    assert paths == ["kept.py"] * found


RANKS = """\
from multiprocessing import Process
import kept
from kept import Kept

def rank(value):
    kept.put(value)
    print(kept.get())

def launch():
    Process(target=rank, args=(2,)).start()
"""


def test_ranks_that_set_it_for_themselves_say_nothing_of_other_workers() -> None:
    texts = {"kept.py": GETTER.format(get="return kept"), "train.py": GETS.format(read="kept.get()"), "ranks.py": RANKS}
    found = check(MemoryFiles({path: text.encode() for path, text in texts.items()}), Settings(select=("main-guard",)))
    assert [(each.path, each.trace[-1].path) for each in found.findings] == [("kept.py", "train.py")]
