"""A function whose parameters all have a default of its own moment: a partial, or an object if some go by position."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
import multiprocessing
import random

STATE = {{}}


def make(phase):
    def init(offset=random.randrange(9), seen=[]):
        seen.append(offset)
        STATE[phase] = offset

    return init


def work(x):
    return x


if __name__ == "__main__":
    init = make("a")
    {use}
"""


@each_row(
    "use",
    [
        "multiprocessing.Pool(2, initializer=init).map(work, [1])",
        "multiprocessing.Process(target=init).start()",
        "init(); multiprocessing.Process(target=init, kwargs={'offset': 1}).start()",
    ],
)
def test_defaults_become_keywords(use: str) -> None:
    after = migrated({"a.py": PROGRAM.format(use=use)}, "lambdas")["a.py"]
    assert "partial(_make_init, phase, offset=random.randrange(9), seen=[])" in after
    assert "def _make_init(phase, offset=None, seen=None):" in after


@each_row(
    "use",
    [
        "multiprocessing.Pool(2, init, (1,)).map(work, [1])",
        "init(3); multiprocessing.Process(target=init).start()",
        "multiprocessing.Pool(2, init).map(work, [1]); multiprocessing.Process(target=init, args=(1,)).start()",
    ],
)
def test_defaults_that_may_be_given_by_position(use: str) -> None:
    after = migrated({"a.py": PROGRAM.format(use=use)}, "lambdas")["a.py"]
    assert "return _MakeInit(phase, offset=random.randrange(9), seen=[])" in after
    assert "def __call__(self, offset=_unset, seen=_unset):" in after


def test_a_coroutine_function_whose_defaults_may_be_given_by_position() -> None:
    use = "multiprocessing.Pool(2, init, (1,)).map(work, [1])"
    (said,) = reasons({"a.py": PROGRAM.replace("def init", "async def init").format(use=use)}, "lambdas")
    assert "may be passed by position: pass it as an argument" in said
