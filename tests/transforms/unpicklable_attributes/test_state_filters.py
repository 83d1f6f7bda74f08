"""Attributes that a `__getstate__` leaves out by a test of their names: evaluated where it can be."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.small import reported

RULE = "unpicklable-attributes"
MIXIN = """\
import re

OWN = ("_lock", "_log")


class Transient:
    local = ("_lock", "_conn")

    def __getstate__(self):
        {body}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.open()
"""
USER = """\
import multiprocessing

from transient import Transient


class Rows(Transient):
    def __init__(self, path):
        self.path = path
        self._fh = open(path)

    def open(self):
        pass


def work(rows):
    return len(rows.path)


if __name__ == "__main__":
    process = multiprocessing.Process(target=work, args=(Rows("a.txt"),))
    process.start()
"""
LOOP = "state = dict(self.__dict__)\nfor key in list(state):\n    {}\nreturn state"
OUT = {
    "comprehension": 'return {k: v for k, v in vars(self).items() if not k.startswith("_")}',
    "first letter": 'return {k: v for k, v in self.__dict__.items() if k[0] != "_"}',
    "first letters": 'return {k: v for k, v in self.__dict__.items() if k[:1] != "_" and v}',
    "names alone": 'return {k: self.__dict__[k] for k in self.__dict__ if not k.endswith(("_file", "_fh"))}',
    "pairs": 'return dict((k, v) for k, v in self.__dict__.items() if not k.startswith("_"))',
    "list of pairs": 'return dict([(k, v) for k, v in self.__dict__.items() if not k.startswith("_")])',
    "None in its place": 'return {k: None if k.startswith("_") else v for k, v in self.__dict__.items()}',
    "loop": LOOP.format('if key.startswith("_"):\n        del state[key]'),
    "pop": LOOP.format('if key.startswith("_"):\n        state.pop(key, None)'),
    "set to None": LOOP.format('if "_f" in key:\n        state[key] = None'),
    "others go on": LOOP.format('if not key.startswith("_"):\n        continue\n    del state[key]'),
    "branches": LOOP.format('if key == "path":\n        pass\n    else:\n        del state[key]'),
    "names first": (
        'state = self.__dict__.copy()\ngone = [k for k in state if k.startswith("_")]\n'
        "for k in gone:\n    del state[k]\nreturn state"
    ),
    "filled": (
        'state = {}\nfor k, v in self.__dict__.items():\n    if not k.startswith("_"):\n        state[k] = v\n'
        "return state"
    ),
}
KEPT = {
    "another ending": 'return {k: v for k, v in vars(self).items() if not k.endswith("_lock")}',
    "a table": "return {k: v for k, v in vars(self).items() if k not in OWN}",
    "a table of the class": "return {k: v for k, v in vars(self).items() if k not in self.local}",
    "loop": LOOP.format('if key.startswith("__"):\n        del state[key]'),
    "filled": (
        'state = {}\nfor k, v in self.__dict__.items():\n    if k[0] == "_":\n        state[k] = v\nreturn state'
    ),
}
UNKNOWN = {
    "by the value": "return {k: v for k, v in vars(self).items() if not hasattr(v, 'close')}",
    "by a pattern": LOOP.format('if re.match("_", key):\n        del state[key]'),
    "of a name that is made": LOOP.format("del state[key + self.path]"),
    "what is kept changes": "return {k: plain(v) for k, v in vars(self).items()}",
    "a function, named": "state = without(self.__dict__)\nreturn state",
    "a function": "return without(self.__dict__)",
    "filter": 'return dict(filter(lambda item: item[0][0] != "_", self.__dict__.items()))',
    "a table that changes": "state = self.__dict__.copy()\nfor k in self.gone:\n    del state[k]\nreturn state",
    "both": 'return {k: v for k, v in vars(self).items() if k == "path" or v is None}',
}
PLAIN = {
    "of another": (
        'state = self.__dict__.copy()\nstate["path"] = {k: v for k, v in OWN if not k.startswith("_")}\nreturn state'
    ),
    "a table": "state = self.__dict__.copy()\nfor k in OWN:\n    state.pop(k, None)\nreturn state",
    "a look at it": "state = self.__dict__.copy()\ncount = len(state)\nprint(count)\nreturn state",
}


def _files(body: str) -> dict[str, str]:
    text = MIXIN.format(body=body.replace("\n", "\n        "))
    return {"transient.py": text, "run.py": USER}


@pytest.mark.parametrize("case", OUT)
def test_left_out(case: str) -> None:
    assert reported(_files(OUT[case]), RULE, confidence=Confidence.POSSIBLE) == []


@pytest.mark.parametrize("case", KEPT)
def test_another_is_left_out(case: str) -> None:
    (found,) = reported(_files(KEPT[case]), RULE)
    assert found.confidence is Confidence.PROVEN and (found.fix is not None) is (case == "loop")
    expected = "perhaps `self.path`, which a copy would need" if case == "filled" else "of no plain shape"
    assert expected in (found.reason or expected)


@pytest.mark.parametrize("store", ["self._path = path", "other = path"])
def test_the_copy_would_lack_what_it_is_made_from(store: str) -> None:
    files = _files(KEPT["loop"].replace('"__"', '"_p"'))
    files["run.py"] = files["run.py"].replace("self.path = path", store)
    (found,) = reported(files, RULE)
    assert found.reason == (
        "the `__getstate__` of `Transient` (transient.py:9) leaves attributes out by a test, perhaps `self._path`, "
        "which a copy would need; name there what it leaves out"
    )


@pytest.mark.parametrize("case", UNKNOWN)
def test_not_known(case: str) -> None:
    (found,) = reported(_files(UNKNOWN[case]), RULE, confidence=Confidence.POSSIBLE)
    assert found.confidence is Confidence.POSSIBLE and found.fix is None
    assert "leaves attributes out by a test, perhaps `self._fh`; name there" in (found.reason or "")


@pytest.mark.parametrize("case", PLAIN)
def test_no_test_of_all_attributes(case: str) -> None:
    (found,) = reported(_files(PLAIN[case]), RULE)
    assert found.confidence is Confidence.PROVEN and found.fix is not None


def test_its_own_in_a_class_alone() -> None:
    files = _files(OUT["comprehension"])
    text = files["transient.py"].replace("Transient", "Rows") + files["run.py"].split("Rows(Transient):\n")[1]
    assert reported({"run.py": "import multiprocessing\n" + text}, RULE, confidence=Confidence.POSSIBLE) == []


BELOW = """\
import pickle
import threading


