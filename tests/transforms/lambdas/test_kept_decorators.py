"""The rule `lambdas`: decorators that are applied where the function stood."""

from __future__ import annotations

import pytest

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
    ],
)
def test_any_other_decorator_is_refused(definition: str) -> None:
    text = _KEEPER + definition + _USE.format(decorator="step")
    _, reasons = hoisted(text)
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
