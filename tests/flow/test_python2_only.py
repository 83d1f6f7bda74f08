"""Programs that Python 3 parses and only Python 2 runs: a guard there, or a function that moves, helps no run."""

from __future__ import annotations

import ast

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.flow.facts import cache
from codemods.flow.facts.collector import facts_of
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

ROWS = """\
class Rows:
    def __init__(self):
        self.change = lambda row: row

    def __len__(self):
        return 4

    def __getitem__(self, at):
        return self.change(at)
"""
TRAIN = """\
{above}
from torch.utils.data import DataLoader
from rows import Rows

loader = DataLoader(Rows(), num_workers=2)
{below}
for row in loader:
    print(row)
"""
MAIN = """\
from torch.utils.data import DataLoader
from rows import Rows

def main():
    loader = DataLoader(Rows(), num_workers=2)
    {first}
    work(loader)

def work(loader):
    {second}
    for row in loader:
        print(row)

main()
"""


@each_row(
    ("text", "lines"),
    [
        ("for i in xrange(3):\n    pass\n", [(1, 2, "xrange", True)]),
        ("a = 1\nprint(unicode(a))\n", [(1, 2, "unicode", True)]),
        ("import os, cPickle\n", [(1, 1, "cPickle", True)]),
        ("from urllib2 import urlopen\n", [(1, 1, "urllib2", True)]),
        ("from .urllib2 import urlopen\n", []),
        ("from six.moves import xrange\nxrange(3)\n", []),
        ("from here import *\nxrange(3)\n", []),
        ("try:\n    import cPickle\nexcept ImportError:\n    import pickle as cPickle\n", []),
        ("try:\n    xrange\nexcept NameError:\n    xrange = range\nfor i in xrange(3):\n    pass\n", []),
        ("import sys\nif sys.version < '3':\n    import Queue\nelse:\n    import queue\n", [(3, 3, "Queue", False)]),
        ("if a:\n    import Queue\nelse:\n    raw_input()\n", [(1, 4, "Queue", True)]),
        ("if xrange(a):\n    pass\n", [(1, 2, "xrange", True)]),
        ("with file(a) as f:\n    pass\n", [(1, 2, "file", True)]),
        ("with open(a) as f:\n    x = unicode(f)\n", [(1, 2, "unicode", True)]),
        ("while cmp(a, b):\n    pass\n", [(1, 2, "cmp", True)]),
        ("x = a or unicode(a)\ny = lambda: xrange(3)\n", []),
        ("def f(d):\n    for a in d.iteritems():\n        pass\n", [(1, 3, "iteritems", False)]),
        ("import pandas\ndef f(d):\n    return d.iteritems()\n", []),
        ("import pandas\ndef f(d):\n    return d.has_key(1)\n", [(2, 3, "has_key", False)]),
        ("def f(file):\n    return file(1)\ndef g():\n    return file(1)\n", [(3, 4, "file", False)]),
        ("def f(a):\n    if a:\n        return 1\n    x = 1\n    return long(x)\n", [(4, 5, "long", False)]),
        ("def f(a):\n    for b in a:\n        if b:\n            continue\n        long(b)\n", [(5, 5, "long", False)]),
        ("def f():\n    return g()\ndef g():\n    return raw_input()\n", [(3, 4, "raw_input", False),
                                                                      (1, 2, "raw_input", False)]),
        ("def f():\n    raw_input()\nif __name__ == '__main__':\n    f()\n", [(1, 2, "raw_input", False),
                                                                         (4, 4, "raw_input", False)]),
        ("def f():\n    raw_input()\nf()\n", [(1, 3, "raw_input", True)]),
        ("class A:\n    def f(self):\n        return unicode(self)\n", [(2, 3, "unicode", False)]),
        ("globals()['xrange'] = range\nxrange(3)\n", []),
        ("import builtins\nbuiltins.xrange = range\nxrange(3)\n", []),
        ("import six\nfor a, b in six.iteritems(c):\n    pass\n", []),
        ("with suppress(NameError):\n    reload(sys)\n", []),
        ("with a, open(b):\n    reload(sys)\n", []),
        ("def f():\n    raw_input()\ntry:\n    unicode\nexcept NameError:\n    def f():\n        pass\nf()\n",
         [(1, 2, "raw_input", False)]),
        ("def f():\n    raw_input()\ndef g(f=input):\n    f()\n", [(1, 2, "raw_input", False)]),
        ("for a in b:\n    c = 1\n    unicode(a)\n", [(2, 3, "unicode", False)]),
        ("for a in [*b]:\n    unicode(a)\n", [(2, 2, "unicode", False)]),
        ("for a in [1, *b]:\n    unicode(a)\n", [(1, 2, "unicode", True)]),
        ("for a in range(3):\n    unicode(a)\n", [(1, 2, "unicode", True)]),
        ("for a in range(b):\n    unicode(a)\n", [(2, 2, "unicode", False)]),
        ("while a:\n    unicode(a)\n", [(2, 2, "unicode", False)]),
        ("while True:\n    unicode(a)\n", [(1, 2, "unicode", True)]),
    ],
)  # fmt: skip
def test_lines_that_only_python2_runs(text: str, lines: list[tuple[int, int, str, bool]]) -> None:
    found = facts_of("a.py", ast.parse(text)).python2
    assert sorted((row.first, row.last, row.name, row.whole) for row in found) == sorted(lines)


