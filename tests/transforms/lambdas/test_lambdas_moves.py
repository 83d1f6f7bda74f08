"""The rule `lambdas`: what each form becomes."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.hoisting import hoisted


@each_row(
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


def _build_map_shift(x):
    return x + 2


def build(ds, n):
    ds.map(_build_map, functools.partial(_build_map_2, n))
    ds.map(_build_map, functools.partial(_build_map_2, n))
    ds.map(_build_map_shift)
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


def _build_map_shift(x):
    return (
        x + 1  # two
    )


def build(ds):
    ds.map(_build_map)
    ds.map(_build_map_shift)
""",
            id="the same lambda with comments of its own",
        ),
        pytest.param(
            """\
def loader(ds):
    def test_step(x):
        return x

    return ds.map(test_step)
""",
            """\
def test_step(x):
    return x


def loader(ds):
    return ds.map(test_step)
""",
            id="a nested function that pytest would collect in a file of tests",
        ),
        pytest.param(
            """\
def build(ds):
    first = lambda x: x + 1  # NOQA
    second = lambda x: x + 2  # noqa: E731
    third = lambda x: x + 3  # noqa: E731,ANN001
    return ds.map(first), ds.map(second), ds.map(third)
""",
            """\
def _build_first(x):
    return x + 1


def _build_second(x):
    return x + 2


def _build_third(x):
    return x + 3


def build(ds):
    first = _build_first
    second = _build_second
    third = _build_third  # noqa: E731,ANN001
    return ds.map(first), ds.map(second), ds.map(third)
""",
            id="linters have nothing left to ignore",
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
    ds.map(_build_map)
""",
            id="a parenthesised body over several lines",
        ),
        pytest.param(
            """\
def build(ds):
    # 1. Rows
    rows = ds

    # 2. Steps
    def grow(x):
        return x + 1

    return rows.map(grow)
""",
            """\
def grow(x):
    return x + 1


def build(ds):
    # 1. Rows
    rows = ds

    # 2. Steps
    return rows.map(grow)
""",
            id="the heading of a part stays, above what follows",
        ),
        pytest.param(
            """\
def build(ds):
    ds.map(
        lambda x: x + 1,
    )
""",
            """\
def _build_map(x):
    return x + 1


def build(ds):
    ds.map(
        _build_map,
    )
""",
            id="the comma by which formatters keep the lines",
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
    import numpy as np  # noqa: F401
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
def _build_flag_step(x):
    return x


def _build_step(x):
    return -x


def build(ds, flag):
    if flag:
        step = _build_flag_step
    else:
        step = _build_step
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


def _identity(x):
  return x


def build(ds):
  return ds.map(step, _identity)
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
def collate_fn(b):
    return b


def make_collate_fn():
    return collate_fn
""",
            id="a role that repeats the function",
        ),
        pytest.param(
            """
def load(rows):
    reshape = lambda row: row.reshape(8, 8)
    return [Rows(rows, reshape), Rows(rows[1:], reshape)]
""",
            """
def reshape(row):
    return row.reshape(8, 8)


def load(rows):
    return [Rows(rows, reshape), Rows(rows[1:], reshape)]
""",
            id="a lambda under a name that is free",
        ),
        pytest.param(
            """
reshape = 3


def load(rows):
    reshape = lambda row: row.reshape(8, 8)
    return [Rows(rows, reshape), Rows(rows[1:], reshape)]
""",
            """
reshape = 3


def _load_reshape(row):
    return row.reshape(8, 8)


def load(rows):
    reshape = _load_reshape
    return [Rows(rows, reshape), Rows(rows[1:], reshape)]
""",
            id="a lambda under a name that is taken",
        ),
        pytest.param(
            """
def load(rows, big):
    if big:
        reshape = lambda row: row.reshape(8, 8)
        rows = [Rows(rows, reshape)]
    return rows, reshape
""",
            """
def _load_reshape(row):
    return row.reshape(8, 8)


def load(rows, big):
    if big:
        reshape = _load_reshape
        rows = [Rows(rows, reshape)]
    return rows, reshape
""",
            id="a lambda under a name that is bound in a branch",
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


def test_what_each_branch_gives_back_has_no_name_of_its_own() -> None:
    text = """\
def make(scale, up):
    if up:
        def step(x):
            return x * scale
        return step
    else:
        def step(x):
            return x / scale
        return step
"""
    after, _ = hoisted(text)
    assert "step = " not in after and after.count("        return functools.partial(_make_step") == 2
    closure = text.replace("return step\n    else", "return lambda: step\n    else")
    assert "step = functools.partial" in hoisted(closure)[0]
    ends = text.replace("    else:\n", "    try:\n").replace(
        "/ scale\n        return step", "/ scale\n        return step\n    finally:\n        print(step)"
    )
    assert "        step = functools.partial" in hoisted(ends)[0]
