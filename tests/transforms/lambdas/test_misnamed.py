"""Functions and methods that have another name where pickle looks for them."""

from __future__ import annotations

import pytest

from harness.small import reported

OBJECT = """
from multiprocessing import Process

class counted:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args):
        return self.fn(*args)

{inside}

@{decorator}
def score(x):
    return x

def main():
    Process(target=score, args=(1,)).start()

if __name__ == "__main__":
    main()
"""
PRIVATE = """
from multiprocessing import Process

class Runner:
    def {name}(self, x):
        return x

    def start(self):
        Process(target=self.{name}, args=(1,)).start()

class Other(Runner):
    def {name}(self, x):
        return -x

if __name__ == "__main__":
    Runner().start()
    Other().start()
"""


@pytest.mark.parametrize(
    ("inside", "decorator", "found"),
    [
        ("", "counted", True),
        ("    def __reduce__(self):\n        return 'score'", "counted", False),
        ("    def __getstate__(self):\n        return {}", "counted", False),
        ("class named:\n    def __init__(self, fn):\n        self.name = fn.__name__", "named", False),
        ("def kept(fn):\n    return fn", "kept", False),
    ],
)
def test_a_function_whose_name_is_that_of_an_object(inside: str, decorator: str, found: bool) -> None:
    files = {"main.py": OBJECT.format(inside=inside, decorator=decorator)}
    told = reported(files, "lambdas")
    assert bool(told) is found
    if told:
        assert "pickle finds the object that `@counted` makes" in told[0].message
        assert told[0].reason is not None and "`def _score`" in told[0].reason


@pytest.mark.parametrize(("name", "told"), [("__work", 1), ("_work", 0), ("__work__", 0)])
def test_a_private_method(name: str, told: int) -> None:
    """Of the two, only that of the class whose code takes it."""
    found = reported({"main.py": PRIVATE.format(name=name)}, "lambdas")
    assert len(found) == told
    assert all("has it as `_Runner__work`" in each.message for each in found)
    assert all(each.fix is not None and "`_runner_work`" in each.fix.title for each in found)


AFTER = """
from multiprocessing import Process
import clock

def work(now):
    print(now())

def main():
    {before}
    process = Process(target=work, args=(clock.now,))
    process.start()
    {after}

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("pass", "clock.now = lambda: 7", False),
        ("pass", "clock.now, clock.then = lambda: 7, 8", False),
        ("one = object()", "one.now = clock.now = lambda: 7", True),  # an object may be sent by another name
        ("clock.now = lambda: 7", "pass", True),
        ("pass", "clock.now = lambda: 7\n    Process(target=work, args=(clock.now,)).start()", True),
        ("pass", "clock.now = lambda: 7\n\ndef all():\n    main()\n    main()", True),
        ("pass", "clock.now = lambda: 7\n\nfor _ in range(2):\n    main()", True),
        ("pass", "clock.now = lambda: 7\n\ndef later():\n    Process(target=work, args=(clock.now,)).start()", True),
    ],
)
def test_what_is_put_on_a_module_after_the_start(before: str, after: str, found: bool) -> None:
    files = {"main.py": AFTER.format(before=before, after=after), "clock.py": "def now():\n    return 1\n"}
    assert bool(reported(files, "lambdas")) is found


OF_ALL = """
from multiprocessing import Process

class Settings:
    def __init__(self):
        self.steps = {0: self.__first}
        self.size = 3

    def __first(self, data):
        return data

    def to_dict(self, names):
        return {name: getattr(self, name) for name in names}

def work(data):
    print(data)

if __name__ == "__main__":
    Process(target=work, args=(Settings().to_dict(["size"]),)).start()
"""


def test_what_a_computed_name_gives_is_no_method() -> None:
    assert not reported({"main.py": OF_ALL}, "lambdas")
    sent = OF_ALL.replace('Settings().to_dict(["size"])', "Settings()")
    assert reported({"main.py": sent}, "lambdas")


ABOVE = """
from torch.utils.data import DataLoader

class Load:
    def __call__(self, x):
        return x

class Twice(Load):
    def __init__(self):
        self.load = {kept}

    {own}

if __name__ == "__main__":
    for x in {loop}:
        print(x)
