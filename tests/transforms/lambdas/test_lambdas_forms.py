"""The less plain forms of the rule `lambdas`: names of the standard library, callable classes, local classes."""

from __future__ import annotations

import functools
import pickle
import sys
import types
from multiprocessing.reduction import ForkingPickler

import pytest

from codemods.engine.migrate import plan
from codemods.finding import Confidence, Fix
from codemods.flow.answers.crossings import flow_of
from codemods.flow.answers.introspection import Question
from codemods.hazard_kind import HazardKind
from codemods.project import Project
from codemods.settings import Settings
from codemods.transforms.lambdas.known import Unknown
from codemods.transforms.lambdas.plan import Refused, Target, plan_hoist
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.hoisting import PATH, candidates, hoisted
from harness.meaning import everything


class Asked(Unknown):
    """All that is known is one question that every function is asked."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def asked(self, path: str, line: int, column: int) -> list[Question]:
        return [self.question]


def test_a_builtin_only_where_nothing_is_passed() -> None:
    after, reasons = hoisted("""\
import dataclasses
from collections import defaultdict


def build(ds, rows):
    from typing import DefaultDict

    ds.rows = sorted(rows, key=lambda: 0)
    ds.kept = lambda: []
    ds.counts = defaultdict(lambda: 0)
    ds.places = DefaultDict(lambda: [])
    ds.field = dataclasses.field(default_factory=lambda: {})
""")
    assert not reasons
    assert after.endswith("""\
    ds.rows = sorted(rows, key=_build_key)
    ds.kept = _build_kept
    ds.counts = defaultdict(int)
    ds.places = DefaultDict(list)
    ds.field = dataclasses.field(default_factory=dict)
""")


def test_an_item_getter_only_where_the_project_does_not_call_it() -> None:
    after, reasons = hoisted(
        """\
from ours import keep


def build(ds):
    setattr(ds, "first", lambda x: x[0])
    keep(lambda x: x[1])
    ds.map(lambda x: x[2])
""",
        others={"ours.py": "def keep(fn):\n    return fn(x=[1, 2])\n"},
    )
    assert not reasons
    assert after.endswith("""\
    setattr(ds, "first", _build_first)
    keep(_build_keep)
    ds.map(operator.itemgetter(2))
""")


def test_an_item_getter_for_the_constructor_of_a_library_class() -> None:
    loader = """\
from torch.utils.data import DataLoader


class FirstOnly(DataLoader):
    def __init__(self, rows):
        super().__init__(rows, collate_fn=lambda x: x[0])
"""
    after, reasons = hoisted(loader)
    assert not reasons and "super().__init__(rows, collate_fn=operator.itemgetter(0))" in after
    ours = {"ours.py": "class DataLoader:\n    def __init__(self, rows, collate_fn):\n        collate_fn(x=rows)\n"}
    after, reasons = hoisted(loader.replace("torch.utils.data", "ours"), others=ours)
    assert not reasons and "itemgetter" not in after


def made(text: str, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The program as a module that pickle can import."""
    module = types.ModuleType("program")
    monkeypatch.setitem(sys.modules, "program", module)
    exec(compile(text, PATH, "exec", dont_inherit=True), module.__dict__)
    return module


