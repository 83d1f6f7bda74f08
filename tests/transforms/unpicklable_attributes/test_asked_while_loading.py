"""What a `__getattr__` does while a copy is unpickled: each class is unpickled for real, and looked at by the rule.

The programs of a table are files of one repository, for a run over each by itself takes twice as long.
"""

from __future__ import annotations

import pickle
import re
import sys
import types

import pytest

from codemods.engine.migrate import check, plan
from codemods.finding import Confidence, Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

SETTINGS = Settings(select=("unpicklable-attributes",), confidence=Confidence.LIKELY)
SENDS = """

def work(thing):
    pass


if __name__ == "__main__":
    Process(target=work, args=(Thing(),)).start()
"""
PLAIN = """
class Thing:
    kind = "thing"

    def __init__(self):
        self.inner = {"size": 3}
        self.other = [1]

    def __getattr__(self, name):
"""
BODIES = {  # the body of `__getattr__`: what unpickling stops with, or ""
    "return getattr(self.inner, name)": "RecursionError",
    "'''Documented.'''\nreturn self.inner[name]": "RecursionError",
    "if name == 'size':\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if name in ('size', 'depth'):\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if name in self.inner:\n    return 1\nraise AttributeError(name)": "RecursionError",
    "if not hasattr(self.inner, name):\n    raise AttributeError(name)\nreturn 1": "RecursionError",
    "inner = getattr(self, 'inner')\nreturn inner[name]": "RecursionError",
    "try:\n    return self.inner[name]\nexcept KeyError:\n    raise AttributeError(name)": "RecursionError",
    "try:\n    return object.__getattribute__(self, name)\nexcept AttributeError:\n    return self.inner[name]": (
        "RecursionError"
    ),
    "return self.find(name)": "RecursionError",
    "return self.find(name) if name != 'size' else None": "RecursionError",
    "return [self.inner for _ in self.other]": "RecursionError",
    "for one in self.other:\n    return one": "RecursionError",
    "return self.__dict__[name]": "KeyError",
    "return vars(self)['inner'][name]": "KeyError",
    "raise KeyError(name)": "KeyError",
    "try:\n    return self.__dict__[name]\nexcept KeyError:\n    return None": "TypeError",
    "return None": "TypeError",
    "return self.__dict__.get(name)": "TypeError",
    "return self.__dict__.get(name, None)": "TypeError",
    "if name == 'size':\n    return 1": "TypeError",
    "yield self.inner[name]": "TypeError",
    "if name.startswith('__'):\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name.startswith(('_', 'x')) and name != 'size':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[:2] == '__':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[0] == '_' or name in self.inner:\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if 'inner' not in self.__dict__:\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if 'inner' in vars(self) and name in self.inner:\n    return 1\nraise AttributeError(name)": "",
    "if not name.endswith('__'):\n    return self.inner[name]\nraise AttributeError(name)": "",
    "if name in {'__setstate__', '__getstate__'}:\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "try:\n    return self.__dict__[name]\nexcept KeyError:\n    raise AttributeError(name)": "",
    "try:\n    return self.inner[name]\nexcept Exception:\n    raise AttributeError(name)": "",
    "if name == 'inner' or name not in self.inner:\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name == 'inner':\n    return self.other\nreturn self.inner[name]": "RecursionError",
    "raise AttributeError(f'no {name} of {self.kind}')": "",
    "def later():\n    return self.inner\nraise AttributeError(name)": "",
    "keep = lambda: self.inner\nraise AttributeError(name)": "",
    "return object.__getattribute__(self, 'inner')[name]": "",
    "return self.missing(name)": "",
    "object.__eq__(self, 'inner')\nraise AttributeError(name)": "",
    "getattr(self.kind, 'inner')\nraise AttributeError(name)": "",
    "getattr(self, name.strip('_')[:0] + 'kind')\nraise AttributeError(name)": "",
    "getattr(self, 'kind')\nraise AttributeError(name)": "",
    "if self.kind:\n    return self.inner\nelse:\n    return self.other": "RecursionError",
    "with self.inner:\n    return 1": "RecursionError",
    "return self.inner if 1 else 2": "RecursionError",
    "return 1 if 0 else self.inner": "RecursionError",
    "return False or self.inner[name]": "RecursionError",
    "return True and self.inner[name]": "RecursionError",
    "return not self.inner": "RecursionError",
    "return name + self.inner": "RecursionError",
    "return {key: 1 for key in self.inner}": "RecursionError",
    "return {key for key in self.inner}": "RecursionError",
    "return (key for key in self.inner)": "RecursionError",
    "return print(self.inner)": "RecursionError",
    "return dict(a=self.inner)": "RecursionError",
    "value: dict = self.inner\nreturn value": "RecursionError",
    "value: dict\nreturn self.inner": "RecursionError",
    "value = 1\nvalue += self.inner\nreturn value": "RecursionError",
    "import os\nfrom os import path\npass\nclass A:\n    pass\nreturn self.inner[name]": "RecursionError",
    "raise ValueError(self.inner)": "RecursionError",
    "if name[1:3] == 'zz':\n    raise AttributeError(name)\nreturn self.inner[name]": "RecursionError",
    "if 'zz' not in name:\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if name not in ['size', 'depth']:\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "raise KeyError": "KeyError",
    "try:\n    return self.__dict__[name]\nexcept ValueError:\n    return None": "KeyError",
    "return": "TypeError",
    "try:\n    return self.__dict__[name]\nexcept LookupError:\n    return None": "TypeError",
    "try:\n    return self.__dict__[name]\nexcept (ValueError, KeyError):\n    return None": "TypeError",
    "try:\n    return self.__dict__[name]\nexcept:\n    return None": "TypeError",
    "try:\n    return self.inner\nexcept RecursionError:\n    raise AttributeError(name)": "",
    "try:\n    return self.inner\nexcept:\n    raise AttributeError(name)": "",
    "if name[2:5] == 'set':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[:-1] == '__setstate_':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[-2:] == '__':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[2] == 's':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[-12] == '_':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[99:] == '':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if 'set' in name:\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name not in ('__setstate__',):\n    return self.inner[name]\nraise AttributeError(name)": "",
    "if not self.__dict__:\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if self.__dict__ == {}:\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name.startswith('__', 0):\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name.upper() == '__SETSTATE__':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "del self.inner\nreturn 1": "",
    "if 'inner' in self.__dict__:\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if 'inner' not in vars(self):\n    return self.inner[name]\nreturn 1": "RecursionError",
    "if not name.endswith('zz'):\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "try:\n    return object.__getattribute__(self, name)\nexcept KeyError:\n    return self.inner[name]": "",
    "try:\n    return object.__getattribute__(self, name)\nexcept Exception:\n    return self.inner[name]": (
        "RecursionError"
    ),
    "try:\n    return object.__getattribute__(self, name)\nexcept RuntimeError:\n    return self.inner[name]": "",
    "if name.startswith('zz') and self.kind:\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if name.startswith(name):\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if name.count('_'):\n    return self.inner[name]\nraise AttributeError(name)": "",
    "if name[None:2] == '__':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "if name[:2:1] == '__':\n    raise AttributeError(name)\nreturn self.inner[name]": "",
    "return self.__dict__[self.kind]": "KeyError",
    "return vars(self.other[0])[name]": "RecursionError",
    "return self.inner.__dict__[name]": "RecursionError",
    "return name.__dict__[name]": "",
    "return self.deep2(name)": "RecursionError",
    "return self.key(name)": "KeyError",
    "return getattr(self, 'inner')[name]": "RecursionError",
    "return self.inner if name == 'zz' else self.other": "RecursionError",
    "return 1 if self.inner else 2": "RecursionError",
    "return self.__dict__.get('size', None)": "TypeError",
    "return self.other.get(name)": "RecursionError",
    "raise KeyError(self.inner)": "RecursionError",
    "return super().__getitem__(name)": "",
    "value = self = 1\nreturn self.inner": "",
    "[self for self in (1,)]\nreturn self.inner": "RecursionError",
    "async def f():\n    pass\nreturn self.inner[name]": "RecursionError",
    "try:\n    return self.inner\nfinally:\n    pass": "RecursionError",
    "try:\n    return self.__dict__[name]\nexcept BaseException:\n    return None": "TypeError",
    "self.inner = {name: print}\nreturn self.inner[name]": "",
    "self.inner.get(name)\nreturn 1": "RecursionError",
    "'''Nothing has any name.'''": "TypeError",
}
HELPERS = """
    def find(self, name):
        return self.inner[name]

    def missing(self, name):
        raise AttributeError(name)

    def twice(self, name, more=1):
        return self.inner[name]

    @staticmethod
    def marked(name):
        return {}[name]

    async def later(self, name):
        return self.inner[name]

    def each(self, name):
        yield self.inner[name]

    def fine(self, name):
        return name.upper()

    def none(self, name):
        return None

    def key(self, name):
        return self.__dict__[name]

    def deep1(self, name):
        return self.deep2(name)

    def deep2(self, name):
        return self.deep3(name)

    def deep3(self, name):
        return self.find(name)
"""


