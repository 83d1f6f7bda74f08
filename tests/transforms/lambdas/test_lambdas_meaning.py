"""Same meaning after `lambdas`: when code runs, how many functions and classes there are, and what they look like.

The programs in `programs/` are about one thing each; those of `harness.interleaved` are put together at random. Both
call a maker more than once, change things in between, and tell what came out apart. All that may move is moved.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from harness.each_row import each_row
from harness.interleaved import program
from harness.meaning import printed, programs, rewritten

PROGRAMS = programs(Path(__file__).with_name("programs"))
# Of these nothing may stay: a form is known that keeps moment and identity.
FIXED = [
    "identities: callbacks as dict keys",
    "identities: callbacks in a set",
    "identities: remove one of two without captures",
    "identities: identity in a method's lambda",
    "identities: attribute set by a helper on a lambda",
    "identities: attribute set through __dict__",
    "identities: hooks with a handle that removes",
    "identities: cache keyed by id",
    "identities: lru_cache on what is given",
    "identities: mutable default as a cache",
    "identities: factories of two dicts",
    "identities: factories of inner dicts",
    "identities: list of a class shared by its objects",
    "identities: defaults of a class that are compared",
    "identities: two of the same code in one statement of the module",
    "looks: keyword called self",
    "looks: attributes shown are those that were set",
    "looks: getfullargspec of a function of self",
    "looks: hasattr __self__",
    "looks: method borrowed by another class",
    "looks: dir of self scanned",
    "looks: metaclass that scans",
    "moments: function default reads an attribute",
    "moments: lambda default reads an attribute",
    "moments: lambda default is an index",
    "moments: function default is a call",
    "moments: function default is a fresh dict",
    "moments: value import of the maker",
    "moments: attribute of a class is taken when the class is made",
    "moments: long default with a comma in a string",
]


def check(text: str) -> int:
    """Assert that the program prints the same when rewritten; how much of it stayed."""
    before = printed(text)
    after, result = rewritten(text)
    assert not result.skipped
    for finding in result.remaining:
        assert "internal check" not in (finding.reason or ""), finding.reason
    assert printed(after) == before, after
    assert rewritten(after)[0] == after, "a second run changes it"
    return len(result.remaining)


@each_row("name", PROGRAMS)
def test_program_prints_the_same(name: str) -> None:
    check(PROGRAMS[name])


@each_row("name", FIXED)
def test_program_is_rewritten_whole(name: str) -> None:
    text = PROGRAMS[name]
    after, result = rewritten(text)
    assert after != text
    assert not result.remaining, [finding.reason for finding in result.remaining]


def test_a_function_that_is_made_once_needs_no_partial() -> None:
    """A class in a loop, and lambdas for which one function stands, still need objects of their own."""
    text = """\
class Reader:
    def __init__(self, keep=lambda row: row + 1):
        self.keep = keep
    class Inner:
        def __init__(self, drop=lambda row: row - 1):
            self.drop = drop

kinds = []
for _ in range(2):
    class Other:
        def __init__(self, keep=lambda row: row + 2):
            self.keep = keep
    kinds.append(Other)

print(Reader().keep is Reader().keep, Reader.Inner().drop is Reader.Inner().drop, kinds[0]().keep is kinds[1]().keep)
"""
    after, _ = rewritten(text)
    assert "def __init__(self, keep=_reader_keep):" in after
    assert "def __init__(self, drop=_reader_inner_drop):" in after or "drop=_inner_drop):" in after
    assert "def __init__(self, keep=functools.partial(_other_keep)):" in after
    assert printed(after) == printed(text) == "True True False\n"


ONCE = """\
hooks = []


def main(*names):
    def double(x):
        return 2 * x

    hooks.append(double)
    print(double in hooks, len(hooks))
    hooks.remove(hooks[0])


{calls}
"""


@pytest.mark.parametrize(
    ("calls", "once"),
    [
        ("main()", True),
        ("def run():\n    main()\n\n\nrun()", True),
        ("if hooks == []:\n    main()", True),
        ("main()\nmain()", False),
        ("for _ in range(2):\n    main()", False),
        ("def run():\n    main()\n\n\nrun()\nrun()", False),
        ("list(map(main, [1, 2]))", False),
        ("class Run:\n    def run(self):\n        main()\n\n\nRun().run()", False),
    ],
)
def test_a_function_of_a_maker_that_is_called_once_needs_no_partial(calls: str, once: bool) -> None:
    text = ONCE.format(calls=calls)
    after, _ = rewritten(text)
    assert ("functools.partial(_main_double)" in after, "\ndef double(x):" in after) == (not once, once)
    assert printed(after) == printed(text)


def rewritten_and_kept(seeds: range) -> tuple[int, int]:
    """How many of the programs were rewritten, how many left alone; each prints the same afterwards."""
    changed = 0
    for seed in seeds:
        text = program(random.Random(seed))
        before = printed(text)
        after, _ = rewritten(text)
        assert printed(after) == before, f"seed {seed}:\n{text}\n--- became\n{after}"
        changed += after != text
    return changed, len(seeds) - changed


@pytest.mark.slow
@pytest.mark.in_process
def test_makers_called_twice() -> None:
    changed, kept = rewritten_and_kept(range(30))
    assert changed > 15 and kept < changed


@pytest.mark.slow
def test_makers_called_twice_at_length() -> None:
    changed, kept = rewritten_and_kept(range(1000, 2200))
    assert changed > 600 and kept < changed


HELPER = """\
import multiprocessing
from multiprocessing.reduction import ForkingPickler

def mark(fn, name):
    fn.label = name
    return fn

def make(k):
    MADE

def work(fn):
    print(fn(1), fn.label)

def start(fn):
    multiprocessing.Process(target=work, args=(fn,))

start(mark(make(1), "a"))
kept = mark(make(2), "b")
print(kept(1), kept.label)
"""


@pytest.mark.parametrize("made", ["return lambda x: x + k", "def add(x): return x + k\n    return add"])
def test_attributes_that_a_helper_sets_reach_a_worker(made: str) -> None:
    """`multiprocessing` pickles a partial without its attributes."""
    text = HELPER.replace("MADE", made)
    after, result = rewritten(text)
    assert not result.remaining and "partial" not in after
    assert printed(text) == printed(after)
    crossed = "again = ForkingPickler.loads(ForkingPickler.dumps(kept))\nprint(again(1), again.label)\n"
    assert "3 b\n3 b\n" in printed(after + crossed)


@pytest.mark.parametrize("read", ["kept.__dict__", "vars(kept)"])
def test_attributes_that_a_helper_sets_are_listed_as_before(read: str) -> None:
    text = HELPER.replace("MADE", "return lambda x: x + k") + f"print({read})\n"
    after, _ = rewritten(text)
    assert printed(text) == printed(after)