def outcome(module: types.ModuleType, again: bool) -> object:
    """What `build(3)` gives when called with 1 and 2, after a journey through pickle if `again`; and what it shows."""
    built = module.build(3)
    if again:
        built = pickle.loads(pickle.dumps(built))
    return [built(1), built(2), getattr(module, "SHOWN", None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """\
def build(scale):
    # counts what it saw
    def step_on(x, **more):
        \"\"\"Steps.\"\"\"
        step_on.seen += x
        return [step_on.seen * scale for _ in range(x)]

    step_on.seen = 10
    return step_on
""",
            """\
class _BuildStepOn:
    def __init__(self, scale):
        self.scale = scale

    # counts what it saw
    def __call__(self, /, x, **more):
        \"\"\"Steps.\"\"\"
        self.seen += x
        return [self.seen * self.scale for _ in range(x)]


def build(scale):
    step_on = _BuildStepOn(scale)

    step_on.seen = 10
    return step_on
""",
            id="a function with attributes",
        ),
        pytest.param(
            """\
def build(scale):
    import math
    def step(x):
        if not hasattr(step, "seen"):
            step.seen = 0
        step.seen += math.floor(x)
        return step.seen

    return step
""",
            """\
class _BuildStep:
    def __call__(self, x):
        import math
        if not hasattr(self, "seen"):
            self.seen = 0
        self.seen += math.floor(x)
        return self.seen


def build(scale):
    return _BuildStep()
""",
            id="attributes that a function keeps on itself",
        ),
        pytest.param(
            """\
def build(scale):
    fn = lambda x: (fn.k, x * scale)
    fn.k = 7
    return fn
""",
            """\
class _BuildFn:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return (self.k, x * self.scale)


def build(scale):
    fn = _BuildFn(scale)
    fn.k = 7
    return fn
""",
            id="a lambda with attributes",
        ),
        pytest.param(
            """\
SHOWN = []


def build(scale):
    def enlarge(x):
        return x * scale

    SHOWN.append(enlarge.__name__)
    return enlarge
""",
            """\
SHOWN = []


class _BuildEnlarge:
    __name__ = "enlarge"

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return x * self.scale


def build(scale):
    enlarge = _BuildEnlarge(scale)

    SHOWN.append(enlarge.__name__)
    return enlarge
""",
            id="a function whose name is read",
        ),
        pytest.param(
            """\
def build(scale):
    class Local:
        \"\"\"Scales.\"\"\"

        width = 2

        # as it does
        def __call__(self, x):
            return [each * scale for each in range(x + self.width)]

    return Local()
""",
            """\
class Local:
    \"\"\"Scales.\"\"\"

    width = 2

    def __init__(self, scale):
        self.scale = scale

    # as it does
    def __call__(self, x):
        return [each * self.scale for each in range(x + self.width)]


def build(scale):
    return Local(scale)
""",
            id="a class without initialiser",
        ),
        pytest.param(
            """\
def build(scale, more=5):
    class Local(object):
        def __init__(self, n, *rest):
            \"\"\"Makes it.\"\"\"
            self.n = n * scale
            self.rest = rest

        def __call__(me, x):
            return (lambda y: y * scale)(x) + me.n + len(me.rest) + more

    rows = [1, 2]
    return Local(4, *rows)
""",
            """\
class Local(object):
    def __init__(self, scale, more, n, *rest):
        \"\"\"Makes it.\"\"\"
        self.scale = scale
        self.more = more
        self.n = n * scale
        self.rest = rest

    def __call__(me, x):
        return (lambda y: y * me.scale)(x) + me.n + len(me.rest) + me.more


def build(scale, more=5):
    rows = [1, 2]
    return Local(scale, more, 4, *rows)
""",
            id="a class with an initialiser",
        ),
        pytest.param(
            """\
class Top:
    def get(self):
        return 1


class Base(Top):
    def __init__(self, k):
        self.k = k


def build(scale):
    class Local(Base):
        def __init__(self, k):
            super().__init__(k)

        def __call__(self, x):
            return x * scale, self.k, self.get()

    return Local(2)
""",
            """\
class Top:
    def get(self):
        return 1


class Base(Top):
    def __init__(self, k):
        self.k = k


class Local(Base):
    def __init__(self, scale, k):
        self.scale = scale
        super().__init__(k)

    def __call__(self, x):
        return x * self.scale, self.k, self.get()


def build(scale):
    return Local(scale, 2)
""",
            id="a base in the file",
        ),
        pytest.param(
            """\
def build(scale):
    class Local:
        def __call__(self, x):
            return x * scale, getattr(self, "scale", None)

    return Local()
""",
            """\
class Local:
    def __init__(self, scale):
        self._scale = scale

    def __call__(self, x):
        return x * self._scale, getattr(self, "scale", None)


def build(scale):
    return Local(scale)
""",
            id="an attribute by name",
        ),
        pytest.param(
            """\
def build(scale):
    class Local:
        def __init__(self):
            self.scale = 7

        def __call__(self, x):
            return x * scale, self.scale

    return Local()
""",
            """\
class Local:
    def __init__(self, scale):
        self._scale = scale
        self.scale = 7

    def __call__(self, x):
        return x * self._scale, self.scale


def build(scale):
    return Local(scale)
""",
            id="an attribute of the same name",
        ),
        pytest.param(
            """\
def build(scale):
    def step(x):
        step.scale += x
        return step.scale * scale

    step.scale = 5
    return step
""",
            """\
class _BuildStep:
    def __init__(self, scale):
        self._scale = scale

    def __call__(self, x):
        self.scale += x
        return self.scale * self._scale


def build(scale):
    step = _BuildStep(scale)

    step.scale = 5
    return step
""",
            id="a function with an attribute of the same name",
        ),
        pytest.param(
            """\
def build(scale):
    class Local:
        size = scale * 2
        seen = []

        def __init__(self, more=1):
            self.more = more

        def __call__(self, x):
            self.seen.append(x)
            return self.size, self.more, len(self.seen), scale

    scale_of_two = Local(), Local(more=3)
    return lambda x: [each(x) for each in scale_of_two]
""",
            """\
import functools


class _BuildLocal:
    def __init__(self, scale, size, seen, more=1):
        self.scale = scale
        self.size = size
        self.seen = seen
        self.more = more

    def __call__(self, x):
        self.seen.append(x)
        return self.size, self.more, len(self.seen), self.scale


def _build_fn(scale_of_two, x):
    return [each(x) for each in scale_of_two]


def build(scale):
    Local = functools.partial(_BuildLocal, scale, scale * 2, [])

    scale_of_two = Local(), Local(more=3)
    return functools.partial(_build_fn, scale_of_two)
""",
            id="class attributes",
        ),
        pytest.param(
            """\
def build(scale):
    class Local:
        size = scale * 2

        def __call__(self, x):
            return self.size * x

    return Local()
""",
            """\
class Local:
    def __init__(self, size):
        self.size = size

    def __call__(self, x):
        return self.size * x


def build(scale):
    return Local(scale * 2)
""",
            id="a class attribute of an object that is made at once",
        ),
        pytest.param(
            """\
def build(scale):
    class Local:
        def __call__(self, x):
            return f"{x} times {scale:>4} is {x * scale!r}" f"{scale}"

    return Local()
""",
            """\
class Local:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return f"{x} times {self.scale:>4} is {x * self.scale!r}" f"{self.scale}"


def build(scale):
    return Local(scale)
""",
            id="an f-string",
        ),
    ],
)
def test_becomes_a_class(text: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    after, _ = hoisted(text)
    assert after == expected
    before = outcome(made(text, monkeypatch), False)
    module = made(after, monkeypatch)
    assert outcome(module, False) == before
    vars(module).get("SHOWN", []).clear()
    assert outcome(module, True) == before


@each_row(
    ("text", "reason"),
    [
        pytest.param(
            "def build(n):\n    def step(x):\n        return n\n\n    print(step.__code__)\n    return step\n",
            "which a partial lacks: ask `inspect.signature` there",
            id="its code is read",
        ),
        pytest.param(
            "def build(n):\n    class A(Base):\n        def go(self):\n            return n\n    return A()\n",
            "its base `Base` may have a say",
            id="a class with a base",
        ),
        pytest.param(
            "class Base:\n    def __init__(self):\n        self.k = 1\n\n\n"
            "def build(n):\n    class A(Base):\n        def go(self):\n            return n\n\n    return A()\n",
            "its base `Base` may have a say",
            id="a class whose base makes its objects",
        ),
        pytest.param(
            "def build(n):\n    class A:\n        def __init__(self): self.k = 1\n"
            "        def go(self):\n            return n\n\n    return A()\n",
            "stands on one line",
            id="an initialiser on one line",
        ),
        pytest.param(
            "def build(n):\n    class A:\n        def go(self):\n            return n\n\n"
            "    class B:\n        def go(self):\n            return A(), n\n\n    return A(), B()\n",
            "a function that it uses reads that",
            id="a class that makes objects of another",
        ),
        pytest.param(
            "def build(n):\n    class A:\n        def go(self):\n            return n\n\n    return A\n",
            "it is used for more than to make objects (line 6)",
            id="a class that is given away",
        ),
        pytest.param(
            "def build(n):\n    class A:\n        k = n\n        def go(self):\n"
            "            return self.k(2)\n    return A()\n",
            "`k` (line 3): `n` is evaluated each time that the class is defined",
            id="a class attribute that may be a function",
        ),
        pytest.param(
            "def build(n):\n    class A:\n        @staticmethod\n        def go(): return n\n    return A()\n",
            "`n` is not read by a method (line 4)",
            id="a static method",
        ),
        pytest.param(
            "def build(n):\n    class A:\n        def go(self):\n            return n, type(self)()\n    return A()\n",
            "it uses `type` (line 4)",
            id="a class that makes more of its kind",
        ),
    ],
)
def test_becomes_no_class(text: str, reason: str) -> None:
    after, reasons = hoisted(text)
    assert after == text
    assert any(reason in each for each in reasons), reasons


@pytest.mark.parametrize(
    "function",
    [
        pytest.param("async def step(x):\n        return n", id="a coroutine function"),
        pytest.param("def step(x):\n        return x.__n, n", id="a name with two leading underscores"),
        pytest.param("def step(x, self=1):\n        return n", id="a parameter called self"),
    ],
)
def test_a_partial_keeps_attributes_where_no_class_would_do(function: str) -> None:
    after, reasons = hoisted(f"def build(n):\n    {function}\n\n    step.k = 1\n    return step\n")
    assert not reasons
    assert "    step = functools.partial(_build_step, n)\n\n    step.k = 1\n    return step\n" in after


@each_row(
    ("use", "words"),
    [
        pytest.param("print(step.k)", "`k` is set on it, and line 8 reads that", id="read"),
        pytest.param("print(getattr(step, 'k', 0))", "`k` is set on it, and line 8 reads that", id="read by its name"),
        pytest.param("step.k = 2", None, id="set again"),
        pytest.param("step.kind = other.kinds", None, id="another name"),
    ],
)
def test_a_partial_would_lose_an_attribute_that_is_read(use: str, words: str | None) -> None:
    """`multiprocessing` pickles a partial by its function and arguments alone; attributes are read in workers."""
    sent = functools.partial(print)
    sent.k = 1  # type: ignore[attr-defined]
    assert not hasattr(pickle.loads(ForkingPickler.dumps(sent)), "k")
    text = "class Box:\n    def build(self):\n        async def step(x):\n            return self.n, x\n"
    text += "        step.k = 1\n        return step\n"
    after, reasons = hoisted(text + f"def use(step):\n    {use}\nuse(Box().build())\n")
    assert any(words in each for each in reasons) if words is not None else "functools.partial" in after, reasons


def test_what_another_file_asks_of_a_function() -> None:
    text = "def build(n):\n    return lambda x: x * n\n"
    project = Project(MemoryFiles({PATH: text.encode()}))
    for what, words in (("__name__", None), ("inspect.isfunction", "looks at it")):
        question = Question(what, "show.py", 9, 0)
        answers = plan_hoist(project, PATH, candidates(project), Asked(question))
        (answer,) = answers.values()
        if words is None:
            assert isinstance(answer, Fix) and any('__name__ = "<lambda>"' in edit.text for edit in answer.edits)
        else:
            assert isinstance(answer, Refused) and words in answer.reason


@each_row(
    ("text", "left"),
    [
        pytest.param(
            "    import math\n\n    ds.map(lambda x: math.floor(x))\n    return ds\n",
            "    ds.map(_build_map)\n    return ds\n",
            id="used by what moved only",
        ),
        pytest.param(
            "    import math\n    ds.map(lambda x: math.floor(x))\n    ds.map(lambda x: math.ceil(x))\n",
            "    ds.map(_build_map)\n    ds.map(_build_map_ceil)\n",
            id="used by two that moved",
        ),
        pytest.param(
            "    from math import ceil, floor as down\n    ds.map(lambda x: down(x))\n    return ceil(1.5)\n",
            "    from math import ceil\n    ds.map(_build_map)\n    return ceil(1.5)\n",
            id="one of two names",
        ),
        pytest.param(
            "    import math\n    ds.map(lambda x: math.floor(x))\n    return math.ceil(1.5)\n",
            "    import math\n    ds.map(_build_map)\n    return math.ceil(1.5)\n",
            id="used by others",
        ),
        pytest.param(
            "    import math  # noqa: F401\n    ds.map(lambda x: math.floor(x))\n",
            "    import math  # noqa: F401\n    ds.map(_build_map)\n",
            id="kept on purpose",
        ),
        pytest.param(
            "    import os.path\n    ds.map(lambda x: os.path.join(x))\n",
            "    import os.path\n    ds.map(_build_map)\n",
            id="loads a module of a package",
        ),
        pytest.param(
            "    if ds:\n        import math\n    ds.map(lambda x: math.floor(x))\n",
            "    if ds:\n        import math\n    ds.map(_build_map)\n",
            id="under a condition",
        ),
    ],
)
def test_imports_that_nothing_uses_any_more(text: str, left: str) -> None:
    files = MemoryFiles({PATH: b"def build(ds):\n" + text.encode()})
    after = plan(files, Settings(confidence=Confidence.POSSIBLE), rules={"lambdas": everything(PATH)}).contents[PATH]
    assert after.decode().endswith("def build(ds):\n" + left)


@each_row(
    ("made", "what"),
    [
        ("threading.Lock()", "a lock"),
        ("open(ds)", "an open file"),
        ("(row for row in ds)", "a generator"),
        ("rows(ds)", "a generator"),
        ("[1, h5py.File(ds)]", "an open HDF5 file"),
        ("dist.new_group([0, 1])", "a process group"),
        ("ds.keys()", "a live view"),
        ("threading", "a module"),
    ],
)
def test_what_can_not_be_pickled_is_not_handed_over(made: str, what: str) -> None:
    text = f"""\
import threading

import h5py
import torch.distributed as dist


def rows(ds):
    yield ds


def build(ds):
    held = {made}
    return ds.map(lambda x: (x, held))
"""
    after, reasons = hoisted(text)
    assert after == text
    assert len(reasons) == 1 and reasons[0].startswith(f"`held` is {what}"), reasons
    assert "(line 12), which can't be pickled either: " in reasons[0]


@each_row(
    ("boundary", "moves"),
    [
        ("multiprocessing.Process", True),
        ("multiprocessing.Pool", True),  # as its initializer, which its workers get when they start
        ("concurrent.futures.ProcessPoolExecutor", True),
        ("multiprocessing.Pool().map", False),
        ("concurrent.futures.ProcessPoolExecutor().submit", False),
    ],
)
def test_a_shared_lock_gets_to_a_process_and_to_no_pool_at_work(boundary: str, moves: bool) -> None:
    text = "import multiprocessing as mp\n\ndef build():\n    lock = mp.Lock()\n    return lambda x: lock\n"
    project = Project(MemoryFiles({PATH: text.encode()}))
    (answer,) = plan_hoist(project, PATH, [Target(HazardKind.LAMBDA, 5, 11, boundary)]).values()
    assert isinstance(answer, Fix) is moves
    assert moves or "pass it where the processes are made" in answer.reason


@each_row(
    ("body", "moves"),
    [
        ("ds.map(lambda x: seen.append(x))\n    return seen", False),
        ("ds.map(lambda x: seen.append(x))\n    return lambda: seen", False),
        ("ds.map(lambda x: [x for x in seen])\n    return seen", True),
        ("ds.map(lambda x: seen.append(x))", True),
        ("print(seen)\n    ds.map(lambda x: seen.append(x))", True),
    ],
)
def test_changes_that_somebody_waits_for(body: str, moves: bool) -> None:
    text = f"def build(ds):\n    seen = []\n    {body}\n"
    after, reasons = hoisted(text)
    assert ("ds.map(functools.partial(_build_map, seen))" in after) is moves
    assert moves or "a worker has a copy of its own, so return the values instead" in reasons[0]


def test_a_model_that_rides_along_is_named() -> None:
    text = b"""\
import torch.nn as nn


def build(ds):
    model = nn.Linear(1, 1)
    ds.map(lambda x: model(x))
"""
    project = Project(MemoryFiles({PATH: text}))
    answers = plan_hoist(project, PATH, candidates(project), flow_of(project))
    (fix,) = answers.values()
    assert isinstance(fix, Fix) and fix.title.endswith("; each worker gets a copy of a model"), fix


@each_row(
    ("call", "is_partial"),
    [("build(3)(2)", True), ("build(3)(2, 5)", False), ("build(3)(*rows)", False), ("build(3)(2, k=5)", True)],
)
def test_a_kept_value_that_another_file_gives_by_position(call: str, is_partial: bool) -> None:
    text = "def build(scale):\n    return lambda x, k=scale: x * k\n"
    user = f"from train import build\n\nrows = [1, 2]\n{call}\n"
    project = Project(MemoryFiles({PATH: text.encode(), "user.py": user.encode()}))
    (answer,) = plan_hoist(project, PATH, candidates(project), flow_of(project)).values()
    assert isinstance(answer, Fix)
    assert any("functools.partial(_" in edit.text for edit in answer.edits) is is_partial
    assert any("def __call__(self, x, k=_unset):" in edit.text for edit in answer.edits) is not is_partial


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("class M:\n    @deco(1)\n    def m(self):\n        pass\n", "`@deco` may put it in the place of a method"),
        ("def use():\n    return deco(3)\n", None),
    ],
)
def test_what_stands_for_methods_is_no_partial(text: str, reason: str | None) -> None:
    maker = "def deco(n):\n    def wrap(fn):\n        return lambda x: fn(x) + n\n    return wrap\n"
    after, reasons = hoisted(maker + text)
    assert [reason is not None] == [after == maker + text]
    assert not reasons or reason in reasons[0]


