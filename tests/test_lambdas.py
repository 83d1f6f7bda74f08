"""The rule `lambdas`: what stays and why, and what each form becomes. Whole programs are in before_after/lambdas."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from codemods.finding import Fix
from codemods.migrate import check, plan
from codemods.project import Project
from codemods.rewrite.apply import edits_of
from codemods.rewrite.handover import Unknown
from codemods.rewrite.hoist import Refusal, Target, plan_hoist
from codemods.rewrite.scopes import FUNCTIONS, Scopes
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from codemods.verify import verify

PATH = "train.py"


def candidates(project: Project) -> list[Target]:
    """Every lambda, nested function and local class of the file, as if all of them crossed."""
    module = project.module(PATH)
    assert module is not None
    scopes = Scopes(module)
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Lambda):
            found.append(Target("lambda", node.lineno, node.col_offset))
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) and any(
            isinstance(above, FUNCTIONS) for above in scopes.ancestors(node)
        ):
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            found.append(Target(kind, node.lineno, node.col_offset))
    return found


class Carrying(Unknown):
    """All that is known is what instances of any class hold."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def burdens(self, path: str, class_line: int) -> Sequence[str]:
        return self.words


def hoisted(text: str, burdens: Sequence[str] = (), others: dict[str, str] | None = None) -> tuple[str, list[str]]:
    """The text with every candidate moved that may be, checked as the pipeline does, and the reasons for the rest."""
    contents = {PATH: text, **(others or {})}
    project = Project(MemoryFiles({path: each.encode() for path, each in contents.items()}))
    answers = plan_hoist(project, PATH, candidates(project), Carrying(burdens))
    fixes = list(dict.fromkeys(each for each in answers.values() if isinstance(each, Fix) and each.unsafe is None))
    edits = edits_of(fixes, project.source, project.module).get(PATH, [])
    source = project.source(PATH)
    assert source is not None
    after = source.apply(edits)
    if edits:
        assert verify(source, after, edits) is None
    reasons = [each.reason if isinstance(each, Refusal) else each.unsafe for each in answers.values()]
    return after, [reason for reason in reasons if reason is not None]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(
            """\
def build(scale):
    step = lambda x, k=scale: x * k
    step(1, 2)
    return step
""",
            "`k` may be given by position (line 3)",
            id="a kept value that a caller replaces",
        ),
        pytest.param(
            """\
class Net:
    pass


def patch(scale):
    Net.forward = lambda row, x: x * scale
""",
            "kept on `Net` (line 6), which may be a class",
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
    return ds.map(lambda x, seen=[]: seen.append(x))
""",
            "is made anew each time",
            id="a mutable default",
        ),
        pytest.param(
            """\
def build(ds, cfg):
    def step(x, scale=cfg.get("scale")):
        return x * scale

    return ds.map(step)
""",
            "is made anew each time",
            id="a default from a call",
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
            "it is made with `name=",
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
    class Ds:
        rows = load()

        def build(self):
            return self.map(lambda x: self.go(x))

    return Ds
""",
            "itself made inside a function",
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """\
def build(ds, n):
    ds.map(lambda x: x + 1, lambda x: x + n)
    ds.map(lambda x: x + 1, lambda x: x + n)
    ds.map(lambda x: x + 2)
""",
            """\
import functools


def _build_map(x):
    return x + 1


def _build_map_2(n, x):
    return x + n


def _build_map_3(x):
    return x + 2


def build(ds, n):
    ds.map(_build_map, functools.partial(_build_map_2, n))
    ds.map(_build_map, functools.partial(_build_map_2, n))
    ds.map(_build_map_3)
""",
            id="the same lambda twice",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: (
        x + 1  # one
    ))
    ds.map(lambda x: (
        x + 1  # two
    ))
""",
            """\
def _build_map(x):
    return (
        x + 1  # one
    )


def _build_map_2(x):
    return (
        x + 1  # two
    )


def build(ds):
    ds.map(_build_map)
    ds.map(_build_map_2)
""",
            id="the same lambda with comments of its own",
        ),
        pytest.param(
            """\
def test_loader(ds):
    def test_step(x):
        return x

    return ds.map(test_step)
""",
            """\
def _test_loader_test_step(x):
    return x


def test_loader(ds):
    return ds.map(_test_loader_test_step)
""",
            id="a nested function that pytest would collect",
        ),
        pytest.param(
            """\
def build_the_loader_of_all_the_samples_of_every_split(ds):
    return ds.map(collate_function=lambda x: x)
""",
            """\
def _collate_function(x):
    return x


def build_the_loader_of_all_the_samples_of_every_split(ds):
    return ds.map(collate_function=_collate_function)
""",
            id="a maker with a long name",
        ),
        pytest.param(
            """\
def build_loader(ds):
    return DataLoader(ds, collate_fn=lambda b: b)
""",
            """\
def _build_loader_collate_fn(b):
    return b


