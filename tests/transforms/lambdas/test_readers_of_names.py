"""Who reads the name, the type or the text of functions, also where another function hands them over."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

TEXT = """\
import multiprocessing as mp


def title(step):
    return {title}


class Flow:
    def __init__(self, steps):
        self.steps = steps

    def __repr__(self):
        return " > ".join({titles})

    def run(self, queue):
        queue.put([step(1) for step in self.steps])


def main(limit):
    def top(x):
        return x * limit

    flow = Flow([top, lambda x: x - limit])
    process = mp.Process(target=flow.run, args=(mp.Queue(),))
    process.start()
    print(flow)
"""
EACH = ("map(title, self.steps)", "(title(step) for step in self.steps)")


@pytest.mark.parametrize("titles", EACH)
@pytest.mark.parametrize(
    "title", ["step.__name__", "getattr(step, '__name__', '?')", "step.__name__ if hasattr(step, '__name__') else '?'"]
)
def test_objects_that_have_the_name(title: str, titles: str) -> None:
    after = migrated({"train.py": TEXT.format(title=title, titles=titles)}, "lambdas")["train.py"]
    assert '__name__ = "top"' in after and '__name__ = "<lambda>"' in after


@pytest.mark.parametrize("titles", EACH)
@pytest.mark.parametrize(
    "title", ["type(step).__name__", "step.__qualname__", "repr(step).split()[0]", "str(step)[1:9]"]
)
def test_what_no_object_answers_as_a_function(title: str, titles: str) -> None:
    assert len(reasons({"train.py": TEXT.format(title=title, titles=titles)}, "lambdas")) == 2


@pytest.mark.parametrize("title", ["repr(step)", "str(step)", "str(len(self.steps))"])
def test_a_text_that_is_only_shown(title: str) -> None:
    assert (
        "functools.partial(" in migrated({"train.py": TEXT.format(title=title, titles=EACH[0])}, "lambdas")["train.py"]
    )