def program(body: str) -> str:
    """A script that sends an object of a class with this body of `__getattr__`."""
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    return f"from multiprocessing import Process\n\n{PLAIN}{indented}{HELPERS}{SENDS}"


_THING = re.compile(r"\bThing\b")


def stops_with(text: str) -> str:
    """The name of what unpickling an object of the class raises, "" for nothing."""
    module = types.ModuleType("things")
    sys.modules["things"] = module
    try:
        exec(compile(text, "things.py", "exec"), vars(module))
        sent = pickle.dumps(module.Thing())
        try:
            pickle.loads(sent)
        except Exception as error:
            return type(error).__name__
        return ""
    finally:
        del sys.modules["things"]


def found(text: str) -> list[Finding]:
    """What the rule says about this script."""
    report = check(MemoryFiles({"main.py": text.encode()}), SETTINGS)
    assert not report.skipped, report.skipped
    return list(report.findings)


def _files(bodies: dict[str, str]) -> dict[str, bytes]:
    """The program of each body, its class with a number, so that none is of two files."""
    programs = map(program, bodies)
    return {f"run{at}.py": _THING.sub(f"Thing{at}", text).encode() for at, text in enumerate(programs)}


def test_says_what_unpickling_stops_with_and_lets_it_be_unpickled() -> None:
    result = plan(MemoryFiles(_files(BODIES)), SETTINGS)
    assert not result.skipped, result.skipped
    fixed = [finding for change in result.changes for finding in change.findings]
    for at, (body, error) in enumerate(BODIES.items()):
        if sys.version_info >= (3, 11):  # before, pickling asks `__getattr__` as well: for `__getstate__`
            assert stops_with(program(body)) == error, body
        path = f"run{at}.py"
        found = [finding for finding in (*fixed, *result.remaining) if finding.path == path]
        says = [finding.message.rpartition("`")[0].rpartition("`")[2].partition(":")[0] for finding in found]
        assert says == [error] * bool(error), body
        assert (path in result.contents) == (bool(error) and "yield" not in body), body
        assert any(finding.path == path for finding in fixed) == (path in result.contents), body
        if path in result.contents:
            assert stops_with(result.contents[path].decode().replace(f"Thing{at}", "Thing")) == "", body