def build_loader(ds):
    return DataLoader(ds, collate_fn=_build_loader_collate_fn)
""",
            id="an argument",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda a, /, b=1, *args, c, d=-2.5, **kw: (a, b, args, c, d, kw))
""",
            """\
def _build_map(a, /, b=1, *args, c, d=-2.5, **kw):
    return (a, b, args, c, d, kw)


def build(ds):
    ds.map(_build_map)
""",
            id="every kind of parameter",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda: print("x"))
""",
            """\
def _build_map():
    return print("x")


def build(ds):
    ds.map(_build_map)
""",
            id="no parameters",
        ),
        pytest.param(
            """\
def build(ds, flag):
    return ds.map(None if flag else lambda x: -x)
""",
            """\
def _build_map(x):
    return -x


def build(ds, flag):
    return ds.map(None if flag else _build_map)
""",
            id="a conditional expression",
        ),
        pytest.param(
            """\
def build(ds, flag):
    fn = (lambda x: (x + 1))
    return ds.map(fn)
""",
            """\
def _build_fn(x):
    return x + 1


def build(ds, flag):
    fn = _build_fn
    return ds.map(fn)
""",
            id="parentheses around lambda and body",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: (x, 1))
""",
            """\
def _build_map(x):
    return (x, 1)


def build(ds):
    ds.map(_build_map)
""",
            id="a tuple body",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: (y := f"{x}!"))
""",
            """\
def _build_map(x):
    return (y := f"{x}!")


def build(ds):
    ds.map(_build_map)
""",
            id="walrus and f-string in the body",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: (yield x))
""",
            """\
def _build_map(x):
    return (yield x)


def build(ds):
    ds.map(_build_map)
""",
            id="yield",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(
        lambda x: dict(
            a=x,
            b=[
                x,  # twice
            ],
        ),
    )
""",
            """\
def _build_map(x):
    return dict(
        a=x,
        b=[
            x,  # twice
        ],
    )


def build(ds):
    ds.map(
        _build_map,
    )
""",
            id="a body over several lines",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: x.first
                     if x else
                     None)
""",
            """\
def _build_map(x):
    return (
        x.first
        if x else
        None
    )


def build(ds):
    ds.map(_build_map)
""",
            id="a body without parentheses of its own",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(
        lambda x: (
            x
            + 1
        )
    )
""",
            """\
def _build_map(x):
    return (
        x
        + 1
    )


def build(ds):
    ds.map(
        _build_map
    )
""",
            id="a parenthesised body over several lines",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(
        # above stays
        lambda x:  # keeps the rows
        x  # as they are
    )
""",
            """\
# keeps the rows
def _build_map(x):
    return x


def build(ds):
    ds.map(
        # above stays
        _build_map  # as they are
    )
""",
            id="comments inside the lambda",
        ),
        pytest.param(
            '''\
def build(ds):
    ds.map(lambda x: x.split("""a
  b"""))
''',
            '''\
def _build_map(x):
    return x.split("""a
  b""")


def build(ds):
    ds.map(_build_map)
''',
            id="a string over several lines",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: (lambda y=1: y)() + x)
""",
            """\
def _build_map(x):
    return (lambda y=1: y)() + x


def build(ds):
    ds.map(_build_map)
""",
            id="a lambda in a default of a lambda",
        ),
        pytest.param(
            """\
def build(ds, scale):
    return ds.map(lambda x: x * scale)
""",
            """\
import functools


def _build_map(scale, x):
    return x * scale


def build(ds, scale):
    return ds.map(functools.partial(_build_map, scale))
""",
            id="captures a parameter",
        ),
        pytest.param(
            """\
def build(ds, a):
    b = 2
    return ds.map(lambda x: b + x + a)
""",
            """\
import functools


def _build_map(b, a, x):
    return b + x + a


def build(ds, a):
    b = 2
    return ds.map(functools.partial(_build_map, b, a))
""",
            id="captures two, in order of use",
        ),
        pytest.param(
            """\
from functools import partial


def build(ds, a):
    return ds.map(lambda x: x + a)
""",
            """\
from functools import partial


def _build_map(a, x):
    return x + a


def build(ds, a):
    return ds.map(partial(_build_map, a))
""",
            id="functools imported another way",
        ),
        pytest.param(
            """\
def build(ds, flag):
    if flag:
        a = 1
    else:
        a = 2
    return ds.map(lambda x: x + a)
""",
            """\
import functools


def _build_map(a, x):
    return x + a


def build(ds, flag):
    if flag:
        a = 1
    else:
        a = 2
    return ds.map(functools.partial(_build_map, a))
""",
            id="bound on both branches",
        ),
        pytest.param(
            """\
def build(ds, path):
    with open(path) as file:
        meta = file.read()
    return ds.map(lambda x: x + meta)
""",
            """\
import functools


def _build_map(meta, x):
    return x + meta


