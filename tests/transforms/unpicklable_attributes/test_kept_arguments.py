"""unpicklable-attributes: an argument that must not be computed again is kept, with its value of the first time."""

from __future__ import annotations

import ast

import pytest

from codemods.transforms.unpicklable_attributes.remaking.kept_arguments import _word
from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import io, logging, os
from multiprocessing import Pool
from other import elsewhere
def flag(*a):
    return os.getpid() > 1
def newest(root):
    return max(os.listdir(root))
def opened(root):
    return open(root)
class Rows:
    def __init__(self, root, mode):
        {}

    def run(self, n):
        return n
if __name__ == '__main__':
    print(Pool(2).map(Rows('a', 'r').run, [1]))
"""


@each_row(
    ("line", "before", "again"),
    [
        ("self.f = open(newest(root))", ["self.source = newest(root)", "self.f = open(self.source)"], None),
        (
            "self.f = open(root, closefd=not flag())",
            ["self.closefd = not flag()"],
            "open(self.root, closefd=self.closefd)",
        ),
        ("self.f = open(f'{newest(root)}.txt')", ["self.source = f'{newest(root)}.txt'"], "open(self.source)"),
        ("self.f = open(f'{elsewhere(root)}.txt')", ["self.source = f'{elsewhere(root)}.txt'"], "open(self.source)"),
        ("self.f = open(root, newline='' if flag() else None)", ["self.newline = '' if flag() else None"], None),
    ],
)
def test_computed_once(line: str, before: list[str], again: str | None) -> None:
    after = migrated({"a.py": PROGRAM.format(line)}, RULE)["a.py"]
    for text in before:
        assert after.count(f"        {text}\n") >= 1, after
    assert after.count("newest(") + after.count("flag(") + after.count("elsewhere(") == PROGRAM.count("newest(") + 1 + 1
    if again is not None:
        assert f"self.f = {again}\n" in after


def test_a_buffer_is_kept_with_what_is_in_it() -> None:
    after = migrated({"a.py": PROGRAM.format("self.f = logging.StreamHandler(io.StringIO())")}, RULE)["a.py"]
    assert "        self.buffer = io.StringIO()\n        self.f = logging.StreamHandler(self.buffer)\n" in after
    assert after.count("io.StringIO()") == 1


@each_row(
    ("line", "reason"),
    [
        pytest.param("self.f = open(elsewhere(root))", "another value the second time", id="unknown function"),
        pytest.param("self.f = open(newest(root)[:3])", "another value the second time", id="part of a result"),
        pytest.param("self.f = open(root, newline=str(flag(root)))", "another value", id="read before"),
        pytest.param("self.f = open(*newest(root))", "not visible", id="stars"),
        pytest.param("f = open(newest(root)); self.f = f", "another value", id="another statement"),
        pytest.param(
            "self.f = open(newest(root))\n        self.g = open(newest(root))", "a value of its own", id="twice"
        ),
    ],
)
def test_not_where_it_may_be_something_else(line: str, reason: str) -> None:
    found = reasons({"a.py": PROGRAM.format(line)}, RULE)
    assert found and all(reason in text for text in found), found


@each_row(
    ("function", "word"),
    [
        *((f"{verb}_path", "path") for verb in ("get", "make", "build", "find", "create", "compute", "load", "choose")),
        ("_get_index_path", "index_path"),
        ("lib.find_path", "path"),
        ("newest", "source"),
        ("newest_path", "newest_path"),
    ],
)
def test_the_name_of_what_a_function_gives(function: str, word: str) -> None:
    call = ast.parse(f"{function}(root)", mode="eval").body
    assert isinstance(call, ast.Call) and _word(call) == word


PAIRS = """\
import lmdb
from multiprocessing import Pool
class Pairs:
    def __init__(self, path, name):
        self.env = lmdb.open(path, readonly=True)
        self.db = self.env.open_db(name.encode({}))
    def run(self, n):
        return n
if __name__ == '__main__':
    print(Pool(2).map(Pairs('a', 'b').run, [1]))
"""


def test_a_database_of_an_environment_is_opened_behind_it() -> None:
    after = migrated({"a.py": PAIRS.format("'utf-8'")}, RULE)["a.py"]
    again = after[after.index("    def __setstate__") :]
    assert (
        "lmdb.open(self.path, readonly=True)\n        self.db = self.env.open_db(self.name.encode('utf-8'))\n" in again
    )
    first, second = reasons({"a.py": PAIRS.format("path")}, RULE)
    assert "`self.db` (line 6) can't be fixed" in first
    assert "`name.encode(path)` may return another value" in second
