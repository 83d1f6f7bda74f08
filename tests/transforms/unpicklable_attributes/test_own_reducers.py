"""Reducers that other code registers for a class, and code that asks whether a class has state methods."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
READER = """\
class Reader:
    def __init__(self, path):
        self.path = path
        self.file = open(path)


def reduced(reader):
    return Reader, (reader.path,)
"""
MAIN = """\
import copy
from multiprocessing import Process

from reading import {name}


def child(reader):
    print(reader.path)


if __name__ == "__main__":
    reader = {name}("rows.txt")
    Process(target=child, args=(reader,)).start()
    other = copy.copy(reader)
"""
REGISTERED = [
    "import copyreg\ncopyreg.pickle(Reader, reduced)",
    "import copyreg as tables\ntables.pickle(Reader, lambda reader: reduced(reader))",
    "from copyreg import pickle as register\nregister(Reader, reduced)",
    "import copyreg\ncopyreg.pickle(ob_type=Reader, pickle_function=reduced)",
    "import copyreg\nfor cls in (dict, Reader):\n    copyreg.pickle(cls, reduced)",
    "import copyreg\ncopyreg.dispatch_table[Reader] = reduced",
    "import copyreg\ncopyreg.pickle(type(Reader('rows.txt')), reduced)",
    "import copyreg\nfirst = Reader('rows.txt')\ncopyreg.pickle(type(first), reduced)",
    "from multiprocessing.reduction import ForkingPickler\nForkingPickler.register(Reader, reduced)",
]
BELOW = "\n\nclass Rows(Reader):\n    pass\n"


def text(more: str, name: str = "Reader") -> dict[str, str]:
    return {"reading.py": READER + "\n\n" + more + "\n", "main.py": MAIN.format(name=name)}


@each_row("registered", REGISTERED)
def test_a_class_with_a_reducer_crosses(registered: str) -> None:
    assert reported(text(registered), RULE) == []
    (reason,) = reasons(text(registered), RULE, confidence=Confidence.POSSIBLE)
    line = len((READER + "\n\n" + registered).splitlines())
    assert reason.startswith(f"reading.py:{line} registers a reducer for `Reader`")


@each_row(
    "other",
    [
        "import copyreg\ncopyreg.pickle(dict, reduced)",
        "import copyreg\ncopyreg.constructor(Reader)",
        "import copyreg\nknown = copyreg.dispatch_table.get(Reader)",
        "import pickle\npickle.dumps(Reader)",
    ],
)
def test_a_reducer_for_something_else(other: str) -> None:
    assert "def __copy__" in migrated(text(other), RULE)["reading.py"]


LOCKED = """\
import threading
from multiprocessing import Process


class Account:
    def __init__(self, path):
        self.path = path
        self.lock = {made}

    def show(self):
        print(self.path)


if __name__ == "__main__":
    Process(target=Account("a.txt").show).start()
