"""Functions that keep something between their calls: main calls them before workers do, and these begin anew."""

from __future__ import annotations

import textwrap

from harness.each_row import each_row
from harness.main_changes import program
from harness.small import reported

LIB = "def outside(x, kept=[]):\n    kept.append(x)\n    return kept\n"


def told(made: str, read: str, change: str) -> list[str]:
    """On what the worker is said to depend, which the first statement of `main` changes, or what that calls."""
    text = program(f"import lib\nfrom lib import outside as renamed\n{made}", read, change)
    findings = reported({"lib.py": LIB, "train.py": text}, "main-guard")
    top = text[: text.index("def main")].count("\n")
    assert all(each.trace[0].line <= top or each.trace[0].line == top + 2 for each in findings)
    assert all("begins anew" in each.message and "make the same call there" in (each.reason or "") for each in findings)
    return [each.message.partition("depends on ")[2].partition(", which line")[0] for each in findings]


DEFAULT = "a default of `f`, which keeps what is put into it"


def kept(parameters: str, *body: str) -> str:
    return f"def f({parameters}):\n" + textwrap.indent("\n".join((*body, "return k")), "    ")


@each_row(
    ("made", "found"),
    [
        (kept("x, k=[]", "k.append(x)"), True),
        (kept("x, k={}", "k[x] = 1"), True),
        (kept("x, k={1}", "k.add(x)"), True),
        (kept("x, k=list()", "k.append(x)"), True),
        (kept("x, k=[], /", "k.append(x)"), True),
        (kept("k=[], x=1", "k.append(x)"), True),
        (kept("k=[], *, x=1", "k.append(x)"), True),
        (kept("x, *, k=[]", "k.append(x)"), True),
        (kept("x, *, j, k=[]", "k.append(x)"), True),
        (kept("x, *, k, j=[]", "k.append(x)"), False),
        (kept("x, k={}", "del k[x]"), True),
        (kept("x, k=print()", "k.append(x)"), False),
        (kept("x, k=()", "k.append(x)"), False),
        (kept("x, k=[]", "x.append(k)"), False),
        (kept("x, k=[]", "j = []", "j.append(x)"), False),
        (kept("x, k={}", "if x not in k:", "    k[x] = len(x)"), False),  # the same for everybody who asks
        (kept("x, k={}", "if x in k: return k[x]", "k[x] = len(x)"), False),
        (kept("x, k={}", "k[x] = len(x)"), True),
        (kept("x, k={}", "if x not in k:", "    k[x] = len"), True),
        (kept("x, k={}", "if x == k:", "    k[x] = len(x)"), True),
        (kept("x, k={}", "if x not in k:", "    k[x] = len(x)", "k.update(b=1)"), True),
        (kept("x, k=[]", "k.append(x)") + "\nf = f", False),
    ],
)
def test_defaults(made: str, found: bool) -> None:
    assert told(made, "f(x)", "f(2)") == [DEFAULT] * found


FILLS = kept("x, k=[]", "k.append(x)")


@each_row(
    ("read", "change", "found"),
    [
        ("f(x)", "f(2)", True),
        ("f", "f(2)", False),
        ("f(x)", "print(f)", False),
        ("f(x)", "f = len; f(2)", False),
        ("f(x)", "lib.f(2)", False),
        ("f(x)", "renamed(2)", False),
        ("lib.outside(x)", "lib.outside(2)", True),
        ("lib.outside(x)", "renamed(2)", True),
        ("renamed(x)", "lib.outside(2)", True),
        ("renamed(x)", "renamed(2)", True),
        ("renamed(x)", "f(2)", False),
        ("x.outside(x)", "lib.outside(2)", False),
        ("f(x) if f(1) else f(2)", "f(2)", True),
    ],
)
def test_by_whatever_name(read: str, change: str, found: bool) -> None:
    assert bool(told(FILLS, read, change)) is found


MAKER = """\
def make(start):
    total = start
    kept = {{}}
    def put(value):
        nonlocal total
        total = value
    def get():
        return total
    def name():
        return "a"
    def fill(x):
        kept[x] = 1
    def look(x):
        return kept[x]
    def count():
        nonlocal total
        total += 1
        return total
    def own(x):
        total = x
        return total
    def ahead(x):
        def put():
            nonlocal total
            total = x
        return put
    {returns}
{target} = make(1)
"""
SHARED = "what `make` keeps for the functions that it returns"