def test_the_wrapper_of_a_decorator_is_no_partial() -> None:
    text = "def deco(fn):\n    def inner(*args):\n        return fn(*args) + 1\n    return inner\n"
    after, reasons = hoisted(text)
    assert after == text and "it wraps `fn` as a decorator does" in reasons[0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f = lambda x: x  # noqa: E731", "def f(x):\n    return x"),
        ("f = lambda x: x  # noqa: E731, N802", "def f(x):  # noqa: E731, N802\n    return x"),
        ("f = lambda x: x  # NoQA: E731", "def f(x):\n    return x"),
        ("f = lambda x: x  # NOQA: N802", "def f(x):  # NOQA: N802\n    return x"),
        *(
            (f"f = lambda x: x  #{mark} x", f"def f(x):  #{mark} x\n    return x")
            for mark in ("noqa:", " ruff:", " flake8:", " pylint:", " pragma:")
        ),
        ("f = lambda x: x  # as it is", "# as it is\ndef f(x):\n    return x"),
    ],
)
def test_the_comment_behind_a_lambda_with_a_name(line: str, expected: str) -> None:
    assert hoisted(line + "\n")[0] == expected + "\n"


@pytest.mark.parametrize("head", ['"""What it is."""', "from __future__ import annotations"])
def test_nothing_goes_above_the_header(head: str) -> None:
    text = f"{head}; fs = [lambda x: x]\n"
    after, reasons = hoisted(text)
    assert after == text and reasons[0].startswith("it shares its line with the docstring")


