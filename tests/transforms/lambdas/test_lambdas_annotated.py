"""The rule `lambdas` where the assignment of a function is annotated: all that holds of it without holds there too."""

from __future__ import annotations

import pytest

from harness.hoisting import hoisted

ANNOTATED = ("", ": Step", ": 'Callable[..., int]'")


@pytest.mark.parametrize("annotation", ANNOTATED)
def test_attributes_that_are_set_on_it_stay_possible(annotation: str) -> None:
    """Found by the differential test: it became a bound method, which takes none."""
    text = f"""\
class Trainer:
    def steps(self, rate):
        step{annotation} = lambda n, by=2: self.rate * n
        step.tag = 1
        return step
"""
    after, reasons = hoisted(text)
    assert not reasons
    assert "def _steps_step(self, n, by=2):\n    return self.rate * n\n" in after
    assert f"        step{annotation} = functools.partial(_steps_step, self)\n        step.tag = 1\n" in after


@pytest.mark.parametrize("annotation", ANNOTATED)
def test_a_class_that_keeps_it_makes_a_method_of_it(annotation: str) -> None:
    """A partial in its place would not get the object."""
    inside = """\
class Base:
    pass

def build(scale):
    class Local(Base, **OPTIONS):
        goANN = lambda this, n: n * scale
    return Local
"""
    on_it = """\
class Base:
    pass

def build(scale):
    stepANN = lambda this, n: n * scale
    Base.goANN = step
"""
    decorated = """\
def spoken(scale):
    return lambda this: this.word * scale

class Local:
    goANN = spoken(3)
"""
    for text in (inside, on_it, decorated):
        after, reasons = hoisted(text.replace("ANN", annotation))
        assert "partial" not in after, after
        assert any("class" in reason for reason in reasons), (text, reasons)


@pytest.mark.parametrize("annotation", ANNOTATED)
def test_a_lambda_that_another_uses_moves_with_it(annotation: str) -> None:
    after, reasons = hoisted(
        f"""\
def build(scale):
    step{annotation} = lambda n: n * scale
    return lambda n, k: step(n) + k
"""
    )
    assert not reasons
    left = f"    step{annotation} = functools.partial(_build_step, scale)\n" if annotation else ""  # nobody reads it
    assert f"def build(scale):\n{left}    return functools.partial(_build_fn, scale)\n" in after
    assert "def _build_fn(scale, n, k):\n    return _build_step(scale, n) + k\n" in after