"""


@each_row(
    ("made", "registered", "stays"),
    [
        ("threading.Lock()", "Lock = type(threading.Lock())\ncopyreg.pickle(Lock, remade)", True),
        ("threading.Lock()", "copyreg.pickle(type(threading.RLock()), remade)", False),
        ("threading.RLock()", "copyreg.dispatch_table[type(threading.RLock())] = remade", True),
        ("threading.Event()", "copyreg.pickle(threading.Event, remade)", True),
        ("open(path)", "import io\ncopyreg.pickle(io.TextIOWrapper, remade)", False),
        ("open(path)", "import _io\ncopyreg.pickle(_io.TextIOWrapper, remade)", True),
    ],
)
def test_a_reducer_for_what_a_library_makes(made: str, registered: str, stays: bool) -> None:
    files = {
        "bank.py": LOCKED.format(made=made),
        "remake.py": f"import copyreg\nimport threading\n\n\ndef remade(old):\n    return str, ()\n\n\n{registered}\n",
    }
    assert bool(reported(files, RULE)) is not stays


def test_a_reducer_from_another_file() -> None:
    files = text("")
    files["main.py"] = files["main.py"].replace(
        "\n\n\ndef child", ", reduced\nimport copyreg\n\ncopyreg.pickle(Reader, reduced)\n\n\ndef child"
    )
    assert "copyreg" in files["main.py"] and reported(files, RULE) == []


def test_a_reducer_is_for_one_class_only() -> None:
    """Objects of a class below are pickled without it; those of a class above, too."""
    (reason,) = reasons(text(BELOW + REGISTERED[0], "Rows"), RULE)
    assert "registers a reducer for `Reader`" in reason
    below = BELOW + REGISTERED[0].replace("Reader", "Rows")
    (reason,) = reasons(text(below), RULE)
    assert "registers a reducer for `Rows`" in reason
    assert reported(text(below, "Rows"), RULE) == []


def test_a_getattr_that_is_not_asked_where_a_reducer_decides() -> None:
    hook = (
        "class Reader:\n    def __init__(self, path):\n        self.path = path\n\n    def __getattr__(self, name):\n"
    )
    files = text("")
    files["reading.py"] = (
        hook + "        return getattr(self.path, name)\n\n\ndef reduced(reader):\n    return str, ()\n"
    )
    assert len(reported(files, RULE)) == 1
    files["reading.py"] += REGISTERED[0] + "\n"
    assert reported(files, RULE) == []


ASKS = "def own(thing):\n    {}\n"


@each_row(
    ("asks", "name"),
    [
        ('return "__getstate__" in type(thing).__dict__', "__getstate__"),
        ('return "__setstate__" not in thing.__class__.__dict__', "__setstate__"),
        ('return "__copy__" in vars(thing)', "__copy__"),
        ('return "__copy__" in dir(thing)', "__copy__"),
        ('return hasattr(thing, "__setstate__")', "__setstate__"),
        ('return getattr(thing, "__setstate__", None)', "__setstate__"),
        ('return vars(type(thing)).get("__getstate__")', "__getstate__"),
        ("return type(thing).__getstate__ is object.__getstate__", "__getstate__"),
        ('return [name for name in ("__len__", "__copy__") if hasattr(thing, name)]', "__copy__"),
        ('return hasattr(Reader, "__setstate__")', "__setstate__"),
    ],
)
def test_code_that_asks_for_a_method(asks: str, name: str) -> None:
    (reason,) = reasons(text(ASKS.format(asks)), RULE)
    line = len(READER.splitlines()) + 4
    assert reason.startswith(f"reading.py:{line} asks whether there is a `{name}`")


@each_row(
    "asks",
    [
        'return hasattr(thing, "__len__")',
        'return hasattr(thing, "__reduce__")',
        'return hasattr(object, "__getstate__")',
        'return thing in ("__getstate__", "__setstate__")',
        'return thing == "__getstate__"',
        'return "__getstate__" in ("a", "b")',
        'return {"__getstate__": 1}["__getstate__"]',
        'return {}.get("__getstate__")',
        'return hasattr(Other, "__setstate__")',
        'return "__setstate__" in vars(Other)',
        'return "__setstate__" in Other.__dict__',
        'import numpy\n    return hasattr(numpy.ndarray, "__setstate__")',
    ],
)
def test_code_that_asks_for_something_else(asks: str) -> None:
    other = "class Other:\n    def known(self):\n        return hasattr(self, '__setstate__')\n\n\n"
    assert "def __setstate__" in migrated(text(other + ASKS.format(asks)), RULE)["reading.py"]


LOADS = """\
def stored(thing):
    return thing.{stores}

def loaded(thing, state):
    {asks}
        {gives}
    else:
        {fills}