def test_what_libcst_trips_over() -> None:
    after, reasons = hoisted("def build(a):\n    return(lambda x: x + a)\n")
    assert not reasons and after.endswith("def build(a):\n    return(functools.partial(_build_fn, a))\n")
    text = "def build(a):\n    def f(x):\n        return(lambda: x)\n    return f\n"
    assert hoisted(text) == (text, ["its lines are not laid out as usual: move it by hand"] * 2)


def test_what_is_listed_for_others_stays_a_function() -> None:
    text = (
        "__all__ = ['small']\n\n\ndef under(n):\n    return lambda x: x < n\n\n\nsmall = under(3)\nother = under(4)\n"
    )
    for source, moves in ((text, False), (text.replace("'small'", "'under'"), True)):
        project = Project(MemoryFiles({PATH: source.encode()}))
        (answer,) = plan_hoist(project, PATH, candidates(project), flow_of(project)).values()
        assert isinstance(answer, Fix) is moves
        assert moves or answer.reason.startswith("it is `small` of `__all__` (train.py:8)")


@each_row(
    ("string", "expected"),
    [
        ('f"{helper(x)} {x:{helper(2)}}"', 'f"{_build_helper(n, x)} {x:{_build_helper(n, 2)}}"'),
        ("f'''\n{x}\n {helper(x)}'''", "f'''\n{x}\n {_build_helper(n, x)}'''"),
        ('f"the helper {helper(x)}"', None),
        ('f"{helper(x)=}"', None),
        ('f"{helper(helper=x)}"', None),
        ('f"{helper(x)} {[helper for helper in (1, 2)]}"', None),
        ('f"{helper(x)} {(lambda helper: helper + 1)(x)}"', None),
        ('f"{x.helper} {helper(x)}"', 'f"{x.helper} {_build_helper(n, x)}"'),
    ],
)
def test_names_in_f_strings(string: str, expected: str | None) -> None:
    text = f"def build(n):\n    def helper(x):\n        return x + n\n\n    return lambda x: {string}\n"
    after, reasons = hoisted(text)
    if expected is None:
        assert after == text and any("take it out of the string first" in each for each in reasons)
    else:
        assert f"return {expected}\n" in after.replace("(\n        ", "").replace("return (f", "return f"), after


