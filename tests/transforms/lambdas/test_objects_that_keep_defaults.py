"""Default values of the moment that calls may pass by position are kept by an object with `__call__`."""

from __future__ import annotations

import pickle
import sys
import types

import pytest

from harness.each_row import each_row
from harness.hoisting import hoisted
from harness.meaning import rewritten

START = """\
class limits:
    low = 0
    high = 9

log = []

def said(value):
    log.append(value)
    return value

"""
CLIP = (
    START
    + """\
def build(scale):
    def clip(value, low=said(limits.low), *, high=said(limits.high)):
        '''Clip it.'''
        return scale, max(value, low) if low is not None else value, high

    return clip
"""
)
USES = """
def uses():
    log.clear()
    one = build(1)
    limits.low = 5
    limits.high += 1
    two = build(two_of)
    limits.low = 0
    same = one == two, len({one, two}), list(log)
    return [same, *(call for clip in (one, two) for call in (clip(2), clip(2, 3), clip(2, low=1), clip(2, None)))]
two_of = 2
"""


def results(text: str) -> object:
    made: dict[str, object] = {"__name__": "clips"}
    exec(text + "\nfound = uses()\n", made)
    return made["found"]


@each_row(
    ("old", "new", "written"),
    [
        pytest.param("", "", "return _BuildClip(scale, low=said(limits.low), high=said(limits.high))", id="plain"),
        pytest.param(
            "max(value, low) if low is not None else value",
            "[(lambda: low or value)() for _ in range(high - 7)]",
            "return self._scale, [(lambda: low or value)() for _ in range(high - 7)], high\n",
            id="inner functions read it",
        ),
        pytest.param(
            "*, high=said(limits.high)", "**high", "def __call__(self, /, value, low=_unset, **high)", id="any"
        ),
        pytest.param("'''Clip it.'''", "_unset = 1", "low = self._low if low is self._unset_2 else low\n", id="in use"),
        pytest.param("'''Clip it.'''", "low = low or 0", "\n        low = low or 0\n", id="it is bound again"),
        pytest.param(
            "return scale,",
            "if value > 1:\n            return clip(value - 1)\n        return scale,",
            "return self(value - 1)",
            id="it calls itself",
        ),
    ],
)
def test_defaults_are_kept(old: str, new: str, written: str) -> None:
    text = (CLIP + USES).replace(old, new) if old else CLIP + USES
    after, reasons = hoisted(text)
    assert not reasons
    assert written in after and "class _BuildClip:" in after
    assert results(text) == results(after)


def test_a_lambda_called_by_position() -> None:
    text = "def uses():\n    steps = [lambda x, i=i: (x, i) for i in (3, 4)]\n"
    text += "    return [step(1) for step in steps] + [step(1, None) for step in steps]\n"
    after, reasons = hoisted(text)
    assert not reasons
    assert "i = self.i if i is self._unset else i\n" in after
    assert results(text) == results(after) == [(1, 3), (1, 4), (1, None), (1, None)]


def test_defaults_cross_with_the_object(monkeypatch: pytest.MonkeyPatch) -> None:
    after, _ = hoisted(CLIP + USES)
    module = types.ModuleType("clips_of_mine")
    monkeypatch.setitem(sys.modules, "clips_of_mine", module)
    exec(after, module.__dict__)
    clip = module.build(7)
    module.limits.low = 8
    again = pickle.loads(pickle.dumps(clip))
    assert again(2) == clip(2) == (7, 2, 9) and again(2, 6, high=1) == (7, 6, 1)


@each_row(
    ("old", "new"),
    [
        pytest.param("def clip", "async def clip", id="a coroutine function"),
        pytest.param("return scale,", "yield scale,", id="a generator function"),
        pytest.param("value, low=", "self, low=", id="a function for a class"),
        pytest.param("\n        '''Clip it.'''\n        return", " return", id="all on one line"),
        pytest.param("value, low=", "low=said(0), /, value=", id="positional only"),
    ],
)
def test_defaults_are_not_kept(old: str, new: str) -> None:
    text = (CLIP + "\ndef use(clip):\n    return clip(2, 3)\n").replace(old, new)
    after, reasons = hoisted(text)
    assert after == text and len(reasons) == 1


def test_defaults_of_a_function_that_reads_self_are_not_kept() -> None:
    text = CLIP.replace("build(scale)", "build(self)").replace("return scale", "return self.scale")
    text = text.replace("def build", "class Box:\n    scale = 1\n    def build")
    head, _, body = text.partition("    def build(self):\n")
    text = head + "    def build(self):\n" + "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    text += "\ndef use(clip):\n    return clip(2, 3)\n"
    after, reasons = hoisted(text)
    assert after == text and "may be passed by position" in reasons[0]


@each_row(
    "use",
    [
        "import inspect\nprint(inspect.signature(clip))",
        "import inspect\nprint(inspect.getfullargspec(clip).defaults)",
        "clip.__defaults__ = (3,)",
        "clip.__kwdefaults__ = {'high': 3}",
        "print(clip.__defaults__)",
    ],
)
def test_defaults_that_are_shown_are_not_kept(use: str) -> None:
    text = CLIP + f"\nclip = build(2)\nprint(clip(2, 3))\n{use}\n"
    after, _ = rewritten(text)
    assert "_BuildClip" not in after
    assert "_BuildClip" in rewritten(text.replace(use, ""))[0]