def sure(files: dict[str, str]) -> set[str]:
    """The rules that find more than what is possible; all else says why it is not."""
    found = check(
        MemoryFiles({path: text.encode() for path, text in files.items()}), Settings(confidence=Confidence.POSSIBLE)
    ).findings
    assert {each.rule for each in found} == {"lambdas", "main-guard"}
    unsure = [each for each in found if each.confidence is Confidence.POSSIBLE]
    assert all(each.trace[-1].what.startswith("runs only under Python 2: Python 3 has no `") for each in unsure)
    return {each.rule for each in found if each not in unsure}


@each_row(
    ("above", "below", "other", "crosses"),
    [
        ("", "", {}, True),
        ("import cPickle", "", {}, False),
        ("import Queue", "", {}, False),
        ("import Queue", "", {"Queue.py": "class Queue: pass\n"}, True),  # the repository's own
        ("", "names = raw_input()", {}, False),
        ("from six.moves import input as raw_input", "names = raw_input()", {}, True),
        ("import tools", "", {"tools.py": "import urllib2\n"}, False),
        ("from lib import tools", "", {"lib/__init__.py": "", "lib/tools.py": "from . import net\n",
                                       "lib/net.py": "import urllib2\n"}, False),
        ("import tools", "", {"tools.py": "def get():\n    import urllib2\n"}, True),
        ("try:\n    import tools\nexcept ImportError:\n    pass", "", {"tools.py": "import urllib2\n"}, True),
        ("", "d = {}\nd.has_key(1)", {}, False),
        ("", "d = {}\nd.has_key(1)", {"own.py": "class Table:\n    def has_key(self, key):\n        return key\n"},
         True),
    ],
)  # fmt: skip
def test_a_script(above: str, below: str, other: dict[str, str], crosses: bool) -> None:
    files = {"rows.py": ROWS, "train.py": TRAIN.format(above=above, below=below), **other}
    assert sure(files) == ({"lambdas", "main-guard"} if crosses else set())


def test_what_a_script_of_python3_sends_too() -> None:
    old, new = (TRAIN.format(above=above, below="") for above in ("import cPickle", "import pickle"))
    for files in ({"a.py": old, "b.py": new}, {"a.py": new, "b.py": old}):
        assert sure({"rows.py": ROWS, **files}) == {"lambdas", "main-guard"}


@each_row(
    ("first", "second", "crosses"),
    [
        ("pass", "pass", True),
        ("count = xrange(3)", "pass", False),
        ("pass", "count = xrange(3)", False),
        ("pass", "count = xrange(3) if loader is None else 1", True),
    ],
)
def test_functions_on_the_way(first: str, second: str, crosses: bool) -> None:
    files = {"rows.py": ROWS, "train.py": MAIN.format(first=first, second=second)}
    assert sure(files) == ({"lambdas", "main-guard"} if crosses else set())


def test_facts_with_such_lines_are_kept() -> None:
    text = "class A:\n    def f(self):\n        p = Process()\n        p.start()\n        self.late = xrange(3)\n"
    made = facts_of("a.py", ast.parse(text))
    assert made.python2 and made.late
    cache.store({"1": made})
    assert cache.load(["1"]) == {"1": made}