def build(ds, path):
    with open(path) as file:
        meta = file.read()
    return ds.map(functools.partial(_build_map, meta))
""",
            id="bound in a with",
        ),
        pytest.param(
            """\
def build(ds, path):
    try:
        n = int(path)
    except ValueError:
        n = 0
    return ds.map(lambda x: x + n)
""",
            """\
import functools


def _build_map(n, x):
    return x + n


def build(ds, path):
    try:
        n = int(path)
    except ValueError:
        n = 0
    return ds.map(functools.partial(_build_map, n))
""",
            id="bound by try and except",
        ),
        pytest.param(
            """\
def build(ds, n):
    for row in ds:
        row.map(lambda x: x + n)
""",
            """\
import functools


def _build_map(n, x):
    return x + n


def build(ds, n):
    for row in ds:
        row.map(functools.partial(_build_map, n))
""",
            id="bound before a loop",
        ),
        pytest.param(
            """\
def build(ds):
    for i in range(3):
        ds.map(lambda x, i=i: x + i)
""",
            """\
import functools


def _build_map(x, i=None):
    return x + i


def build(ds):
    for i in range(3):
        ds.map(functools.partial(_build_map, i=i))
""",
            id="the default that keeps a loop variable",
        ),
        pytest.param(
            """\
def build(ds):
    import numpy as np
    from os import path
    return ds.map(lambda x: np.array(path.join(x)))
""",
            """\
def _build_map(x):
    import numpy as np
    from os import path
    return np.array(path.join(x))


def build(ds):
    return ds.map(_build_map)
""",
            id="an import of the function",
        ),
        pytest.param(
            """\
if __name__ == "__main__":
    args = parse()
    pool.map(lambda x: x * args.scale, [1])
""",
            """\
import functools

def _map(args, x):
    return x * args.scale


if __name__ == "__main__":
    args = parse()
    pool.map(functools.partial(_map, args), [1])
""",
            id="under the main guard",
        ),
        pytest.param(
            """\
ds = Dataset()
ds = ds.map(lambda x: x)
""",
            """\
ds = Dataset()


def _map(x):
    return x


ds = ds.map(_map)
""",
            id="at module level",
        ),
        pytest.param(
            """\
import os
double = lambda x: 2 * x  # twice
one = 1
""",
            """\
import os


# twice
def double(x):
    return 2 * x


one = 1
""",
            id="assigned at module level",
        ),
        pytest.param(
            """\
if FAST:
    double = lambda x: 2 * x
    one = 1
""",
            """\
if FAST:
    def double(x):
        return 2 * x

    one = 1
""",
            id="assigned in an if at module level",
        ),
        pytest.param(
            """\
class Ds:
    size = 1
    act = lambda x: x
    other = act
""",
            """\
class Ds:
    size = 1

    def act(x):
        return x

    other = act
""",
            id="assigned in a class",
        ),
        pytest.param(
            """\
double = lambda x: 2 * x
ds.map(double)
double = lambda x: x + x
""",
            """\
def _double(x):
    return 2 * x


double = _double
ds.map(double)


def _double_2(x):
    return x + x


double = _double_2
""",
            id="assigned twice at module level",
        ),
        pytest.param(
            """\
def build(ds):
    def step(x):
        return x

    return ds.map(step)
""",
            """\
def step(x):
    return x


def build(ds):
    return ds.map(step)
""",
            id="a nested function",
        ),
        pytest.param(
            '''\
import torch


def build(ds):
    ds.open()

    # Keeps the rows.
    @torch.no_grad()
    def step(
        x,
        *,
        fast: bool = False,  # not used
    ) -> list:
        """Step.

        Does nothing.
        """
        text = """a
    b"""
        return [
            x,
            text,
        ]
        # nothing else

    # map
    return ds.map(step)
''',
            '''\
import torch


# Keeps the rows.
@torch.no_grad()
def step(
    x,
    *,
    fast: bool = False,  # not used
) -> list:
    """Step.

    Does nothing.
    """
    text = """a
    b"""
    return [
        x,
        text,
    ]
    # nothing else


def build(ds):
    ds.open()

    # map
    return ds.map(step)
''',
            id="a nested function with comments",
        ),
        pytest.param(
            """\
def step(x):
    return 0


def build(ds):
    def step(x):
        return x

    ds.open(step)
    return ds.map(step)
""",
            """\
def step(x):
    return 0


def _build_step(x):
    return x


def build(ds):
    ds.open(_build_step)
    return ds.map(_build_step)
""",
            id="a nested function whose name is taken",
        ),
        pytest.param(
            """\
def build(ds):
    def filter(x):
        return x

    return ds.map(filter)
""",
            """\
def _build_filter(x):
    return x


def build(ds):
    return ds.map(_build_filter)
""",
            id="a nested function named like a builtin",
        ),
        pytest.param(
            """\
def build(ds, n):
    def step(x):
        return x + n

    return ds.map(step)