class Base:
    def __init__(self):
        self.lock = threading.Lock()
        self.small = True


class Child(Base):
    def __getstate__(self):
        state = dict(self.__dict__)
        {}
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()


{}
"""

GIVES_ALL = "class Full(Child):\n    def __getstate__(self):\n        return dict(self.__dict__, size=1)\n\n"
SUPER = "super().__getstate__()"


@pytest.mark.parametrize(
    ("body", "made", "sure"),
    [
        ('if not self.small:\n            state.pop("lock")', "pickle.dumps(Child())", True),
        ('if "lock" in state:\n            del state["lock"]', "pickle.dumps(Child())", False),
        ('if self.small:\n            return state\n        del state["lock"]', "pickle.dumps(Child())", True),
        ('size = 1 if self.small else 2\n        state.pop("lock")', "pickle.dumps(Child())", False),
        (
            'try:\n            del state["lock"]\n        except KeyError:\n            pass',
            "pickle.dumps(Child())",
            False,
        ),
        (
            'state = state if self.small else {k: v for k, v in state.items() if k != "lock"}',
            "pickle.dumps(Child())",
            True,
        ),
        (
            'try:\n            self.go()\n            del state["lock"]\n        except OSError:\n            pass',
            "pickle.dumps(Child())",
            True,
        ),
        (
            'if self.small:\n            state = {k: v for k, v in state.items() if k != "lock"}',
            "pickle.dumps(Child())",
            True,
        ),
        ('state["lock"] = None', "pickle.dumps(Child())", False),
        ('state["lock"] = self.lock', "pickle.dumps(Child())", True),
        ('state = {k: v for k, v in state.items() if k != "lock"}', "pickle.dumps(Child())", False),
        ('state.pop("lock")', f"{GIVES_ALL}pickle.dumps(Full())", True),
        ('state.pop("lock")', f"{GIVES_ALL.replace('self.__dict__', SUPER)}pickle.dumps(Full())", False),
        ('state.pop("lock")', "pickle.dumps(Child())", False),
        ('del state["lock"]', "pickle.dumps(Child())", False),
        ('state.pop("path", 0)', "pickle.dumps(Child())", True),
        ('state.pop("lock")', "pickle.dumps((Child(), Base()))", True),
        ('state.pop("lock")', "class Other(Base): pass\n\npickle.dumps((Child(), Other()))", True),
    ],
)
def test_a_class_below_that_leaves_it_out(body: str, made: str, sure: bool) -> None:
    found = reported({"a.py": BELOW.format(body, made)}, RULE)
    assert [each.span.line for each in found] == [7] * sure