def test_a_text_that_is_only_filled_in() -> None:
    text = """\
import torch
import torch.nn as nn

TEXTS = [
    lambda c: f"a {c}.",
    lambda c: f'{c} and "{ c }" {{x}}',
    lambda c: rf"\\d {c}",
    lambda c: f"a {c!r}",
    lambda c: f"a {c:3}",
    lambda c: f"a {c}" "b",
    lambda c: f"a {c.x}",
]


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.texts = TEXTS

    def forward(self, name):
        return [text(name) for text in self.texts]


torch.save(Clip(), "clip.pt")
"""
    settings = Settings(select=("lambdas",))
    after = plan(MemoryFiles({PATH: text.encode()}), settings).contents[PATH].decode()
    assert '    "a {}.".format,\n    \'{0} and "{0}" {{x}}\'.format,\n    r"\\d {}".format,\n    _texts,\n' in after
    assert '"a {}" "b".format' in after and after.count("def _texts") == 3
    texts = [eval(f"{each}.format") for each in ('"a {}."', "'{0} and \"{0}\" {{x}}'", 'r"\\d {}"')]
    assert [each(3) for each in pickle.loads(pickle.dumps(texts))] == ["a 3.", '3 and "3" {x}', "\\d 3"]
    by_name = text.replace("text(name)", "text(c=name)")
    assert ".format" not in plan(MemoryFiles({PATH: by_name.encode()}), settings).contents[PATH].decode()


