"""What else a program does while an object lives: other folders, files removed, factories that leave a trace."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
TEXT = """\
import gzip
import os
import threading
import zipfile
from multiprocessing import Pool
from pathlib import Path

MADE = []


def new_lock(name):
    MADE.append(name)
    return threading.Lock()


def plain_lock(name):
    return threading.Lock()


def chosen_lock(name):
    print(name)
    return threading.Lock() if name else threading.RLock()


class Thing{base}:
    def __init__(self, path):
        self.path = path
        {made}

    def run(self, n):
        return n

    def close(self):
        self.file.close()

    def look(self):
        return self.file.closed
{more}

if __name__ == "__main__":
    thing = Thing("a")
    {then}
    Pool(2).map(thing.run, [1])
"""


def text(made: str, then: str = "pass", base: str = "", more: str = "") -> dict[str, str]:
    more = "".join(f"    {line}\n" for line in more.splitlines())
    return {"train.py": TEXT.format(made=made, then=then, base=base, more=more)}


@each_row(
    ("made", "again"),
    [
        ("self.file = open(path)", "self.file = open(self._file_path)"),
        ("self.file = open(self.path + '.txt')", "self.file = open(self._file_path)"),
        ("self.file = gzip.open(path)", "self.file = gzip.open(self._file_path)"),
        ("self.file = zipfile.ZipFile(path)", "self.file = zipfile.ZipFile(self._file_path)"),
    ],
)
def test_a_relative_path_and_another_folder(made: str, again: str) -> None:
    after = migrated(text(made, "os.chdir('/tmp')"), RULE)["train.py"]
    assert again in after
    assert " = os.path.abspath(" in after and after.count("os.path.abspath") == 1


@each_row(
    "made",
    [
        "self.file = open(os.path.abspath(path))",
        "self.file = open('/data/rows.txt')",
        "self.file = open(f'/data/{path}')",
        "self.file = open(Path(path).resolve())",
        "self.file = open(os.fspath(Path(path).resolve()))",
        "self.file = open(os.path.join(os.path.dirname(__file__), 'rows.txt'))",
    ],
)
def test_an_absolute_path_and_another_folder(made: str) -> None:
    after = migrated(text(made, "os.chdir('/tmp')"), RULE)["train.py"]
    assert after.count("os.path.abspath") == made.count("os.path.abspath") * 2


def test_a_folder_that_nobody_leaves() -> None:
    after = migrated(text("self.file = open(path)", "os.listdir('/tmp')"), RULE)["train.py"]
    assert "abspath" not in after and "self.file = open(self.path)" in after


def test_paths_in_a_list_and_another_folder() -> None:
    (reason,) = reasons(text("self.files = [open(name) for name in path]", "os.chdir('/tmp')"), RULE)
    assert "train.py:42 goes to another folder" in reason and "os.path.abspath" in reason


def test_closed_and_removed() -> None:
    after = migrated(text("self.file = open(path)", "thing.close(); os.remove('a')"), RULE)["train.py"]
    assert 'open(self.path if state["file"] else os.devnull)' in after
    after = migrated(text("self.file = open(path)"), RULE)["train.py"]
    assert "os.devnull" not in after and "self.file.close()" in after


def test_an_archive_closed_and_removed() -> None:
    """Nothing else can be opened in its place."""
    (reason,) = reasons(text("self.file = zipfile.ZipFile(path)", "thing.close(); Path('a').unlink()"), RULE)
    assert "train.py:42 removes or moves files" in reason


def test_factories() -> None:
    after = migrated(text("self.lock = new_lock(path)"), RULE)["train.py"]
    assert after.count("new_lock(") == 2 and after.count("self.lock = threading.Lock()") == 1
    after = migrated(text("self.lock = plain_lock(path)"), RULE)["train.py"]
    assert "self.lock = plain_lock(self.path)" in after
    (reason,) = reasons(text("self.lock = chosen_lock(path)"), RULE)
    assert reason.startswith("`chosen_lock` prints (line 21)")
    (reason,) = reasons(text("self.locks = [new_lock(name) for name in 'ab']"), RULE)
    assert reason.startswith("`new_lock` changes `MADE` (line 12)")


def test_a_method_that_counts() -> None:
    counts = "def new(self):\n    self.count += 1\n    return threading.Semaphore(2)\n"
    (reason,) = reasons(text("self.count = 0; self.lock = self.new()", more=counts), RULE)
    assert "`new` changes `self`" in reason


SETITEM = "def __setitem__(self, key, value):\n    with self.lock:\n        super().__setitem__(key, value)\n"
APPEND = "def append(self, value):\n    self.add(value)\ndef add(self, value):\n    self.count = self.count + 1\n"


@pytest.mark.parametrize(
    ("base", "more", "attribute"), [("(dict)", SETITEM, "lock"), ("(list)", APPEND, "count"), ("(dict)", APPEND, "")]
)
def test_containers_that_are_filled_first(base: str, more: str, attribute: str) -> None:
    files = text("self.count, self.lock = 0, None\n        self.lock = threading.Lock()", base=base, more=more)
    files["train.py"] = files["train.py"].replace("self.count, self.lock = 0, None", "self.count = 0")
    if not attribute:
        assert "__setstate__" in migrated(files, RULE)["train.py"]
        return
    (reason,) = reasons(files, RULE)
    assert reason.startswith("pickle fills the object by") and f"`self.{attribute}`" in reason


def test_a_copied_container() -> None:
    """`__copy__` would have to copy the items as well."""
    copies = text("self.lock = threading.Lock()", "import copy; other = copy.copy(thing)", base="(dict)")
    (reason,) = reasons(copies, RULE)
    assert reason.startswith("`copy.copy` copies objects of the class") and "`dict`" in reason


def test_modules_by_a_condition() -> None:
    after = migrated(text("self.library = gzip if self.path else zipfile"), RULE)["train.py"]
    assert after.count("self.library = gzip if self.path else zipfile") == 2 and "is not None" not in after


CFG = 'class Cfg:\n    path = "a"\n\n\ndef change(cfg):\n    {change}\n\n\n'


@each_row(
    ("made", "change", "again"),
    [
        ("self.file = open(self.path.root)", "cfg.root = 'b'", "self.file = open(self._file_root)"),
        ("self.file = open(path.root)", "cfg.root = 'b'", "self.file = open(self._file_root)"),
        ("self.file = open(self.path['root'])", "cfg['root'] = 'b'", "self.file = open(self.root)"),
        ("self.file = open(self.path.root)", "cfg.other = 'b'", "self.file = open(self.path.root)"),
        ("self.file = open(self.path['root'])", "print(cfg['root'])", "self.file = open(self.path['root'])"),
    ],
)
def test_a_part_of_what_others_have_too(made: str, change: str, again: str) -> None:
    """What it was opened with is kept where code may set it by then."""
    files = text(made)
    files["train.py"] = files["train.py"].replace("class Thing", CFG.format(change=change) + "class Thing")
    after = migrated(files, RULE)["train.py"]
    assert again in after.partition("__setstate__")[2]


@pytest.mark.parametrize(("factory", "safe"), [("new_lock", False), ("plain_lock", True)])
def test_what_a_factory_notes_is_not_there_in_a_worker(factory: str, safe: bool) -> None:
    """The copy can be made without the factory, but the list that it fills is empty in a spawned worker."""
    files = {
        path: each.replace("return n\n", "return len(MADE)\n")
        for path, each in text(f"self.lock = {factory}(path)").items()
    }
    if safe:
        assert migrated(files, RULE)
        return
    (reason,) = reasons(files, RULE)
    assert reason.startswith("`new_lock` notes it in `MADE`, which line 31 reads in a worker")


HANDED_ON = """\
import threading
from multiprocessing import Process

class Box:
    def __init__(self, path):
        self.path = path
        self.stop = threading.Event()
        self.rows = open(path)
        {more}

    def configure(self, **options):
        {sets}

def work(box):
    print(box.stop.is_set(), box.rows.readline())

if __name__ == "__main__":
    Process(target=work, args=(Box("a"),)).start()
"""


@each_row(
    ("more", "sets", "wanted"),
    [
        ("threading.Timer(1, self.stop.set).start()", "pass", "is_set()"),  # somebody sets it later
        ("print(self.stop.is_set())", "pass", None),
        ("pass", "for name in options: setattr(self, name, options[name])", "open(self._rows_path)"),
        ("pass", "setattr(self, 'size', 3)", "open(self.path)"),
    ],
)
def test_what_is_handed_on_or_set_by_its_name(more: str, sets: str, wanted: str | None) -> None:
    changed = migrated({"a.py": HANDED_ON.format(more=more, sets=sets)}, "unpicklable-attributes")["a.py"]
    assert wanted in changed if wanted is not None else changed.count("is_set()") == 2