""",
            """\
import functools


def _build_step(n, x):
    return x + n


def build(ds, n):
    step = functools.partial(_build_step, n)

    return ds.map(step)
""",
            id="a nested function that captures",
        ),
        pytest.param(
            """\
def build(ds, flag):
    if flag:
        def step(x):
            return x
    else:
        def step(x):
            return -x
    return ds.map(step)
""",
            """\
def _build_step(x):
    return x


def _build_step_2(x):
    return -x


def build(ds, flag):
    if flag:
        step = _build_step
    else:
        step = _build_step_2
    return ds.map(step)
""",
            id="a nested function in a branch",
        ),
        pytest.param(
            """\
def step():
    pass


def build(ds):
    def step(x):
        return x

    print(f"{step}")
    return ds.map(step)
""",
            """\
def step():
    pass


def _build_step(x):
    return x


def build(ds):
    print(f"{_build_step}")
    return ds.map(_build_step)
""",
            id="a nested function named in an f-string",
        ),
        pytest.param(
            """\
def step():
    pass


def build(ds, what):
    def step(x):
        return x

    return ds.map(eval(what))
""",
            """\
def step():
    pass


def _build_step(x):
    return x


def build(ds, what):
    step = _build_step

    return ds.map(eval(what))
""",
            id="a nested function that eval may name",
        ),
        pytest.param(
            """\
def build(ds):
    def depth(x):
        return 1 + max(map(depth, x), default=0)

    return ds.map(depth)
""",
            """\
def depth(x):
    return 1 + max(map(depth, x), default=0)


def build(ds):
    return ds.map(depth)
""",
            id="a recursive function",
        ),
        pytest.param(
            """\
def build(ds, n):
    def depth(x):
        return n if not x else depth(x[1:])

    return ds.map(depth)
""",
            """\
import functools


def _build_depth(n, x):
    return n if not x else _build_depth(n, x[1:])


def build(ds, n):
    depth = functools.partial(_build_depth, n)

    return ds.map(depth)
""",
            id="a recursive function that captures",
        ),
        pytest.param(
            """\
def build(ds, n):
    def clean(x):
        return x.strip()

    def both(x, y):
        return clean(x) + clean(y) + str(n)

    return ds.map(lambda x: both(x, x))
""",
            """\
import functools


def clean(x):
    return x.strip()


def _build_both(n, x, y):
    return clean(x) + clean(y) + str(n)


def _build_map(n, x):
    return _build_both(n, x, x)


def build(ds, n):
    return ds.map(functools.partial(_build_map, n))
""",
            id="functions that use each other",
        ),
        pytest.param(
            """\
def build(ds):
    async def step(x):
        return x

    return ds.map(step)
""",
            """\
async def step(x):
    return x


def build(ds):
    return ds.map(step)
""",
            id="an async function",
        ),
        pytest.param(
            """\
class Ds:
    def __init__(self, scale):
        self.scale = scale
        self.transform = lambda x: x * self.scale

    def other(self):
        pass
""",
            """\
class Ds:
    def __init__(self, scale):
        self.scale = scale
        self.transform = self._transform

    def _transform(self, x):
        return x * self.scale

    def other(self):
        pass
""",
            id="captures self",
        ),
        pytest.param(
            """\
class Net(nn.Module):
    def __init__(self):
        self.hook = self.register(apply=lambda x: x * self.scale)
""",
            """\
class Net(nn.Module):
    def __init__(self):
        self.hook = self.register(apply=self._net_apply)

    def _net_apply(self, x):
        return x * self.scale
""",
            id="captures self where a base class is not known",
        ),
        pytest.param(
            """\
class Ds:
    def build(self, n):
        return self.map(lambda x: x * self.scale + n)
""",
            """\
import functools


class Ds:
    def build(self, n):
        return self.map(functools.partial(self._build_map, n))

    def _build_map(self, n, x):
        return x * self.scale + n
""",
            id="captures self and a local",
        ),
        pytest.param(
            """\
class Ds:
    def build(self, rows):
        def step(x):
            return x * self.scale

        return rows.map(step)
""",
            """\
class Ds:
    def build(self, rows):
        return rows.map(self._build_step)

    def _build_step(self, x):
        return x * self.scale
""",
            id="a nested function that captures self",
        ),
        pytest.param(
            """\
class Ds:
    def build(self):
        return self.map(lambda x: self.__scale * x)
""",
            """\
class Ds:
    def build(self):
        return self.map(self._build_map)

    def _build_map(self, x):
        return self.__scale * x
""",
            id="a mangled name of self",
        ),
        pytest.param(
            """\
class Ds:
    @property
    def fn(self):
        return lambda x: self.scale * x
    @fn.setter
    def fn(self, value):
        self.scale = value
    other = 1
""",
            """\
