"""unpicklable-attributes: where the value that a handle is opened with comes from."""

from __future__ import annotations

import pytest

from codemods.transforms.unpicklable_attributes.data import names
from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
RUN = "\n        def run(self, n):\n            return n\n"
USE = "\n\nif __name__ == '__main__':\n    from multiprocessing import Pool\n\n    print(Pool(2).map({}.run, [1]))\n"
LIST = "class Rows:\n    def __init__(self, paths):\n        self.files = [open(p) for p in paths]\n\n"
LIST += "    def run(self, n):\n        return n\n"


def test_a_variable_of_the_function_around_the_class() -> None:
    head = "def make(path):\n    class Rows:\n        def __init__(self):\n            self.file = open(path)\n"
    text = head + RUN + "\n    return Rows()\n" + USE.format("make('a')")
    assert reasons({"a.py": text}, RULE) == ["`path` belongs to an inner function; open it in the method itself"]


@pytest.mark.parametrize("paths", ["(p for p in ['a'])", "iter(['a'])", "map(str, ['a'])"])
def test_what_can_be_walked_once(paths: str) -> None:
    (reason,) = reasons({"a.py": LIST + USE.format(f"Rows({paths})")}, RULE)
    assert "`paths` can be walked only once (a.py:" in reason


@pytest.mark.parametrize("paths", ["['a']", "[p for p in ['a']]", "sorted(['a'])"])
def test_what_can_be_walked_again(paths: str) -> None:
    after = migrated({"a.py": LIST + USE.format(f"Rows({paths})")}, RULE)["a.py"]
    assert "        self.files = [open(p) for p in self.paths]" in after


OPENED = """\
import multiprocessing
class Rows:
    def __init__(self, path):
        self.path = path
        try:
            self.f = open(path)
        except OSError:
            {}
    def run(self, n):
        return self.f.read(n)
multiprocessing.Pool(2).map(Rows('a').run, [1])
"""


@each_row(
    ("handler", "always"),
    [
        ("raise", True),
        ("print(path)\n            raise", True),
        ("raise ValueError(path) from None", True),
        ("print(path)", False),
        ("self.f = None", False),
        ("raise\n        except ValueError:\n            print(path)", False),
    ],
)
def test_a_handler_that_raises_leaves_no_object_without_its_file(handler: str, always: bool) -> None:
    after = migrated({"a.py": OPENED.format(handler)}, "unpicklable-attributes")["a.py"]
    assert ('        state["f"] = self.f.tell()\n' in after) is always
    assert ('        if "f" in state:\n' in after) is not always


@each_row(
    ("method", "answer"),
    [
        ("__getstate__", "its `__getstate__` (line 8) copies `__dict__` in a form"),
        ("__setstate__", "its `__setstate__` (line 8) fills `__dict__` in a form"),
        ("__reduce__", None),
        ("__reduce_ex__", None),
        ("__copy__", ""),
        ("__deepcopy__", ""),
        ("__del__", ""),
        ("other", ""),
    ],
)
def test_a_class_that_says_how_it_is_pickled(method: str, answer: str | None) -> None:
    """None: it is left alone; "": it is fixed; else why it is not."""
    text = (
        "import multiprocessing, threading\nclass Rows:\n    def __init__(self, path):\n        self.path = path\n"
        "        self.lock = threading.Lock()\n    def run(self, n):\n        return n\n"
        f"    def {method}(self, *x):\n        return self.__dict__\nmultiprocessing.Pool(2).map(Rows('a').run, [1])\n"
    )
    found = reported({"a.py": text}, "unpicklable-attributes")
    assert len(found) == (answer is not None)
    for finding in found:
        assert (finding.fix is not None) is (answer == "")
        assert (finding.reason or "").startswith(answer or "")


SQL = """\
import multiprocessing, sqlite3
class Rows:
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)
    def run(self, n):
        return self.db.{}
multiprocessing.Pool(2).map(Rows('a.db').run, [1])
"""


@each_row(
    ("call", "writes"),
    [
        *((f"execute('{word} t')", True) for word in sorted(names("sql_writes"))),
        ("execute('  INSERT INTO t VALUES (1)')", True),
        ("executemany(sql='insert into t values (?)')", True),
        ("execute('select 1')", False),
        ("execute(n)", False),
        ("cursor()", False),
    ],
)
def test_words_that_write_to_a_database(call: str, writes: bool) -> None:
    [finding] = reported({"a.py": SQL.format(call)}, "unpicklable-attributes")
    assert (finding.fix is None) is writes
    said = "line 7 writes to the database; connect in each process that uses it"
    assert (finding.reason or "").startswith(said if writes else "")


