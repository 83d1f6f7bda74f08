"""A function that reads `self` and keeps attributes is an object with `__call__`, which keeps that object."""

from __future__ import annotations

import pickle
import sys
import types

import pytest

from harness.each_row import each_row
from harness.hoisting import hoisted

TAP = """\
class Tap:
    def __init__(self, rate):
        self.rate = rate
        def pour(cups):
            pour.poured += cups
            return cups * self.rate
        pour.poured = 0
        self.pour = pour
"""
USE = "\ndef use(tap):\n    return tap.pour(2), tap.pour.poured\n"


def namespace(text: str, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("taps_of_mine")
    monkeypatch.setitem(sys.modules, "taps_of_mine", module)
    exec(text, module.__dict__)  # its classes are found there
    return module


def test_objects_of_two_calls_keep_their_own_self(monkeypatch: pytest.MonkeyPatch) -> None:
    after, reasons = hoisted(TAP + USE)
    assert not reasons
    assert "        pour = _TapPour(self)\n" in after
    module = namespace(after, monkeypatch)
    one, two = module.Tap(1), module.Tap(3)
    assert one.pour != two.pour and len({one.pour, two.pour}) == 2
    assert module.use(one) == (2, 2)
    two.rate = 10
    assert module.use(two) == (20, 2) and one.pour.poured == 2
    for sent in (two, two.pour):  # whichever of both is met first
        found = pickle.loads(pickle.dumps({"sent": sent, "tap": two}))
        tap = found["tap"]
        assert found["sent"] is (tap if sent is two else tap.pour)
        tap.rate = 5
        assert module.use(tap) == (10, 4) and two.pour.poured == 2


@each_row(
    ("old", "new", "written"),
    [
        pytest.param("self", "this", "return cups * self.owner.rate\n", id="another name of self"),
        pytest.param(
            "return cups * self.rate", "return f'{self.rate}'", "return f'{self.owner.rate}'\n", id="in a text"
        ),
        pytest.param(
            "return cups * self.rate",
            "return [self.rate for _ in range(cups)]",
            "return [self.owner.rate for _ in range(cups)]\n",
            id="in a comprehension",
        ),
        pytest.param("cups", "owner", "return owner * self.owner_2.rate\n", id="a parameter called so"),
        pytest.param("poured", "owner", "return cups * self.owner_2.rate\n", id="an attribute called so"),
        pytest.param(
            "        def pour(cups):\n            pour.poured += cups",
            "        base = rate - 1\n        def pour(cups):\n            pour.poured += cups - base",
            "    def __init__(self, owner, base):\n        self.owner = owner\n        self.base = base\n",
            id="a value beside it",
        ),
    ],
)
def test_self_is_kept(old: str, new: str, written: str) -> None:
    text = (TAP + USE).replace(old, new)
    after, reasons = hoisted(text)
    assert not reasons
    assert written in after
    results = []
    for code in (text, after):
        made: dict[str, object] = {"__name__": "taps"}
        exec(code + "\ntap = Tap(3)\nfound = use(tap)\ntap.rate += 1\nfound += use(tap)\n", made)
        results.append(made["found"])
    assert results[0] == results[1]


@each_row(
    ("old", "new", "reason"),
    [
        pytest.param(
            "    def __init__",
            "    def __setstate__(self, state):\n        self.__init__(state['rate'])\n    def __init__",
            "a class with `__call__` would keep `self`, and `Tap` (train.py:1) has a `__setstate__`: pass what",
            id="made anew by pickle",
        ),
        pytest.param(
            "class Tap:\n",
            "class Base:\n    def __new__(cls, rate):\n        return object.__new__(cls)\nclass Tap(Base):\n",
            "a class with `__call__` would keep `self`, and `Base` (train.py:1) has a `__new__`: pass what it needs",
            id="made by a base with arguments",
        ),
        pytest.param(
            "        self.rate = rate\n",
            "        import json\n        self.rate, self.json = rate, 1\n        self.json = json\n",
            "a class with `__call__` would carry the whole `self` along with a module `self.json`",
            id="what can't be sent",
        ),
        pytest.param(
            "self.rate", "self.__rate", "it takes more than values of its place: use a class", id="a private name"
        ),
        pytest.param(
            "return cups * self.rate", "return (lambda self: self)(cups) * self.rate", "", id="another self in it"
        ),
        pytest.param("def pour(cups)", "async def pour(cups)", "", id="a coroutine function"),
    ],
)
def test_self_is_not_kept(old: str, new: str, reason: str) -> None:
    text = (TAP + USE).replace(old, new)
    after, reasons = hoisted(text)
    assert "_TapPour(" not in after
    assert any(reason in each for each in reasons), reasons


@each_row(
    "burden",
    ["a lock `self.rate` (m.py:3)", "the class itself, a thread"],
)
def test_self_that_can_not_be_sent_is_named(burden: str) -> None:
    after, reasons = hoisted(TAP + USE, burdens=[burden])
    assert after == TAP + USE
    assert any(
        "attributes are set on it, and a class with `__call__` would carry the whole `self`" in each for each in reasons
    )
