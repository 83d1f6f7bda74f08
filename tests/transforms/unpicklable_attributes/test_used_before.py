"""unpicklable-attributes: what an object opens on demand crosses with it where it was used before."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.conn = None
    def __len__(self):
        return 3
    def __getitem__(self, at):
        return self.open().execute('select ?', (at,)).fetchone()
    def open(self):
        if self.conn is None:
            self.conn = sqlite3.connect(self.path)
        return self.conn
    def close(self):
        self.conn = None
def main(quick=False):
    data = Rows('a.db')
    other = Rows('b.db')
    {}
    loader = DataLoader(data, num_workers=2)
    {}
    return list(loader)
if __name__ == '__main__':
    main()
"""


@each_row(
    "line",
    ["print(data[0])", "for row in data: print(row)", "data.open()", "data.close(); print(data[1])", "x = data[0], 1"],
)
def test_used_before(line: str) -> None:
    files = {"a.py": PROGRAM.format(line, "pass")}
    (found,) = reported(files, RULE)
    assert found.trace[-2].line == 20 and "opens it" in found.trace[-2].what
    assert 'state["conn"] = None' in migrated(files, RULE)["a.py"]


@each_row(
    ("before", "after"),
    [
        pytest.param("pass", "print(data[0])", id="after"),
        pytest.param("print(other[0])", "pass", id="another object"),
        pytest.param("print(data[0])\n    data.close()", "pass", id="closed again"),
        pytest.param("len(data); data.path", "pass", id="other methods"),
        pytest.param("f = lambda: data[0]", "pass", id="in a function"),
        pytest.param("data[0] = 1", "pass", id="an item is set"),
        pytest.param("data = other", "pass", id="two values"),
    ],
)
def test_not_used_before(before: str, after: str) -> None:
    files = {"a.py": PROGRAM.format(before, after)}
    assert reported(files, RULE) == [] and migrated(files, RULE) == {}


CLOSES = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.conn = None
    def {name}(self):
        self.conn.close()
        self.conn = None
    def __len__(self):
        if self.conn is None:
            self.conn = sqlite3.connect(self.path)
        return 3
    def __getitem__(self, at):
        if self.conn is None:
            self.conn = sqlite3.connect(self.path)
        return self.conn.execute('select ?', (at,)).fetchone()
if __name__ == '__main__':
    print(list(DataLoader(Rows('a.db'), num_workers=2)){more})
"""


@each_row(
    ("name", "more", "opens"),
    [
        pytest.param("_close", "", False, id="nobody closes it"),
        pytest.param("_close", ", Rows('b')._close()", True, id="somebody does"),
        pytest.param("_close", ", getattr(Rows('b'), '_close')", True, id="by its name"),
        pytest.param("close", "", True, id="others may close it"),
    ],
)
def test_a_method_that_closes_it(name: str, more: str, opens: bool) -> None:
    """Where it may be called in a copy, what was open has to be open there; else the class opens it on demand."""
    after = migrated({"a.py": CLOSES.format(name=name, more=more)}, RULE)["a.py"]
    assert ("def __setstate__" in after) is opens
    assert ('state["conn"] = None' in after) is not opens


@pytest.mark.parametrize(("asks", "opens"), [("self.conn is None", False), ("self.conn is not None", True)])
def test_who_opens_it_says_that_it_is_closed(asks: str, opens: bool) -> None:
    text = PROGRAM.format("print(data[0])", "pass").replace(
        "        if self.conn is None:\n    ", f"        assert {asks}\n"
    )
    text = text.replace(
        "        return self.open().execute",
        "        if self.conn is None: self.open()\n        return self.conn.execute",
    )
    after = migrated({"a.py": text}, RULE)["a.py"]
    assert ("def __setstate__" in after) is opens and ('state["conn"] = None' in after) is not opens


OPENED = """\
import threading
from multiprocessing import Process


class Cache:
    made = 0

    def __init__(self):
        self._lock = None

    @property
    def lock(self):
        if self._lock is None:
            self._lock = threading.Lock()
            {more}
        return self._lock

    def share(self):
        with self.lock:
            return self


def work(cache):
    {seen}


def main():
    {made}
    Process(target=work, args=({sent},)).start()


if __name__ == "__main__":
    main()