"""


@pytest.mark.parametrize(
    ("kept", "own", "loop", "found"),
    [
        (
            "super().__call__",
            "def __call__(self, x): return 2 * self.load(x)",
            "DataLoader([Twice()], num_workers=2)",
            1,
        ),
        ("super(Twice, self).__call__", "def __call__(self, x): return 2", "DataLoader([Twice()], num_workers=2)", 1),
        ("super().__call__", "def twice(self, x): return 2 * self.load(x)", "DataLoader([Twice()], num_workers=2)", 0),
        ("super().__call__(1)", "def __call__(self, x): return 2", "DataLoader([Twice()], num_workers=2)", 0),
        ("super().__call__", "def __call__(self, x): return 2 * self.load(x)", "[Twice()]", 0),
    ],
)
def test_a_method_of_a_class_above_that_is_kept(kept: str, own: str, loop: str, found: int) -> None:
    findings = reported({"a.py": ABOVE.format(kept=kept, own=own, loop=loop)}, "lambdas")
    assert [each.span.line for each in findings] == [10] * found
    assert all("a worker gets the `__call__` of `Twice`" in each.message for each in findings)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    def __call__(self, x):\n        return x\n",
            "    @property\n    def __call__(self):\n        return len\n",
        ),
        ("    def __call__(self, x):", "    @staticmethod\n    def __call__(x):"),
        ("        self.load = super", "        other = Load()\n        other.load = super"),
        ("super().__call__\n", "super().__call__\n        self.first = self.load(1)\n        self.load = None\n"),
        ("    def __init__", "    def __getstate__(self):\n        return {}\n\n    def __init__"),
    ],
    ids=["a property", "a static method", "on another object", "set to None again", "left out of the state"],
)
def test_what_is_not_sent_by_the_name_of_a_method(before: str, after: str) -> None:
    own = "def __call__(self, x): return 2"
    text = ABOVE.format(kept="super().__call__", own=own, loop="DataLoader([Twice()], num_workers=2)")
    assert reported({"a.py": text}, "lambdas")
    assert before in text
    assert not reported({"a.py": text.replace(before, after, 1)}, "lambdas")


WRAPPED = """
import multiprocessing
from functools import wraps

def _target(func, args):
    func(*args)

def limited(seconds, signals=False):
    def decorator(func):
        if signals:
            @wraps(func)
            def by_signal(*args):
                return func(*args)
            return by_signal
        @wraps(func)
        def run(*args):
            {inside}
        return {given}
    return decorator

@limited(3)
def score(x):
    return x

if __name__ == "__main__":
    {call}
"""
SENDS = "multiprocessing.Process(target=_target, args=(func, args)).start()"


@pytest.mark.parametrize(
    ("inside", "given", "call", "found"),
    [
        (SENDS, "run", "score(1)", True),
        (SENDS, "func", "score(1)", False),  # signals aside, the name stays that of the function
        ("return func(*args)", "run", "multiprocessing.Pool(2).map(score, [1])", False),  # the wrapper has the name
        ("return func(*args)", "run", "score(1)", False),
    ],
)
def test_what_a_decorator_got(inside: str, given: str, call: str, found: bool) -> None:
    told = reported({"main.py": WRAPPED.format(inside=inside, given=given, call=call)}, "lambdas")
    assert bool(told) is found
    if told:
        assert "pickle finds the wrapper that `@limited(3)` makes" in told[0].message
        assert told[0].reason == (
            "give the function a name of its own (`def _score`, below it `score = limited(3)(_score)`)"
        )


TIMEOUT = """
import functools, multiprocessing, sys

def timeout(func):
    @functools.wraps(func)
    def wrapper(*args):
        with multiprocessing.Pool(1) as pool:
            return pool.apply(func, args)
    {named}
    return wrapper

@timeout
def work(x):
    return x + 1

if __name__ == "__main__":
    print(work(3))
"""


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("pass", True),
        ("wrapper.__name__ = func.__name__", True),
        ("func.__qualname__ = 'raw_' + func.__name__; setattr(sys.modules[__name__], func.__qualname__, func)", False),
        ("func.__name__ = func.__qualname__ = func.__name__ + '_'; globals()[func.__name__] = func", False),
    ],
)
def test_a_decorator_that_gives_what_it_wraps_a_name(named: str, found: bool) -> None:
    assert bool(reported({"main.py": TIMEOUT.format(named=named)}, "lambdas")) is found