NOT_FOLLOWED = {  # what unpickling stops with too, and the rule does not see
    "while True:\n    return self.inner": "RecursionError",
    "assert self.inner": "RecursionError",
    "if self.kind:\n    return self.inner\nreturn self.other": "RecursionError",
    "if self.kind:\n    return self.inner\nraise AttributeError(name)": "RecursionError",
    "if name[::2] == 'zz':\n    return 1\nreturn self.inner": "RecursionError",
    "if name[:len(name)] == 'zz':\n    return 1\nreturn self.inner": "RecursionError",
    "if name[99] == '_':\n    return 1\nreturn self.inner": "IndexError",
    "name = 'size'\nreturn self.inner": "RecursionError",
    "return getattr(self, 'inner', None)": "RecursionError",
    "return getattr(self, name)": "RecursionError",
    "return self.find(self.kind)": "RecursionError",
    "return self.find(name=name)": "RecursionError",
    "raise": "RuntimeError",
    "return True or self.inner[name]": "TypeError",
    "return self.__dict__.get(name, 1)": "TypeError",
    "return self.__dict__.pop(name, None)": "TypeError",
    "try:\n    return 1\nexcept KeyError:\n    pass\nreturn self.inner": "TypeError",
    "try:\n    return self.__dict__[name]\nexcept KeyError:\n    return None\nexcept ValueError:\n    return 1": (
        "TypeError"
    ),
    "try:\n    return self.__dict__[name]\nexcept ValueError:\n    return 1\nexcept KeyError:\n    return None": (
        "TypeError"
    ),
    "try:\n    return object.__getattribute__(self, 'kind')\nexcept AttributeError:\n    return self.inner[name]": (
        "TypeError"
    ),
    "try:\n    return object.__repr__(self, name)\nexcept AttributeError:\n    return self.inner[name]": "TypeError",
    "if 0 < len(name) < 99:\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if '_' < name < 'zz':\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if 'inner' in self.__dict__ in (1, 2):\n    raise AttributeError(name)\nreturn self.inner[name]": "RecursionError",
    "if self.__dict__ is None:\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if 'x' == self.__dict__:\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if -name:\n    return 1\nreturn self.inner[name]": "TypeError",
    "if ~1:\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if name.startswith('_') and self.kind:\n    return self.inner[name]\nreturn self.other": "RecursionError",
    "if name.startswith('_') or self.kind:\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if name.startswith('zz') or self.kind:\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if name.startswith(('zz', self.kind)):\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if name in ('zz', self.kind):\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if self.kind.startswith('zz'):\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if name.startswith(1):\n    return 1\nreturn self.inner[name]": "TypeError",
    "if name.isidentifier():\n    return self.inner[name]\nraise AttributeError(name)": "RecursionError",
    "if name.count('zz'):\n    return 1\nreturn self.inner[name]": "RecursionError",
    "if name[0.5] == '__':\n    return 1\nreturn self.inner[name]": "TypeError",
    "if name == 3:\n    return 1\nreturn self.inner[name]": "RecursionError",
    "return vars(self, 1)[name]": "TypeError",
    "return vars()[name]": "KeyError",
    "return dir(self)[name]": "TypeError",
    "return self.find(name, 1)": "TypeError",
    "return self.find(*name)": "TypeError",
    "return self.find('size')": "RecursionError",
    "return self.twice(name)": "RecursionError",
    "return self.marked(name)": "KeyError",
    "return self.later(name)": "TypeError",
    "return self.each(name)": "TypeError",
    "return self.fine(name)": "TypeError",
    "return self.none(name)": "TypeError",
    "return self.deep1(name)": "RecursionError",
    "return getattr(self, 'in' + 'ner')[name]": "RecursionError",
    "return getattr(self, 'inner', None, **{})": "RecursionError",
    "return self.other if self.kind else self.inner": "RecursionError",
    "return self.__dict__.get(name, name)": "TypeError",
    "return self.__dict__.keys()": "TypeError",
    "return dict.__getitem__(self, name)": "TypeError",
    "for self in ():\n    pass\nreturn self.inner": "RecursionError",
    "me: int = self\nreturn me.inner": "RecursionError",
    "try:\n    raise AttributeError(name)\nexcept AttributeError:\n    return self.inner": "RecursionError",
    "try:\n    return 1\nexcept Exception:\n    return self.inner": "TypeError",
}