def test_equal_lambdas_of_a_statement_become_one() -> None:
    """Their roles differ; the one that is left is called by what the roles have in common."""
    text, _ = hoisted(
        """\
from torchvision.transforms import Lambda

norms = {
    "small_4x8": Lambda(lambda x: 2.0 * x - 1.0),
    "small_8x8": Lambda(lambda x: 2.0 * x - 1.0),
    "half": Lambda(lambda x: x / 2.0),
}
"""
    )
    assert text.count("def ") == 2 and text.count("2.0 * x - 1.0") == 1
    assert text.count("Lambda(_norms_small)") == 2 and "Lambda(_norms_half)" in text


def test_equal_lambdas_for_one_role_become_one() -> None:
    """They stand in different classes; above the first of them is early enough for both."""
    text, _ = hoisted(
        """\
class TrainRows:
    def __init__(self):
        self.transform = lambda x: 2.0 * x - 1.0


class ValidRows:
    def __init__(self):
        self.transform = lambda x: 2.0 * x - 1.0
"""
    )
    assert text.startswith("def _rows_transform(x):") and text.count("= _rows_transform\n") == 2


def test_words_beside_a_function_say_what_it_is_for() -> None:
    """`func` says nothing. Equal functions for different words share neither."""
    text, _ = hoisted(
        """\
def build():
    return [
        Each(keys="spacing", func=lambda x: x + 1),
        Each(keys=["image", "label"], func=lambda x: x[0] + 1),
        Each(keys="size", func=lambda x: x * 100),
        Each(keys="origin", func=lambda x: x * 100),
    ]
"""
    )
    assert "func=_build_spacing" in text and "func=_build_image_label" in text and text.count("func=_build_scale") == 2