class Ds:
    @property
    def fn(self):
        return self._fn
    @fn.setter
    def fn(self, value):
        self.scale = value

    def _fn(self, x):
        return self.scale * x

    other = 1
""",
            id="self in a property",
        ),
        pytest.param(
            """\
class Ds:
    def _build_map(self):
        return 1

    def build(self):
        return self.map(lambda x: self.scale * x)
""",
            """\
class Ds:
    def _build_map(self):
        return 1

    def build(self):
        return self.map(self._build_map_2)

    def _build_map_2(self, x):
        return self.scale * x
""",
            id="a method name that is taken",
        ),
        pytest.param(
            """\
class Ds:
    @staticmethod
    def build(ds):
        return ds.map(lambda x: x)
""",
            """\
def _build_map(x):
    return x


class Ds:
    @staticmethod
    def build(ds):
        return ds.map(_build_map)
""",
            id="a static method",
        ),
        pytest.param(
            """\
class Ds:
    @classmethod
    def build(cls, ds):
        return ds.map(lambda x: cls(x))
""",
            """\
import functools


def _build_map(cls, x):
    return cls(x)


class Ds:
    @classmethod
    def build(cls, ds):
        return ds.map(functools.partial(_build_map, cls))
""",
            id="a class method",
        ),
        pytest.param(
            '''\
from bases import Base


def build():
    class Rows(Base):
        """Rows."""

        def __len__(self):
            return 3

    return Rows()
''',
            '''\
from bases import Base


class Rows(Base):
    """Rows."""

    def __len__(self):
        return 3


def build():
    return Rows()
''',
            id="a local class",
        ),
        pytest.param(
            """\
from bases import Base


def build():
    class A(Base):
        pass

    class B(A):
        pass

    return A(), B()
""",
            """\
from bases import Base


class A(Base):
    pass


class B(A):
    pass


def build():
    return A(), B()
""",
            id="local classes that inherit",
        ),
        pytest.param(
            """\
from collections import defaultdict


def build(ds):
    ds.a = defaultdict(lambda: 0)
    ds.b = defaultdict(lambda: [])
    ds.c = defaultdict(lambda: "")
    ds.d = defaultdict(lambda: defaultdict(int))
    ds.e = defaultdict(lambda: defaultdict(lambda: 0.0))
    ds.f = defaultdict(lambda: 1)
""",
            """\
import functools
from collections import defaultdict


def _build_f():
    return 1


def build(ds):
    ds.a = defaultdict(int)
    ds.b = defaultdict(list)
    ds.c = defaultdict(str)
    ds.d = defaultdict(functools.partial(defaultdict, int))
    ds.e = defaultdict(functools.partial(defaultdict, float))
    ds.f = defaultdict(_build_f)