@each_row(
    ("returns", "target", "read", "change", "found"),
    [
        ("return put, get", "put, get", "get()", "put(3)", True),
        ("return put, get", "a, b", "b()", "a(3)", True),
        ("return (put, get)", "[put, get]", "get()", "put(3)", True),
        ("return get, put", "put, get", "get()", "put(3)", False),  # `put` reads, and `get` changes
        ("return put, get, name", "put, get, name", "name()", "put(3)", False),
        ("return put, get, name", "put, get, name", "get()", "name()", False),
        ("return put, get", "put, get", "get()", "get()", False),
        ("return put, get", "put, get", "put(x)", "put(3)", False),
        ("return put, get", "put, get", "get()", "print(put)", False),
        ("return fill, look", "fill, look", "look(x)", "fill(3)", True),
        ("return fill, get", "fill, get", "get()", "fill(3)", False),  # of another variable
        ("return put, look", "put, look", "look(x)", "put(3)", False),
        ("return fill, put, look, get", "fill, put, look, get", "look(x)", "put(3)", False),
        ("return kept.update, look", "fill, look", "look(x)", "fill(3)", True),
        ("return kept.update, kept.get", "fill, look", "look(x)", "fill(3)", True),
        ("return kept.__setitem__, kept.get", "fill, look", "look(x)", "fill(3)", True),
        ("return kept.__delitem__, kept.get", "fill, look", "look(x)", "fill(3)", True),
        ("return kept.keys, kept.get", "fill, look", "look(x)", "fill(3)", False),
        ("return start.update, kept.get", "fill, look", "look(x)", "fill(3)", False),
        ("return count, get", "count, get", "get()", "count()", True),
        ("return count, count", "first, second", "second()", "first()", True),
        ("return own, get", "own, get", "get()", "own(3)", False),
        ("return own, get", "own, get", "own(x)", "own(3)", False),
        ("return ahead, get", "ahead, get", "get()", "ahead(3)", False),  # only what it returns would change it
        ("return put, get", "pair", "pair[1]()", "pair[0](3)", False),
        ("return put, get", "put, get = both", "get()", "put(3)", False),
        ("return", "put, get", "get()", "put(3)", False),
    ],
)
def test_functions_that_share_variables(returns: str, target: str, read: str, change: str, found: bool) -> None:
    assert told(MAKER.format(returns=returns, target=target), read, change) == [SHARED] * found


COUNTED = """\
def counted(function):
    calls = {begin}
    def inner(x):
        {change}
        return {result}
    return inner
@{mark}
def square(x):
    return x * x
"""
COUNTS = "nonlocal calls; calls += 1"
FINDS = "if x not in calls: calls[x] = function(x)"


@each_row(
    ("begin", "change", "result", "mark", "found"),
    [
        ("0", COUNTS, "function(x) + calls", "counted", True),
        ("0", COUNTS, "function(x) + calls", "counted()", True),
        ("0", COUNTS, "function(x) + calls", "print\n@counted", True),
        ("0", COUNTS, "function(x)", "counted", False),  # nobody sees the number
        ("0", COUNTS, "function(x) + calls", "print", False),
        ("[]", "calls.append(x)", "function(x) + len(calls)", "counted", True),
        ("[]", "calls.append(x)", "function(x)", "counted", False),
        ("{}", FINDS, "calls[x]", "counted", False),
        ("{}", "calls[x] = function(x)", "calls[x]", "counted", True),
        ("0", "calls = x", "calls", "counted", False),
    ],
)
def test_what_a_decorator_counts(begin: str, change: str, result: str, mark: str, found: bool) -> None:
    made = COUNTED.format(begin=begin, change=change, result=result, mark=mark)
    assert told(made, "square(x)", "square(3)") == ["`calls`, which `counted` keeps for `square`"] * found
    assert not told(made, "square(x)", "print(square)")


SHOW = """\
@functools.{kind}
def show(x):
    return "any"
def install():
    @show.register
    def _(x: int):
        return "int"
def ask():
    return show.dispatch(int)
"""


@each_row(
    ("kind", "read", "change", "found"),
    [
        ("singledispatch", "show(x)", "install()", True),
        ("singledispatch", "show(x)", "show.register(int, str)", True),
        ("singledispatch()", "show(x)", "install()", True),
        ("singledispatchmethod", "show(x)", "install()", True),
        ("singledispatch", "show(x)", "ask()", False),
        ("singledispatch", "show(x)", "show(3)", False),
        ("singledispatch", "show.registry", "install()", False),
        ("lru_cache", "show(x)", "install()", False),
    ],
)
def test_functions_for_several_types(kind: str, read: str, change: str, found: bool) -> None:
    wanted = ["the functions that are registered with `show`"] * found
    assert told(SHOW.format(kind=kind), read, change) == wanted


FIRST = "what `f` keeps of its first call"


@each_row(
    ("made", "change", "found"),
    [
        ("@functools.lru_cache\ndef f(x):\n    return random.random()", "f(2)", True),
        ("@functools.lru_cache(None)\ndef f(x):\n    return random.random()", "f(2)", True),
        ("@functools.cache\ndef f(x):\n    import time\n    return time.time()", "f(2)", True),
        ("import time\n@functools.cache\ndef f(x):\n    return time.time()", "f(2)", True),
        ("@functools.cache\ndef f(x):\n    return random.random()", "pass", False),
        ("@functools.cache\ndef f(x):\n    return len(x)", "f(2)", False),
        ("@functools.wraps(len)\ndef f(x):\n    return random.random()", "f(2)", False),
        (
            "K = None\ndef f(x):\n    global K\n    if K is None:\n        K = random.random()\n    return K",
            "f(2)",
            True,
        ),
        ("K = None\ndef f(x):\n    global K\n    K = random.random()\n    return 3", "f(2)", False),
        ("import os\n@functools.cache\ndef f(x):\n    return os.environ['A']", "f(2)\nos.environ['A'] = 'b'", True),
        ("import os\n@functools.cache\ndef f(x):\n    return os.environ['A']", "f(2)\nos.environ['B'] = 'b'", False),
    ],
)
def test_what_a_first_call_leaves(made: str, change: str, found: bool) -> None:
    text = program(f"import lib\n{made}", "f(x)", change)
    findings = reported({"lib.py": LIB, "train.py": text}, "main-guard")
    assert [FIRST in each.message for each in findings if "`f" in each.message] == [True] * found