@pytest.mark.parametrize(("mark", "seen"), [("@staticmethod", True), ("@classmethod", True), ("@cached", False)])
def test_a_generator_of_a_method_without_an_object(mark: str, seen: bool) -> None:
    first = "" if mark == "@staticmethod" else "cls, "
    text = (
        f"from tools import cached\nclass Rows:\n    def __init__(self, rows):\n        self.one = self.each(rows)\n\n"
        f"    {mark}\n    def each({first}rows):\n        while True:\n            yield from rows\n\n"
        f"    def run(self, n):\n        return next(self.one)\n{USE.format('Rows([1])')}"
    )
    assert len(reasons({"a.py": text}, RULE)) == seen


READERS = """\
class Reader:
    def read(self, path):
        with open(path) as lines:
            {}

class Other:
    def read(self, path):
        return [path]

class Rows:
    def __init__(self, path, reader=None):
        self.reader = {}
        self.rows = self.reader.read(path)

    def run(self, n):
        return n
"""


@each_row(
    ("body", "reader", "seen"),
    [
        ("yield from lines", "Reader()", True),
        ("return list(lines)", "Reader()", False),
        ("yield from lines", "Other()", False),
        ("yield from lines", "Reader() if path else Other()", False),
        ("yield from lines", "reader", False),
    ],
)
def test_a_generator_of_a_method_of_another_object(body: str, reader: str, seen: bool) -> None:
    found = reported({"a.py": READERS.format(body, reader) + USE.format("Rows('a')")}, RULE)
    assert ["`self.rows` is a generator" in each.message for each in found] == [True] * seen


WALKED = """\
class Base:
    def __iter__(self):
        raise NotImplementedError

class Lines(Base):
    def __iter__(self):
        {}

class Pairs(Base, Lines):
    pass

TABLE = {{"lines": Lines, "pairs": Pairs}}

class Rows:
    def __init__(self, names):
        every = [TABLE[name]() for name in names]
        self.walks = [iter(each) for each in every]

    def run(self, n):
        return n
"""


@pytest.mark.parametrize(("body", "seen"), [("yield 1", True), ("return iter([1])", False)])
def test_an_iterator_of_an_object_that_yields(body: str, seen: bool) -> None:
    found = reported({"a.py": WALKED.format(body) + USE.format("Rows(['lines', 'pairs'])")}, RULE)
    assert ["call `iter` where the items are used" in (each.reason or "") for each in found] == [True] * seen


BY_NUMBER = """\
import os
import tempfile


class Rows:
    def __init__(self, path):
        number, self.path = tempfile.mkstemp()
        self.file = {}

    def run(self, n):
        return n
"""


@pytest.mark.parametrize(
    ("opened", "error"),
    [("os.fdopen(number, 'w+')", "_io.TextIOWrapper"), ("os.fdopen(number, 'rb')", "_io.BufferedReader")],
)
def test_a_file_that_is_opened_by_its_number_is_not_opened_again(opened: str, error: str) -> None:
    (finding,) = reported({"a.py": BY_NUMBER.format(opened) + USE.format("Rows('a')")}, RULE)
    assert error in finding.message and finding.fix is None
    assert "means nothing in another process" in (finding.reason or "")


def test_a_number_of_an_open_file_is_pickled() -> None:
    assert not reported({"a.py": BY_NUMBER.format("number") + USE.format("Rows('a')")}, RULE)


STACKED = """\
import contextlib
import threading
from multiprocessing import Process


class Merged:
    def __init__(self, paths):
        self.stack = contextlib.ExitStack()
        self.kept = {kept}

    def run(self):
        print(self.kept)


if __name__ == "__main__":
    Process(target=Merged(["a", "b"]).run).start()
"""


@each_row(
    ("kept", "found"),
    [
        ("self.stack.enter_context(open(paths[0]))", True),
        ("[self.stack.enter_context(open(path)) for path in paths]", True),
        ("self.stack.enter_async_context(open(paths[0]))", True),
        ("self.stack.enter_context(cm=open(paths[0]))", True),
        ("enter_context(open(paths[0]))", False),  # nobody knows what it gives
        ("self.stack.enter_context(threading.Lock())", False),  # that gives True
        ("self.stack.enter_context(contextlib.closing(paths))", False),
    ],
)
def test_a_file_that_a_stack_closes(kept: str, found: bool) -> None:
    findings = reported({"run.py": STACKED.format(kept=kept)}, "unpicklable-attributes")
    assert [each.reason for each in findings] == [
        "keep its path, and open it in the process that reads it: the stack closes it in this one"
    ] * found