""",
            id="a factory of zeros",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(lambda x: x[0])
    ds.map(lambda x: x["image"])
    ds.map(lambda x: x[-1])
    fn = lambda x: x[0]
    ds.map(lambda x: x[1:])
""",
            """\
import operator


def _build_fn(x):
    return x[0]


def _build_map(x):
    return x[1:]


def build(ds):
    ds.map(operator.itemgetter(0))
    ds.map(operator.itemgetter("image"))
    ds.map(operator.itemgetter(-1))
    fn = _build_fn
    ds.map(_build_map)
""",
            id="an item",
        ),
        pytest.param(
            """\
from collections import defaultdict


def build(ds, int):
    return defaultdict(lambda: 0)
""",
            """\
from collections import defaultdict


def _build_fn():
    return 0


def build(ds, int):
    return defaultdict(_build_fn)
""",
            id="a shadowed builtin",
        ),
        pytest.param(
            """\
def a():
    pass

def b():
    pass

def build(ds):
    return ds.map(lambda x: x)
""",
            """\
def a():
    pass

def b():
    pass

def _build_map(x):
    return x

def build(ds):
    return ds.map(_build_map)
""",
            id="one blank line between functions",
        ),
        pytest.param(
            """\
import os
# -----
# Builds it.
@decorated
def build(ds):
    return ds.map(lambda x: x)
""",
            """\
import os

def _build_map(x):
    return x

# -----
# Builds it.
@decorated
def build(ds):
    return ds.map(_build_map)
""",
            id="a comment above the function",
        ),
        pytest.param(
            """\
#!/usr/bin/env python
# Licence
def build(ds):
    return ds.map(lambda x: x)
""",
            """\
#!/usr/bin/env python
# Licence


def _build_map(x):
    return x


def build(ds):
    return ds.map(_build_map)
""",
            id="a header comment",
        ),
        pytest.param(
            """\
def build(ds):
  def step(x):
    if x:
      return 1
    return 2
  return ds.map(step, lambda x: x)
""",
            """\
def step(x):
  if x:
    return 1
  return 2


def _build_map(x):
  return x


def build(ds):
  return ds.map(step, _build_map)
""",
            id="two spaces",
        ),
        pytest.param(
            """\
def make_collate_fn():
    collate_fn = lambda b: b
    return collate_fn
""",
            """\
def _make_collate_fn(b):
    return b


def make_collate_fn():
    collate_fn = _make_collate_fn
    return collate_fn
""",
            id="a role that repeats the function",
        ),
        pytest.param(
            """\
def build(ds):
    return {"image-size": lambda x: x + 1, "b": [lambda x: x - 1]}
""",
            """\
def _build_image_size(x):
    return x + 1


def _build_b(x):
    return x - 1


def build(ds):
    return {"image-size": _build_image_size, "b": [_build_b]}
""",
            id="a key as role",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map("äöü", lambda x: "é" + x, lambda y: -y)
""",
            """\
def _build_map(x):
    return "é" + x


def _build_map_2(y):
    return -y


def build(ds):
    ds.map("äöü", _build_map, _build_map_2)
""",
            id="non-ASCII text before it",
        ),
        pytest.param(
            """\
def build(ds, cfg):
    match cfg:
        case {"n": n, **rest}:
            return ds.map(lambda x: x + n + len(rest))
""",
            """\
import functools


def _build_map(n, rest, x):
    return x + n + len(rest)


def build(ds, cfg):
    match cfg:
        case {"n": n, **rest}:
            return ds.map(functools.partial(_build_map, n, rest))
""",
            id="a match statement",
        ),
        pytest.param(
            """\
TABLE = {"relu": dict(func=lambda x: max(x, 0)), "none": dict(func=lambda x: x)}
""",
            """\
def _relu_func(x):
    return max(x, 0)


def _none_func(x):
    return x


TABLE = {"relu": dict(func=_relu_func), "none": dict(func=_none_func)}
""",
            id="keywords in a dict",
        ),
        pytest.param(
            """\
def build(ds, monitor_options, wrapper_options, environment_options, environment):
    def init():
        return environment(ds, monitor_options, wrapper_options, environment_options)

    return init
""",
            """\
import functools


def _build_init(environment, ds, monitor_options, wrapper_options, environment_options):
    return environment(ds, monitor_options, wrapper_options, environment_options)


def build(ds, monitor_options, wrapper_options, environment_options, environment):
    return functools.partial(
        _build_init,
        environment,
        ds,
        monitor_options,
        wrapper_options,
        environment_options,
    )
""",
            id="too much for one line",
        ),
        pytest.param(
            """\
def build(ds, fn=lambda x: x):
    return ds.map(fn)
""",
            """\
def _fn(x):
    return x


def build(ds, fn=_fn):
    return ds.map(fn)
""",
            id="a default in the enclosing signature",
        ),
    ],
)
def test_moves(text: str, expected: str) -> None:
    assert hoisted(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "burdens", "expected"),
    [
        pytest.param(
            """\
class Trainer:
    def __init__(self, net, scale):
        self.net = net
        self.scale = scale

    def run(self, rows):
        return rows.map(lambda row: row * self.scale)
""",
            ("the model `self.net` (train.py:3)",),
            """\
import functools


def _run_map(scale, row):
    return row * scale


class Trainer:
    def __init__(self, net, scale):
        self.net = net
        self.scale = scale

    def run(self, rows):
        return rows.map(functools.partial(_run_map, self.scale))
""",
            id="reads an attribute set once",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows, n):
        return rows.map(lambda row: row * self.scale + n + self.scale)
""",
            ("the model `self.net` (train.py:3)",),
            """\
import functools


def _run_map(scale, n, row):
    return row * scale + n + scale


class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows, n):
        return rows.map(functools.partial(_run_map, self.scale, n))
""",
            id="reads an attribute and a local",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows):
        self.scale = 2
        return rows.map(lambda row: row * self.scale)
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="reads an attribute set again",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows):
        return rows.map(lambda row: self.step(row))

    def step(self, row):
        return row
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="calls a method",
        ),
        pytest.param(
            """\
class Trainer:
    def __init__(self, net):
        self.net = net

    def run(self, rows):
        return rows.map(lambda row: self.net(row))
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="reads the burden itself",
        ),
        pytest.param(
            """\
class Trainer:
    def run(self, rows):
        return rows.map(lambda row: step(self, row))
""",
            ("the model `self.net` (train.py:3)",),
            None,
            id="passes self on",
        ),
    ],
)
def test_self_that_carries_a_model(text: str, burdens: Sequence[str], expected: str | None) -> None:
    after, reasons = hoisted(text, burdens)
    assert after == (expected or text)
    if expected is None:
        assert [each for each in reasons if "along with the model `self.net`" in each], reasons


def test_windows_newlines_and_tabs_are_kept() -> None:
    text = "def build(ds):\r\n\tdef step(x):\r\n\t\treturn x\r\n\r\n\treturn ds.map(step, lambda x: x)"
    expected = (
        "def step(x):\r\n\treturn x\r\n\r\n\r\ndef _build_map(x):\r\n\treturn x\r\n\r\n\r\n"
        "def build(ds):\r\n\treturn ds.map(step, _build_map)"
    )
    assert hoisted(text)[0] == expected


def test_method_at_the_end_of_a_file_without_newline() -> None:
    text = "class Ds:\n    def build(self):\n        return self.map(lambda x: self.go(x))"
    expected = (
        "class Ds:\n    def build(self):\n        return self.map(self._build_map)\n\n"
        "    def _build_map(self, x):\n        return self.go(x)"
    )
    assert hoisted(text)[0] == expected


def test_method_name_taken_in_another_file() -> None:
    text = "class Ds:\n    def build(self):\n        return self.map(lambda x: self.go(x))\n"
    after, _ = hoisted(text, others={"sub.py": "class Sub(Ds):\n    def _build_map(self):\n        pass\n"})
    assert "return self.map(self._build_map_2)" in after


def test_name_is_private_where_the_file_is_star_imported() -> None:
    text = "def build(ds):\n    def step(x):\n        return x\n\n    return ds.map(step)\n"
    assert hoisted(text, others={"main.py": "import train\n"})[0].startswith("def step(x):")
    assert hoisted(text, others={"main.py": "from train import *\n"})[0].startswith("def _build_step(x):")


def test_two_functions_of_one_name_stay_two() -> None:
    """The shape of StableCascade: an `eval` may name the first."""
    text = """\
class Core:
    def preprocessors(self, config):
        def identity(x):
            return x.decode()

        def caption(x):
            return identity(x)

        return [("txt", identity), ("json", eval(config)), ("old", caption)]

    def setup(self, ds):
        filters = {name: eval(text) for name, text in ds.filters}

        def identity(x):
            return x

        return ds.select(filters).map(identity)
"""
    after, reasons = hoisted(text)
    assert not reasons
    assert "\ndef identity(x):\n    return x.decode()\n" in "\n" + after
    assert "\ndef caption(x):\n    return identity(x)\n" in after
    assert "\ndef _setup_identity(x):\n    return x\n" in after
    assert after.endswith("return ds.select(filters).map(_setup_identity)\n")


def test_group_has_one_fix() -> None:
    text = "def build(ds):\n    def a(x):\n        return x\n\n    return ds.map(a, lambda x: a(x))\n"
    project = Project(MemoryFiles({PATH: text.encode()}))
    answers = list(plan_hoist(project, PATH, candidates(project)).values())
    assert len(answers) == 2 and answers[0] == answers[1] and isinstance(answers[0], Fix)


def test_a_function_goes_with_the_lambda_that_uses_it() -> None:
    """Only the lambda crosses, what it names moves too; a function that merely uses those stays."""
    text = """\
def build(ds):
    def abc(x):
        return x

    def stays(x):
        return abc(x)

    stays(ds)
    return ds.map(lambda x: abc(x))
"""
    project = Project(MemoryFiles({PATH: text.encode()}))
    target = next(each for each in candidates(project) if each.kind == "lambda")
    fix = plan_hoist(project, PATH, [target])[target]
    source = project.source(PATH)
    assert isinstance(fix, Fix) and source is not None
    assert (
        source.apply(fix.edits)
        == """\
def abc(x):
    return x


def _build_map(x):
    return abc(x)


def build(ds):
    def stays(x):
        return abc(x)

    stays(ds)
    return ds.map(_build_map)
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("rows = sorted([3, 1], key=lambda x: -x)\n", id="a sort key"),
        pytest.param("rows = list(map(lambda x: x + 1, [1]))\n", id="map in list"),
        pytest.param(
            "from concurrent.futures import ThreadPoolExecutor\n\n"
            "with ThreadPoolExecutor() as pool:\n    print(list(pool.map(lambda x: x, [1])))\n",
            id="a thread pool",
        ),
        pytest.param(
            "import threading\n\nthreading.Thread(target=lambda: print(1)).start()\n",
            id="a thread",
        ),
        pytest.param(
            "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Config:\n"
            "    names: list = field(default_factory=lambda: [1])\n",
            id="a default_factory",
        ),
        pytest.param("class Net:\n    act = lambda self, x: x\n", id="a class attribute"),
        pytest.param(
            "from torch.utils.data import DataLoader\n\n"
            "loader = DataLoader([1], num_workers=0, collate_fn=lambda b: b)\n",
            id="a loader without workers",
        ),
    ],
)
def test_look_alikes(text: str) -> None:
    done = plan(MemoryFiles({PATH: text.encode()}), Settings(select=("lambdas",)))
    assert not done.changes and not done.remaining