"""
KEPT = "found = getattr(thing, '__setstate__', None)\n    if {}:"


@each_row(
    ("stores", "asks", "gives", "fills", "refused"),
    [
        ("__reduce__()", KEPT.format("callable(found)"), "found(state)", "thing.__dict__.update(state)", False),
        ("__reduce_ex__(2)", KEPT.format("found is not None"), "found(state)", "thing.__dict__.update(state)", False),
        ("__getstate__()", KEPT.format("found"), "found(state)", "thing.__dict__.update(state)", False),
        ("__reduce__()", "if hasattr(thing, '__setstate__'):", "thing.__setstate__(state)",
         "thing.__dict__.update(state)", False),
        ("__dict__", KEPT.format("callable(found)"), "found(state)", "thing.__dict__.update(state)", True),
        ("__reduce__()", KEPT.format("not found"), "found(state)", "thing.__dict__.update(state)", True),
        ("__reduce__()", KEPT.format("found"), "found(state, 1)", "thing.__dict__.update(state)", True),
        ("__reduce__()", KEPT.format("found"), "found(state)", "print(state)", True),
        ("__reduce__()", KEPT.format("found"), "print(state)", "thing.__dict__.update(state)", True),
        ("__reduce__()", "if hasattr(thing, '__setstate__') or state:", "thing.__setstate__(state)",
         "thing.__dict__.update(state)", True),
    ],
)  # fmt: skip
def test_code_that_loads_as_pickle_does(stores: str, asks: str, gives: str, fills: str, refused: bool) -> None:
    files = text("") | {"loading.py": LOADS.format(stores=stores, asks=asks, gives=gives, fills=fills)}
    (finding,) = reported(files, RULE)
    assert ("asks whether there is a `__setstate__`" in (finding.reason or "")) is refused


def test_a_base_class_asks_for_a_method() -> None:
    """It is no base class of `Reader`, but of a class that derives from both."""
    mixin = "class Known:\n    def known(self):\n        return hasattr(self, '__setstate__')\n\n\n"
    both = "class Rows(Known, Reader):\n    pass\n"
    assert "asks whether there is a `__setstate__`" in reasons(text(mixin + both), RULE)[0]


def test_a_method_that_is_not_added() -> None:
    """Nothing copies the object, so it gets no `__copy__`."""
    files = text(ASKS.format('return hasattr(thing, "__copy__")'))
    files["main.py"] = files["main.py"].replace("    other = copy.copy(reader)\n", "")
    after = migrated(files, RULE)["reading.py"]
    assert "def __setstate__" in after and "def __copy__" not in after


@pytest.mark.parametrize(
    ("base", "without"), [("defaultdict", "its factory"), ("Counter", "its counts"), ("OrderedDict", "")]
)
def test_containers_that_leave_attributes_behind(base: str, without: str) -> None:
    text = (
        f"import threading\nfrom collections import {base}\nfrom multiprocessing import Process\n\n\n"
        f"class Counts({base}):\n    def __init__(self, *args):\n        super().__init__(*args)\n"
        "        self.lock = threading.Lock()\n\n\n"
        "if __name__ == '__main__':\n    Process(target=print, args=(Counts(),)).start()\n"
    )
    (found,) = reported({"run.py": text}, RULE)
    assert (f"a copy calls the class with {without} alone" in (found.reason or "")) is bool(without)


STATE = """\
    def __getstate__(self):
        state = dict(self.__dict__)
        state["path"] = str(self.path)
        return state
"""


@each_row(
    ("own", "more", "refused"),
    [
        ("    def print(self):\n        return sorted(self.__getstate__())\n", "", True),
        ("", "class Rows(Reader):\n    def print(self):\n        return sorted(self.__getstate__())\n", True),
        ("", "def saved():\n    reader = Reader('rows.txt')\n    return reader.__getstate__()\n", True),
        ("", "def saved():\n    return Reader('rows.txt').__getstate__()\n", True),
        ("", "class Other:\n    def print(self):\n        return sorted(self.__getstate__())\n", False),
        ("", "class Rows(Reader):\n    def __getstate__(self):\n        return super().__getstate__()\n", False),
        ("    def __setstate__(self, state):\n        self.__dict__.update(state)\n", "", False),
    ],
)
def test_code_that_takes_the_state_itself(own: str, more: str, refused: bool) -> None:
    for state in (STATE, ""):
        files = text(more, "Rows" if "Rows" in more else "Reader")
        files["reading.py"] = files["reading.py"].replace("\n\n\ndef reduced", f"\n\n{state}\n{own}\n\ndef reduced")
        if not refused:
            assert "reading.py" in migrated(files, RULE)
            continue
        (reason,) = reasons(files, RULE)
        assert "takes what `__getstate__` gives, and would miss what this leaves out" in reason
