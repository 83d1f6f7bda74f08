"""The rule `lambdas`: decorators that are applied where the function stood."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.hoisting import hoisted
from harness.small import migrated

_KEEPER = """\
class Step:
    def __init__(self, fn, name=""):
        self.fn = fn
        self.name = name


"""
_USE = """

def build(ds, n):
    @{decorator}
    def rows(x):
        return x + n

    ds.map(rows)
"""
_GIVES_A_STEP = "def step(fn):\n    return Step(fn)\n"


@pytest.mark.parametrize(
    ("definition", "decorator"),
    [
        pytest.param("", "Step", id="a class"),
        pytest.param(_GIVES_A_STEP, "step", id="a function that makes an object"),
        pytest.param("def step(fn):\n    made = Step(fn=fn)\n    return made\n", "step", id="through a variable"),
        pytest.param(
            "def named(name):\n    def keep(fn):\n        return Step(fn, name)\n    return keep\n",
            'named("a")',
            id="with an argument",
        ),
        pytest.param("from speechbrain.utils.data_pipeline import takes\n", 'takes("path")', id="of a library"),
        pytest.param(
            "class Table:\n    def __init__(self):\n        self.all = []\n\n    def keep(self, fn):\n"
            "        self.all.append(fn)\n        return fn\n\n\nTABLE = Table()\n",
            "TABLE.keep",
            id="put in a list",
        ),
        pytest.param(
            "class Last:\n    def __init__(self, fn, name=''):\n        self.fn, self.name = fn, name.upper()\n",
            "Last",
            id="a class that reads an attribute of an argument",
        ),
        pytest.param("def step(fn):\n    print(callable(fn))\n    return fn\n", "step", id="asked"),
        pytest.param("LIVE = set()\ndef kept(fn):\n    LIVE.add(fn)\n    return fn\n", "kept", id="put in a set"),
        pytest.param("ALL = []\ndef kept(fn):\n    ALL.append(fn)\n    return fn\n", "kept", id="put in a list of all"),
        pytest.param("TABLE = {}\ndef kept(fn):\n    TABLE[1] = fn\n    return fn\n", "kept", id="put in a table"),
        pytest.param(
            "def step(fn):\n    if isinstance(fn, Step):\n        fn.name = 'a'\n        return fn\n"
            "    return Step(fn)\n",
            "step",
            id="an attribute is set on an object",
        ),
        pytest.param(
            "class Table:\n    def keep(self, fn):\n        self.fn = fn\n        return fn\n\n\nTABLE = Table()\n",
            "TABLE.keep",
            id="a method",
        ),
    ],
)
def test_a_decorator_that_keeps_the_function_is_applied_in_place(definition: str, decorator: str) -> None:
    text = _KEEPER + definition + _USE.format(decorator=decorator)
    after, _ = hoisted(text)
    assert f"    rows = {decorator}(functools.partial(_build_rows, n))\n" in after
    assert "\ndef _build_rows(n, x):\n    return x + n\n" in after
    assert "@" not in after


@pytest.mark.parametrize(
    "definition",
    [
        pytest.param("def step(fn):\n    fn.seen = 1\n    return Step(fn)\n", id="an attribute is set on it"),
        pytest.param("def step(fn):\n    def call(x):\n        return fn(x)\n    return call\n", id="a wrapper"),
        pytest.param("def step(fn):\n    return Step(lambda x: fn(x))\n", id="a lambda around it"),
        pytest.param("def step(fn):\n    return fn(1)\n", id="it is called"),
        pytest.param("def step(fn):\n    fn = str(fn)\n    return fn\n", id="its name is bound again"),
        pytest.param("def step(fn):\n    print(fn)\n", id="nothing is given back"),
        pytest.param("def step(fn):\n    yield fn\n", id="a generator"),
        pytest.param("def step(fn):\n    return [fn]\n", id="a list"),
        pytest.param("def step(fn):\n    return unknown(fn)\n", id="a function that is not there"),
        pytest.param(
            "class Mark:\n    def __init__(self, fn):\n        fn.mark = self\n\n\n"
            "def step(fn):\n    return Mark(fn)\n",
            id="the object sets an attribute on it",
        ),
        pytest.param("from elsewhere import step\n", id="not in sight"),
        pytest.param("import functools\n@functools.cache\ndef step(fn):\n    return Step(fn)\n", id="decorated itself"),
        pytest.param("def step():\n    return Step(step)\n", id="it takes nothing"),
        pytest.param("def step(fn):\n    made = other = Step(fn)\n    return made\n", id="two names at once"),
        pytest.param("def step(fn):\n    made = Step(fn)\n    made = str(made)\n    return made\n", id="made again"),
        pytest.param("def step(fn):\n    yield 1\n    return fn\n", id="a generator that gives it back"),
        pytest.param("def step(fn):\n    if fn:\n        pass\n", id="a branch that gives nothing"),
        pytest.param("def step(fn):\n    other = 1\n    return other\n", id="something else is given back"),
        pytest.param("THINGS = []\ndef step(fn):\n    THINGS.index(fn)\n    return fn\n", id="compared with others"),
        pytest.param(
            "THINGS = Step(1)\ndef step(fn):\n    THINGS.add(fn)\n    return fn\n", id="passed to an object of its own"
        ),
        pytest.param(
            "THINGS = []\nTHINGS = Step(1)\ndef step(fn):\n    THINGS.add(fn)\n    return fn\n", id="bound twice"
        ),
        pytest.param(
            "def step(fn):\n    THINGS = []\n    THINGS.append(fn)\n    return fn\n", id="put in a list of its own"
        ),
        pytest.param(
            "def step(fn):\n    if isinstance(fn, Step):\n        return fn\n    else:\n        fn.name = 'a'\n"
            "        return Step(fn)\n",
            id="an attribute is set on what is no object",
        ),
        pytest.param(
            "def step(fn, other=None):\n    if isinstance(other, Step):\n        fn.name = 'a'\n        return fn\n"
            "    return Step(fn)\n",
            id="another one is asked for its class",
        ),
        pytest.param(
            "def step(fn):\n    if hasattr(fn, 'a'):\n        fn.a = 1\n        return fn\n    return Step(fn)\n",
            id="it is asked for an attribute",
        ),
        pytest.param(
            "def step(fn):\n    if issubclass(fn, Step):\n        fn.a = 1\n        return fn\n    return Step(fn)\n",
            id="it is asked for a base",
        ),
        pytest.param(
            "class step:\n    def __init__(self, fn):\n        fn.mark = self\n", id="a class that sets an attribute"
        ),
        pytest.param(
            "class step:\n    def __init__(self, fn):\n        setattr(fn, 'mark', self)\n",
            id="a class that sets an attribute by name",
        ),
        pytest.param(
            "import dataclasses\n@dataclasses.dataclass\nclass step:\n    fn: object\n", id="a class that is decorated"
        ),
        pytest.param(
            "if True:\n    class step:\n        def __init__(self, fn):\n            self.fn = fn\n",
            id="a class that stands in a branch",
        ),
    ],
)
def test_any_other_decorator_is_refused(definition: str) -> None:
    text = _KEEPER + definition + _USE.format(decorator="step")
    _, reasons = hoisted(text)
    assert any("its decorator `@step` may do more than wrap it" in reason for reason in reasons)


@each_row(
    "definition",
    [
        "def step(name):\n    def one(fn):\n        return fn\n    def two(fn):\n        return fn\n    return one\n",
        "def step(name):\n    def keep(fn):\n        return fn\n",
        "def step(name):\n    @print\n    def keep(fn):\n        return fn\n    return keep\n",
        "def step(name):\n    def keep(fn):\n        return fn\n    return name\n",
        "def step(name):\n    def keep(fn):\n        return fn\n    return name.keep\n",
        "def step(name):\n    def keep(fn):\n        return fn\n    if name:\n        return None\n    return keep\n",
        "class step:\n    def __init__(self, name):\n        pass\n    def __call__(self, fn):\n        return fn\n",
    ],
)
def test_a_factory_that_may_give_another_decorator_is_refused(definition: str) -> None:
    _, reasons = hoisted(_KEEPER + definition + _USE.format(decorator="step('a')"))
    assert any("its decorator `@step` may do more than wrap it" in reason for reason in reasons)


def test_what_only_the_decorator_needs_gets_no_name() -> None:
    table = (
        "class Bus:\n    def __init__(self):\n        self.handlers = {}\n\n    def on(self, event):\n"
        "        def register(fn):\n            self.handlers.setdefault(event, []).append(fn)\n            return fn\n"
        "        return register\n\n\n"
    )
    text = table + (
        "def build(run):\n    bus = Bus()\n\n    @bus.on('step')\n    def log_step(step):\n"
        "        return run, step\n\n    return bus\n"
    )
    after, _ = hoisted(text)
    assert "    bus.on('step')(functools.partial(_build_log_step, run))\n" in after
    assert "log_step =" not in after


def test_decorators_below_the_last_one_that_stays_move_along() -> None:
    text = "import torch\n\n\n" + _KEEPER + _GIVES_A_STEP + _USE.format(decorator="step\n    @torch.no_grad()")
    after, _ = hoisted(text)
    assert "@torch.no_grad()\ndef _build_rows(n, x):\n" in after
    assert "    rows = step(functools.partial(_build_rows, n))\n" in after


def test_a_wrapper_of_what_the_decorator_gives_is_refused() -> None:
    text = "import torch\n\n\n" + _KEEPER + _GIVES_A_STEP + _USE.format(decorator="torch.no_grad()\n    @step")
    _, reasons = hoisted(text)
    assert any("its decorator `@step` may do more than wrap it" in reason for reason in reasons)


def test_a_comment_behind_a_decorator_stays() -> None:
    text = _KEEPER + _GIVES_A_STEP + _USE.format(decorator="step  # each row")
    after, _ = hoisted(text)
    assert "# each row\ndef _build_rows(n, x):\n" in after


def test_a_function_that_uses_the_decorated_one_is_refused() -> None:
    text = _KEEPER + _GIVES_A_STEP + _USE.format(decorator="step").replace("x + n", "rows.fn(x - 1) if x else n")
    _, reasons = hoisted(text)
    assert any("it uses `rows`, which its decorator `@step` makes another object" in reason for reason in reasons)


VECTORIZED = """\
import multiprocessing

import numpy as np
{imported}

class Table:
    def __init__(self, shift):
        self.shifted = {vectorize}(lambda i: i + shift)


def show(table):
    print(table.shifted([1, 2]))


if __name__ == "__main__":
    multiprocessing.Process(target=show, args=(Table(1),)).start()
"""


def test_numpy_vectorize_keeps_its_function() -> None:
    after = migrated({"a.py": VECTORIZED.format(imported="", vectorize="np.vectorize")}, "lambdas")["a.py"]
    assert "self.shifted = np.vectorize(functools.partial(" in after


def test_numba_vectorize_compiles_it() -> None:
    text = VECTORIZED.format(imported="import numba", vectorize="numba.vectorize")
    assert hoisted(text)[0] == text
