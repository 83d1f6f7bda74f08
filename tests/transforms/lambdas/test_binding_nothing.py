"""A `__get__` that binds functions matters only where a class holds an object of its class."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
from multiprocessing import Pool

class Step:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args):
        return self.fn(*args)

    def __get__(self, obj, owner=None):
        return self.fn.__get__(obj, owner)

def build(k):
    return Step(lambda x: x * k)
{}
if __name__ == '__main__':
    print(Pool(2).map(build(3), [1]))
"""


@each_row(
    "more",
    ["", "class Plain:\n    def run(self):\n        return build(2)(1)\n", "STEP = Step(len)\n"],
)
def test_an_object_that_no_class_holds_is_never_bound(more: str) -> None:
    after = migrated({"a.py": PROGRAM.format(more)}, "lambdas")["a.py"]
    assert "return Step(functools.partial(" in after


@each_row(
    "more",
    [
        "class Holder:\n    step = build(2)\n",
        "class Holder:\n    @Step\n    def step(self):\n        return 1\n",
        "class Holder(Step):\n    pass\n",
        "class Holder:\n    pass\nHolder.step = build(2)\n",
        "def put(cls):\n    setattr(cls, 'step', build(2))\n",
        "def other(k):\n    return build(k)\nclass Holder:\n    step = other(2)\n",
    ],
)
def test_one_that_a_class_may_hold(more: str) -> None:
    (reason,) = reasons({"a.py": PROGRAM.format(more)}, "lambdas")
    assert "`__get__`" in reason