def test_says_nothing_of_what_it_does_not_follow() -> None:
    for body, error in NOT_FOLLOWED.items() if sys.version_info >= (3, 11) else ():
        assert stops_with(program(body)) == error, body
    followed = next(iter(BODIES))
    files = _files({**NOT_FOLLOWED, followed: BODIES[followed]})
    report = check(MemoryFiles(files), SETTINGS)
    assert not report.skipped, report.skipped
    assert [finding.path for finding in report.findings] == [[*files][-1]]


FORWARDS = "    def __getattr__(self, name):\n        return getattr(self.inner, name)\n"
OTHERS = {  # the class, or what stands before it: whether something is found
    "class Thing:\n    def __init__(self):\n        self.inner = {}\n" + FORWARDS: True,
    "class Thing:\n    inner = {}\n" + FORWARDS: False,
    "class Thing:\n    inner: dict\n    def __init__(self):\n        self.inner = {}\n" + FORWARDS: True,
    "class Base:\n    inner = None\nclass Thing(Base):\n    def __init__(self):\n        self.inner = {}\n"
    + FORWARDS: False,
    "class Base:\n    def __init__(self):\n        self.inner = {}\nclass Thing(Base):\n" + FORWARDS: True,
    "class Thing:\n    def __init__(self):\n        self.inner = {}\n    def __setstate__(self, state):\n"
    "        self.__dict__.update(state)\n" + FORWARDS: False,
    "class Thing:\n    def __init__(self):\n        self.inner = {}\n    def __reduce__(self):\n"
    "        return Thing, ()\n" + FORWARDS: False,
    "class Thing:\n    @property\n    def inner(self):\n        return {}\n    def __init__(self):\n        self.x = 1"
    "\n" + FORWARDS: False,
    "class Thing:\n    __slots__ = ('inner',)\n    def __init__(self):\n        self.inner = {}\n" + FORWARDS: False,
    "class Thing(dict):\n    def __init__(self):\n        self.inner = {}\n" + FORWARDS: False,
    "from torch.nn import Module\nclass Thing(Module):\n    def __init__(self):\n        self.inner = {}\n"
    + FORWARDS: False,
    "from collections import OrderedDict\nclass Thing(OrderedDict):\n    def __init__(self):\n"
    "        self.inner = {}\n" + FORWARDS: False,
    "from pandas import DataFrame\nclass Thing(DataFrame):\n    def __init__(self):\n        self.inner = {}\n"
    + FORWARDS: False,
    "from torch.utils.data import Subset\nclass Thing(Subset):\n" + FORWARDS.replace("inner", "dataset"): True,
    "class Base:\n    def __init__(self):\n        self.inner = {}\n        self.other = []\n"
    "    def __getattr__(self, name):\n        return self.other if name == 'inner' else self.inner\n"
    "class Thing(Base):\n    size = 1\n": True,
    "from unknown import Base\nclass Thing(Base):\n    def __init__(self):\n        self.inner = {}\n"
    + FORWARDS: False,
}