SHOWN = """\
class Base:
    def label(self):
        return {base}

class Rows:
    pass

class Other:
    def label(self):
        return {other}

def build(scale):
    class Rows(Base):
        def __call__(self, x):
            return x * scale
    return Rows()

def show(rows):
    print({show})
"""
PLAIN = {"base": "1", "other": "1", "show": "rows(1)"}


@each_row(
    ("part", "read", "line"),
    [
        ("base", "type(self).__name__", 3),
        ("base", "self.__class__.__qualname__", 3),
        ("show", "type(rows).__name__", 19),
        ("show", "rows.__class__.__name__", 19),
        ("show", "type(rows).__mro__", None),
        ("other", "type(self).__name__", None),
    ],
)
def test_a_class_whose_name_is_read_keeps_it(part: str, read: str, line: int | None) -> None:
    """Its own name is taken at module level, so it would get another."""
    after, reasons = hoisted(SHOWN.format(**{**PLAIN, part: read}))
    assert ("class _BuildRows(Base):" in after) is (line is None)
    assert line is None or any(f"`{read}` is read (line {line})" in each for each in reasons), reasons


def test_a_class_with_values_keeps_its_name_where_that_is_free() -> None:
    after, _ = hoisted(
        SHOWN.replace("class Rows:\n    pass\n\n", "").format(**{**PLAIN, "show": "type(rows).__name__"})
    )
    assert "class Rows(Base):\n    def __init__(self, scale):" in after
    assert "    return Rows(scale)\n" in after