def test_what_is_silenced_stays_when_its_twin_moves() -> None:
    text = (
        "from multiprocessing import Pool\n\n\ndef run(rows):\n    with Pool() as pool:\n"
        "        pool.map(lambda x: x + 1, rows)  # spawnfix: ignore[lambdas]\n"
        "        pool.map(lambda x: x + 1, rows)\n"
    )
    done = plan(MemoryFiles({PATH: text.encode()}), Settings(select=("lambdas",)))
    after = done.contents[PATH].decode()
    assert "pool.map(lambda x: x + 1, rows)  # spawnfix" in after
    assert "pool.map(_run_map, rows)\n" in after


def test_finding_says_what_and_where() -> None:
    text = (
        "from multiprocessing import Pool\n\n\ndef run(rows):\n    with Pool() as pool:\n"
        "        for i in range(2):\n            pool.map(lambda x: x + i, rows)\n"
    )
    done = plan(MemoryFiles({PATH: text.encode()}), Settings(select=("lambdas",)))
    (finding,) = done.remaining
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (7, 22, 37)
    assert "multiprocessing" in finding.message
    late = "each function would keep the value from when it is made, not see the last one"
    assert finding.fix is not None and finding.fix.unsafe == f"`i` is a loop variable (line 6): {late}"
    assert not done.changes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """\
from multiprocessing import Process


def run(rows):
    for i in range(3):
        Process(target=lambda row: row + i, args=rows).start()
""",
            """\
import functools
from multiprocessing import Process


def _run_target(i, row):
    return row + i


def run(rows):
    for i in range(3):
        Process(target=functools.partial(_run_target, i), args=rows).start()
""",
            id="a loop",
        ),
        pytest.param(
            """\
from functools import partial
from multiprocessing import Process


def run(rows):
    return [Process(target=lambda row: row[i], args=rows) for i in range(3)]
""",
            """\
from functools import partial
from multiprocessing import Process


def _run_target(i, row):
    return row[i]


def run(rows):
    return [Process(target=partial(_run_target, i), args=rows) for i in range(3)]
""",
            id="a comprehension",
        ),
        pytest.param(
            """\
from multiprocessing import Process


def run(rows):
    for i in range(3):
        def work(row):
            Process(target=lambda: row).start()
            return row + i

        work(rows)
""",
            """\
import functools
from multiprocessing import Process


def _work_target(row):
    return row


def run(rows):
    for i in range(3):
        def work(row):
            Process(target=functools.partial(_work_target, row)).start()
            return row + i

        work(rows)
""",
            id="one inside a function that stays",
        ),
    ],
)
def test_unsafe_fixes_take_the_value_of_a_loop_variable(text: str, expected: str) -> None:
    files = MemoryFiles({PATH: text.encode()})
    safe, unsafe = (plan(files, Settings(select=("lambdas",), unsafe_fixes=each)) for each in (False, True))
    assert unsafe.contents[PATH].decode() == expected
    assert safe.contents == ({} if "work" not in text else unsafe.contents)