@each_row(("text", "hazard"), OTHERS.items())
def test_what_the_class_and_its_bases_have(text: str, hazard: bool) -> None:
    assert bool(found(f"from multiprocessing import Process\n{text}{SENDS}")) is hazard


@each_row(
    "method",
    ["__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__", "__new__",
     "__getattribute__"],
)  # fmt: skip
def test_classes_that_decide_it_themselves(method: str) -> None:
    text = program("return self.inner[name]")
    assert not found(text.replace("def missing(self, name)", f"def {method}(self, *given)"))
    assert found(text.replace("def missing(self, name)", "def __len__(self, *given)"))


def test_an_object_that_stays() -> None:
    assert not found(program("return self.inner[name]").replace("args=(Thing(),)", "args=(str(Thing()),)"))


def test_on_one_line_it_is_refused() -> None:
    text = program("return self.inner[name]").replace(
        "name):\n        return self.inner[name]\n", "name): return self.inner[name]\n", 1
    )
    (finding,) = found(text)
    assert finding.fix is None and "stands on one line" in str(finding.reason)


KEEPER = """\
from multiprocessing import Process


class Log:
    def __init__(self):
        self.file = open("log", "{mode}")
        {use}


class Thing:
    def __init__(self):
        self.inner = {{"size": 3}}
        self.log = Log()

    def __getattr__(self, name):
        return self.inner[name]


class Other(Thing):
    pass
"""


@pytest.mark.parametrize(("mode", "use", "guarded"), [("w", "self.file.write('a')", False), ("r", "pass", True)])
def test_an_object_that_stays_unpicklable_gets_no_guard(mode: str, use: str, guarded: bool) -> None:
    files = MemoryFiles({"a.py": (KEEPER.format(mode=mode, use=use) + SENDS).encode()})
    guard = next(each for each in check(files, SETTINGS).findings if "__getattr__" in each.message)
    assert (guard.fix is not None) == guarded
    if not guarded:
        assert "a.py:6 can't be fixed, so the object could still not be pickled: " in (guard.reason or "")


def test_an_object_of_another_class_may_be_sent_alone() -> None:
    text = KEEPER.format(mode="w", use="self.file.write('a')").replace("        self.log = Log()\n", "")
    text = text.replace("    pass\n", "    def __init__(self):\n        super().__init__()\n        self.log = Log()\n")
    files = MemoryFiles({"a.py": (text + SENDS.replace("(Thing(),)", "(Thing(), Other())")).encode()})
    guard = next(each for each in check(files, SETTINGS).findings if "__getattr__" in each.message)
    assert guard.fix is not None