@each_row(
    "body, factory",
    [
        ("0", "int"), ("0.0", "float"), ("''", "str"), ("False", "bool"), ("b''", "bytes"), ("0j", "complex"),
        ("[]", "list"), ("{}", "dict"), ("()", "tuple"),
        *((f"{name}()", name) for name in ("int", "float", "str", "bool", "list", "dict", "set", "tuple")),
        *((body, None) for body in ("1", "-0.0", "'a'", "[1]", "{1: 2}", "(1,)", "dict(a=1)", "int(3)", "None", "[[]]",
                                    "frozenset()", "Counter()", "ds.list()", "dict(**ds)")),
    ],
)  # fmt: skip
def test_a_factory_of_empty_values_is_its_type(body: str, factory: str | None) -> None:
    text = f"from collections import defaultdict\n\n\ndef build(ds):\n    ds.a = defaultdict(lambda: {body})\n"
    after, _ = hoisted(text)
    assert (f"ds.a = defaultdict({factory})\n" in after) == (factory is not None)
    if factory is None:
        assert "defaultdict(lambda" in after or "defaultdict(_build_a)" in after or "functools.partial(" in after
    else:
        own, _ = hoisted(f"def {factory}():\n    return 7\n\n\n{text}")
        assert f"defaultdict({factory})" not in own or body.startswith(factory)


@each_row(
    ("run", "moves"),
    [
        ("exec(program, names)", True),
        ("eval(program, dict(names))", True),
        ("exec(program)", False),
        ("exec(program, None)", False),
        ("eval(*program)", False),
        ("eval(program, locals())", False),
    ],
)
def test_code_that_gets_its_names_sees_no_others(run: str, moves: bool) -> None:
    text = f"def build(ds, program):\n    def call(names):\n        return {run}\n\n    ds.map(call)\n"
    after, reasons = hoisted(text)
    assert ("\ndef _build_call(" in after) == moves
    assert moves or "which sees the variables around it" in reasons[0]


@each_row(
    ("seen", "stays"),
    [
        ("return dict(locals())", True),
        ("return {key: value for key, value in locals().items()}", True),
        ("return dir()", True),
        ("return vars(ds), dir(ds)", False),  # of an object
        ("return list(locals)", True),
        ("return eval('call(1)')", False),  # finds it in the module
    ],
)
def test_a_function_stays_among_the_variables_of_the_one_around(seen: str, stays: bool) -> None:
    text = f"def build(ds):\n    def call(x):\n        return x + 1\n\n    ds.map(call)\n    {seen}\n"
    after, _ = hoisted(text)
    assert ("\n    call = _build_call\n" in after) is stays


def test_an_own_process_that_was_started_is_not_passed() -> None:
    text = """\
import multiprocessing as mp


class Node(mp.Process):
    pass


def build(ds):
    node = Node()
    node.start()
    ds.map(lambda x: node.peers(x))
"""
    after, reasons = hoisted(text)
    assert after == text
    assert "`node` is a process" in reasons[0]


COMPARED = """\
from torch.utils.data import DataLoader


class Squares:
    power = 2
    raised = lambda self, rows: sum(rows) ** self.power

    def load(self):
        return DataLoader(self, collate_fn=self.raised, num_workers=1)


print(Squares().raised == Squares().raised, *Squares().load())
"""


def test_a_method_that_is_compared_stays_in_its_class() -> None:
    """Pickle looks for a bound method in its class, by the name of the function."""
    after = plan(MemoryFiles({PATH: COMPARED.encode()}), Settings()).contents[PATH].decode()
    assert "    def raised(self, rows):\n        return sum(rows) ** self.power\n" in after


@each_row(
    ("made", "send", "moves"),
    [
        ("torch.Generator()", "here.send({})", True),
        ("torch.Generator()", "mp.Queue().put({})", True),
        ("torch.Generator()", "mp.Pool(2).map({}, [1])", True),
        ("torch.Generator()", "mp.Process(target={}).start()", False),
        ("mp.Lock()", "here.send({})", False),
        ("mp.Lock()", "mp.Process(target={}).start()", True),
    ],
)
def test_what_is_pickled_at_a_start_only_or_later_only(made: str, send: str, moves: bool) -> None:
    text = f"""\
import multiprocessing as mp
import torch


def main():
    here, there = mp.Pipe()
    held = {made}
    {send.format("lambda: held")}


if __name__ == "__main__":
    mp.set_start_method("spawn")
    main()
"""
    done = plan(MemoryFiles({"a.py": text.encode()}), Settings(select=("lambdas",)))
    assert bool(done.contents) is moves
