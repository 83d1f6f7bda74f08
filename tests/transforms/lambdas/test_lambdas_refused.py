"""The rule `lambdas`: what stays, and why."""

from __future__ import annotations

import pytest

from harness import small
from harness.each_row import each_row
from harness.hoisting import hoisted


@each_row(
    ("text", "reason"),
    [
        pytest.param(
            """\
def build(scale):
    step = lambda x, k=scale: x.__n * k
    step(1, 2)
    return step
""",
            "`k` may be passed by position (line 3)",
            id="a kept value that a caller replaces",
        ),
        pytest.param(
            """\
from collections import OrderedDict


def build(scales):
    steps = OrderedDict()
    for scale in scales:
        steps[lambda x, k=scale: x.__n * k] = scale
    next(iter(steps))(1)
    return [step(1, 2) for step, _ in steps.items()]
""",
            "`k` may be passed by position (line 9)",
            id="a kept value that a caller of keys replaces",
        ),
        pytest.param(
            """\
class Sub(Base):
    def build(self):
        above = super()
        return self.map(lambda x: above.go(x))
""",
            "`above` is what `super()` gives (line 3), which can't be pickled either",
            id="what super gives",
        ),
        pytest.param(
            """\
import traceback


def build(limit):
    return lambda row: limit / row


def failed_in(error):
    return traceback.extract_tb(error.__traceback__)[-1].name
""",
            "`extract_tb` (line 9) may read the name of its code",
            id="a traceback that is read",
        ),
        pytest.param(
            """\
class Net:
    pass


def patch(scale):
    Net.forward = lambda row, x: x * scale
""",
            "stored on `Net` (line 6), which may be a class",
            id="put on a class",
        ),
        pytest.param(
            """\
def patch(net, scale):
    def forward(x, y):
        return y * scale

    setattr(type(net), "forward", forward)
""",
            "which may be a class",
            id="put on a class by setattr",
        ),
        pytest.param(
            """\
def patch(nets, scale):
    def forward(self, x):
        return x * scale

    for net in nets:
        net.forward = forward
""",
            "it takes `self` as a method does",
            id="made to be a method",
        ),
        pytest.param(
            """\
class Maker:
    def patch(self):
        Net.forward = lambda net, x: x * self.scale
""",
            "which may be a class",
            id="a method put on a class",
        ),
        pytest.param(
            """\
def build(ds):
    for i in range(3):
        ds.map(lambda x: x + i)
""",
            "`i` is a loop variable",
            id="a loop variable",
        ),
        pytest.param(
            """\
def build(ds, n):
    while n:
        n = n - 1
        ds.map(lambda x: x + n)
""",
            "in each round of a loop",
            id="bound anew in each round",
        ),
        pytest.param(
            """\
def build(ds, scale):
    ds.map(lambda x: x * scale)
    scale = 2
""",
            "`scale` is re-bound at line 3",
            id="re-bound afterwards",
        ),
        pytest.param(
            """\
def build(ds):
    n = 1
    ds.map(lambda x: x * n)
    n += 1
""",
            "`n` is re-bound at line 4",
            id="re-bound by +=",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: x * n)
    n = 1
""",
            "`n` is bound only later",
            id="bound only later",
        ),
        pytest.param(
            """\
def build(ds, flag):
    if flag:
        n = 1
    ds.map(lambda x: x * n)
""",
            "`n` may be unbound",
            id="bound on one path only",
        ),
        pytest.param(
            """\
def build(ds):
    return [ds.map(lambda x: x + i) for i in range(3)]
""",
            "`i` is a loop variable",
            id="a variable of a comprehension",
        ),
        pytest.param(
            """\
def build(ds):
    count = 0

    def step(x):
        nonlocal count
        count += 1
        return x

    return ds.map(step)
""",
            "nonlocal, line 5",
            id="nonlocal in the function",
        ),
        pytest.param(
            """\
def build(ds):
    count = 0

    def bump():
        nonlocal count
        count += 1

    bump()
    return ds.map(lambda x: x + count)
""",
            "`count` is re-bound from another function",
            id="nonlocal in another function",
        ),
        pytest.param(
            """\
def build(ds):
    n = 1
    fn = ds.map(lambda x: x + n)
    del n
    return fn
""",
            "`n` is deleted again",
            id="deleted variable",
        ),
        pytest.param(
            """\
def build(ds):
    try:
        ds.open()
    except OSError as error:
        return ds.map(lambda x: str(error))
""",
            "`error` is deleted again",
            id="the name of an exception",
        ),
        pytest.param(
            """\
class Sub(Base):
    def build(self):
        return self.map(lambda x: super(Sub, self).go(x))
""",
            "it uses `super`",
            id="super",
        ),
        pytest.param(
            """\
class Sub(Base):
    def build(self):
        return self.map(lambda x: __class__.go(x))
""",
            "it uses `__class__`",
            id="__class__",
        ),
        pytest.param(
            """\
def build(ds, expression):
    return ds.map(lambda x: eval(expression))
""",
            "it calls `eval`",
            id="eval in the body",
        ),
        pytest.param(
            """\
def build(ds):
    @REGISTRY.register("step")
    def step(x):
        return x
    return ds.map(step)
""",
            "its decorator `@REGISTRY.register`",
            id="a registry",
        ),
        pytest.param(
            """\
import numba


def build(ds):
    @numba.njit
    def step(x):
        return x
    return ds.map(step)
""",
            "its decorator `@numba.njit`",
            id="an unknown decorator",
        ),
        pytest.param(
            """\
def build(ds):
    return ds.map(lambda x: x * args.scale)


if __name__ == "__main__":
    args = parse()
    build(args)
""",
            "`args` is set only under the main guard",
            id="only under the main guard",
        ),
        pytest.param(
            """\
if __name__ == "__main__":
    def double(x):
        return 2 * x

    ds.map(lambda x: double(x))
""",
            "`double` exists only under the main guard",
            id="a function only under the main guard",
        ),
        pytest.param(
            """\
cfg = None


def main(ds):
    global cfg
    cfg = load()
    ds.map(lambda x: x * cfg.scale)
""",
            "`cfg` is set through `global`",
            id="set through global",
        ),
        pytest.param(
            """\
def build(ds):
    global step

    def step(x):
        return x

    return ds.map(step)
""",
            "`global step`",
            id="a function declared global",
        ),
        pytest.param(
            """\
def build(ds):
    class Row:
        values = load()

    def step(row: Row):
        return row

    return ds.map(step)
""",
            "an annotation names the local `Row`",
            id="an annotation from the function",
        ),
        pytest.param(
            """\
import inspect


def add(fn):
    assert inspect.isfunction(fn)


def build(n):
    add(lambda x: x + n)
""",
            "`isfunction` is used",
            id="isfunction in the file",
        ),
        pytest.param(
            """\
def build(ds, path):
    file = open(path)
    return ds.map(lambda x: file.read(x))
""",
            "`file` is an open file",
            id="captures an open file",
        ),
        pytest.param(
            """\
def build(ds, table):
    names = table.keys()
    return ds.map(lambda x: x in names)
""",
            "`names` is a live view",
            id="captures a view",
        ),
        pytest.param(
            """\
import threading


def build(ds):
    lock = threading.Lock()

    def step(x):
        with lock:
            return x

    return ds.map(step)
""",
            "`lock` is a lock",
            id="captures a lock",
        ),
        pytest.param(
            """\
def build(base):
    class Ds(base):
        pass

    return Ds()
""",
            "its base `base` is a variable",
            id="a class with a computed base",
        ),
        pytest.param(
            """\
def build(task):
    class Ds(get_dataset(task)):
        pass

    return Ds()
""",
            "its base `get_dataset(task)` is computed",
            id="a class with a called base",
        ),
        pytest.param(
            """\
def build():
    class Ds:
        seen = []

    return Ds()
""",
            "each call makes its own `seen`",
            id="a class with its own list",
        ),
        pytest.param(
            """\
def build():
    class Ds:
        size = 1

    Ds.size = 2
    return Ds()
""",
            "`Ds.size` is set",
            id="a class that is changed",
        ),
        pytest.param(
            """\
def build():
    class Ds(Base, name="ds"):
        pass

    return Ds()
""",
            "it is defined with `name=",
            id="a class with keywords",
        ),
        pytest.param(
            """\
class Ds:
    def build(self):
        return map_all(lambda x: __helper(x))
""",
            "two leading underscores",
            id="a mangled name outside a class",
        ),
        pytest.param(
            """\
def build(ds):
    return f"{ds.map(lambda x: x)}"
""",
            "inside an f-string",
            id="in an f-string",
        ),
        pytest.param(
            """\
def build(ds):
    for i in range(3):
        def inner(x):
            return x + i

        ds.map(lambda x: inner(x))
""",
            "`i` is a loop variable",
            id="a group with one that stays",
        ),
        pytest.param(
            """\
class Ds:
    def build(self, other):
        if other:
            self = other
        return self.map(lambda x: self.go(x))
""",
            "`self` is re-bound",
            id="self is re-bound",
        ),
        pytest.param(
            """\
def make():
    class Ds(load()):
        def build(self):
            return self.map(lambda x: self.go(x))

    return Ds
""",
            "itself defined inside a function",
            id="self in a local class",
        ),
        pytest.param(
            """\
class Ds:
    def __getattr__(self, name):
        return 1

    def build(self):
        return self.map(lambda x: self.go(x))
""",
            "defines `__getattr__`",
            id="self with __getattr__",
        ),
        pytest.param(
            """\
def build():
    from models import Net

    class Ds:
        def make(self):
            return Net()

    return Ds()
""",
            "it uses `Net`, imported in the function",
            id="a class that uses an import of the function",
        ),
        pytest.param(
            """\
def build():
    from torch.utils.data import Dataset

    class Ds(Dataset):
        pass

    return Ds()
""",
            "its base `Dataset` is imported in the function",
            id="a class with a base imported in the function",
        ),
        pytest.param(
            """\
try:
    from fast import Base
except ImportError:
    pass


def build():
    class Ds(Base):
        pass

    return Ds()
""",
            "`Base` (line 2) may not be there when the file is imported",
            id="a class with a base that may not be installed",
        ),
        pytest.param(
            """\
import sys

if sys.platform == "linux":
    STEP = 3


def build(ds):
    return Loader(ds, collate_fn=lambda batch, step=STEP: batch[::step])
""",
            "`STEP` (line 4) may not be there when the file is imported",
            id="a default that is bound under a condition",
        ),
    ],
)
def test_stays(text: str, reason: str) -> None:
    after, reasons = hoisted(text)
    assert after == text
    assert [each for each in reasons if reason in each], reasons


@each_row(
    ("made", "sent", "advice"),
    [
        ("queue.Queue(3)", "context.Process(target=work).start()",
         "`queue.Queue` is for threads, so make it by `Queue` of the `multiprocessing` context that starts it, which "),
        ("threading.Event()", "context.Process(target=work).start()",
         "`threading.Event` is for threads, so make it by `Event` of the `multiprocessing` context that starts it"),
        ("queue.Queue()", "context.Pool(2).apply(work)",
         "`queue.Queue` is for threads, so make it by `Queue` of a `multiprocessing.Manager()`, which processes share"),
        ("queue.PriorityQueue()", "context.Process(target=work).start()", "make it inside the function"),
    ],
)  # fmt: skip
def test_what_threads_share_is_shared_by_processes_in_another_form(made: str, sent: str, advice: str) -> None:
    text = (
        "import multiprocessing\nimport queue\nimport threading\n\n\ndef run():\n"
        f"    results = {made}\n    context = multiprocessing.get_context('spawn')\n\n"
        f"    def work():\n        results.put(1)\n\n    {sent}\n    return results\n"
    )
    (reason,) = small.reasons({"a.py": text}, "lambdas")
    assert advice in reason


ANNOTATED = """\
{}
from torch.utils.data import DataLoader


def main(rows):
    def first(batch: kinds.of(1)):
        return batch[0]

    for each in DataLoader(rows, num_workers=2, collate_fn=first):
        print(each)


if __name__ == "__main__":
    main([1])
"""


@each_row(
    ("head", "moves"),
    [("annotations", True), ("division, annotations", True), ("division", False), (None, False)],
)
def test_annotations_that_are_not_evaluated(head: str | None, moves: bool) -> None:
    text = ANNOTATED.format("" if head is None else f"from __future__ import {head}")
    (finding,) = small.reported({"train.py": text}, "lambdas")
    assert (finding.fix is not None) is moves
