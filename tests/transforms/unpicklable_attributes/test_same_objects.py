"""Objects are the same after a pickled round trip, and after `copy.copy`, as the object was that the program made.

Each program of same_objects.txt runs as written and as the rule leaves it. `trip(x)` is `x` itself where it can't be
pickled: what a forked process would have had.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.meaning import printed, programs

PROGRAMS = programs(Path(__file__).parent)
REFUSED = """
thread drains its queue
threading.local with attribute
weakref to the parent
WeakValueDictionary filled
stash seen in vars
json of __dict__
cached property read before
lock deleted from outside
file set to another from outside
itertools cycle aliased
file closed from outside
position moved from outside
row_factory from outside
attribute replaced by setattr
iterator over a handle is kept
rows of a kept walk
lock of multiprocessing is dumped
""".strip().splitlines()
HEAD = """\
import pickle
PATH, PATH2, DB = {files!r}
def trip(x):
    try:
        return pickle.loads(pickle.dumps(x))
    except (TypeError, AttributeError, pickle.PicklingError):
        return x
"""
CROSS = """
def cross():
    from multiprocessing import Pool
    Pool(2).map({name}(0).__len__, [1])
"""


def rewritten(text: str) -> tuple[str, bool]:
    """The program with all fixes, and whether something is refused."""
    findings = list(RULE.find(Project(MemoryFiles({"program.py": text.encode()}))))
    edits = {(each.start, each.end, each.text) for found in findings if found.fix for each in found.fix.edits}
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text, any(found.fix is None for found in findings)


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_objects(name: str, tmp_path: Path) -> None:
    files = [tmp_path / "one.txt", tmp_path / "two.txt", tmp_path / "x.db"]
    files[0].write_text("one\ntwo\nthree\n", encoding="utf-8")
    files[1].write_text("uno\ndue\n", encoding="utf-8")
    head = HEAD.format(files=tuple(map(str, files)))
    before = head + PROGRAMS[name] + CROSS.format(name="Thing" if "class Thing" in PROGRAMS[name] else "Node")
    after, refused = rewritten(before)
    assert refused == (name.partition(": ")[2] in REFUSED)
    assert refused or after != before
    expected = printed(before)
    assert expected and "ended by" not in expected
    assert printed(after) == expected