def test_captured_names_and_keywords_do_not_meet() -> None:
    """A caller's keyword `scale` goes to `**options`, as it did."""
    text = "def build(ds, scale):\n    return ds.map(lambda x, **options: (x * scale, options))\n"
    after, _ = hoisted(text)
    space: dict[str, object] = {}
    exec(after, space)
    build = space["build"]
    assert callable(build)

    class Rows:
        def map(self, function):  # type: ignore[no-untyped-def]
            return function(2, scale=9)

    assert build(Rows(), 5) == (10, {"scale": 9})


COPIED = """import copy
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        inner = self.layer
        self.first = lambda x: inner(x)
        self.second = lambda x: x + 1


def main():
    net = Net(2)
    {line}
    torch.save(net, "net.pt")
"""


def test_a_deep_copy_shares_functions_and_what_they_captured() -> None:
    files = MemoryFiles({PATH: COPIED.format(line="ema = copy.deepcopy(net)").encode()})
    first, second = check(files, Settings()).findings
    assert first.fix is not None and second.fix is not None and second.fix.unsafe is None
    shared = "gives the copy its own `inner` here, where it shared that of the original"
    assert first.fix.unsafe == f"`copy.deepcopy` ({PATH}:17) {shared}"
    files = MemoryFiles({PATH: COPIED.format(line="ema = copy.deepcopy(3)").encode()})
    assert all(each.fix is not None and each.fix.unsafe is None for each in check(files, Settings()).findings)


def test_what_crosses_aboard_the_model_that_made_it_may_be_its_method() -> None:
    body = COPIED.replace("lambda x: inner(x)", "lambda x: self.layer(x)").format(line="pass")
    first, _ = check(MemoryFiles({PATH: body.encode()}), Settings()).findings
    assert first.fix is not None and first.fix.title == "move the lambda in line 11 as `self._net_first` to the class"
    handed = body.replace('torch.save(net, "net.pt")', "torch.multiprocessing.spawn(print, args=(net.first,))")
    first, *_ = check(MemoryFiles({PATH: handed.encode()}), Settings()).findings
    assert "a method would carry the whole `self` along" in (first.reason or "")