"""


@each_row(
    ("made", "sent", "found"),
    [
        ("cache = Cache().share()", "cache", True),
        ("cache = Cache()\n    cache = cache.share()", "cache", True),
        ("first = Cache()\n    first.share()\n    cache = first", "cache", True),
        ("cache = Cache()", "cache", False),
        ("cache = Cache()\n    other = Cache().share()", "cache", False),
    ],
)
def test_an_object_that_its_methods_give_back(made: str, sent: str, found: bool) -> None:
    files = {"a.py": OPENED.format(made=made, sent=sent, more="pass", seen="cache.share()")}
    assert bool(reported(files, RULE)) is found


def test_an_object_that_a_loop_gives_another_name() -> None:
    text = OPENED.format(made="cache = Cache().share()", sent="each", more="pass", seen="cache.share()")
    start = "    Process(target=work, args=(each,)).start()"
    (found,) = reported({"a.py": text.replace(start, f"    for each in (cache,):\n    {start}")}, RULE)
    assert "opens it" in found.trace[-2].what


@each_row(
    ("more", "seen", "lazy"),
    [
        ("pass", "cache.share()", True),
        ("self.path = 3", "cache.share()", True),
        ("pass", "print(cache._lock is None)", False),
        ("self.made += 1", "cache.share()", False),
        ("print('made')", "cache.share()", False),
    ],
)
def test_a_copy_that_is_seen_to_be_open(more: str, seen: str, lazy: bool) -> None:
    """Where other code sees it, or opening it does more, the copy has what the original has."""
    text = OPENED.format(made="cache = Cache().share()", sent="cache", more=more, seen=seen)
    changed = migrated({"a.py": text}, RULE)["a.py"]
    assert ('state["_lock"] = None' in changed) is lazy
    assert ('state["_lock"] = self._lock is not None' in changed) is not lazy


@pytest.mark.parametrize("more", ["type(self).made += 1", "Cache.made = 3", "MADE.append(self)"])
def test_what_is_counted_as_it_is_opened_is_not_in_a_worker(more: str) -> None:
    text = OPENED.format(made="cache = Cache().share()", sent="cache", more=more, seen="cache.share()")
    (found,) = reported({"a.py": text}, RULE)
    assert found.fix is None
    assert "changes something else as it is opened" in (found.reason or "")


SEVERAL = """\
import sqlite3
from multiprocessing import Process
class Rows:
    def __init__(self, path):
        self.path = path
        self.conn = None
    def read(self, at):
        if self.conn is None:
            self.conn = sqlite3.connect(self.path)
        return self.conn.execute('select ?', (at,)).fetchone()
def work(several):
    print(len(several))
def main():
    several = {}
    {}
    Process(target=work, args=(several,)).start()
if __name__ == '__main__':
    main()
"""


@each_row(
    ("made", "line", "sure"),
    [
        ("[Rows(path) for path in 'ab']", "several[0].read(1)", True),
        ("[Rows('a'), Rows('b')]", "for each in several: each.read(1)", True),
        ("{path: Rows(path) for path in 'ab'}", "several['a'].read(1)", True),
        ("{'a': Rows('a')}", "print(several['a'].read(1))", True),
        ("[Rows(path) for path in 'ab']", "print(len(several), several[0].path)", False),
        ("[Rows(path) for path in 'ab']", "for each in several: print(each)", False),
        ("[str(path) for path in 'ab']", "several[0].read(1)", False),
    ],
)
def test_one_of_several_is_used_before(made: str, line: str, sure: bool) -> None:
    assert [each.span.line for each in reported({"a.py": SEVERAL.format(made, line)}, RULE)] == [9] * sure


GIVEN = """\
import multiprocessing as mp


class Store:
    def __init__(self, path):
        self.path = path

    def get(self, at):
        if not hasattr(self, "file"):
            self.file = open(self.path)
        self.file.seek(at)
        return self.file.read(1)

    def close(self):
        if hasattr(self, "file"):
            self.file.close()
            del self.file


class Cached(Store):
    def get(self, at):
        return super().get(at)


def read(store, queue):
    queue.put(store.get(1))


def run(store):
    process = mp.Process(target=read, args=(store, mp.Queue()))
    process.start()


def twice(given):
    run(store=given)


def main():
    store = Cached("a.txt")
    {before}
    {call}(store)
    {after}


if __name__ == "__main__":
    main()
"""


@each_row(
    ("call", "before", "after", "found"),
    [
        ("run", "store.get(0)", "pass", True),
        ("twice", "store.get(0)", "pass", True),
        ("run", "pass", "store.get(0)", False),
        ("run", "store.get(0); store.close()", "pass", False),
        ("print", "store.get(0)", "run(Cached('b.txt'))", False),
    ],
)
def test_used_before_it_is_passed_to_what_sends_it(call: str, before: str, after: str, found: bool) -> None:
    files = {"a.py": GIVEN.format(call=call, before=before, after=after)}
    made = reported(files, RULE)
    if not found:
        assert made == []
        return
    assert made[0].trace[-2].what == "`store` is used before, which opens it" and made[0].trace[-2].line == 40
    assert 'if "file" in state:\n            self.file = open(self.path)' in migrated(files, RULE)["a.py"]
