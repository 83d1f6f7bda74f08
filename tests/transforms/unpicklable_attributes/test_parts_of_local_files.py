"""unpicklable-attributes: an object keeps parts of a file that its constructor opens, but not the file."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
PROGRAM = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path, mode="r"):
        {kept}

    def __getitem__(self, index):
        return self.images[index]

def load(path):
    return DataLoader(Rows(path), num_workers=2)
"""


def text(*kept: str) -> dict[str, str]:
    """The program; its constructor keeps something."""
    return {"a.py": PROGRAM.format(kept="\n        ".join(kept))}


@pytest.mark.parametrize("part", ["file['images']", "file.get('images')", "file['train']['images']"])
def test_the_file_is_opened_for_each_part(part: str) -> None:
    after = migrated(text("file = h5py.File(path, 'r')", f"self.images = {part}"), RULE)["a.py"]
    assert "self.path = path\n        file = h5py.File(path, 'r')" in after
    assert f"self.images = h5py.File(self.path, 'r'){part.removeprefix('file')}\n" in after


TWO = ("self.images = file['images']", "self.labels = file.get('labels')")


def test_one_file_is_opened_once_for_several_parts() -> None:
    """As the class itself does; the copy's parts are of one file as well."""
    after = migrated(text("file = h5py.File(path, 'r')", *TWO), RULE)["a.py"]
    begin = "        self.__dict__.update(state)\n        file = h5py.File(self.path, 'r')\n        "
    assert begin + "\n        ".join(TWO) + "\n" in after


@pytest.mark.parametrize(
    "kept",
    [
        ("self.images = h5py.File(path, 'r')['images']", "self.labels = h5py.File(path, 'r')['labels']"),
        ("file = h5py.File(path, 'r')", TWO[0], "other = h5py.File(path, 'r')", "self.labels = other['labels']"),
        ("state = h5py.File(path, 'r')", *(line.replace("file", "state") for line in TWO)),
    ],
)
def test_files_that_are_opened_one_by_one_stay_so(kept: tuple[str, ...]) -> None:
    after = migrated(text(*kept), RULE)["a.py"]
    assert after.partition("__setstate__")[2].count("h5py.File(self.path, 'r')") == 2


def test_a_part_of_a_file_that_is_kept_too() -> None:
    program = text("file = h5py.File(path, 'r')", "self.file = file", "self.images = file.get('images')")
    after = migrated(program, RULE)["a.py"]
    assert "self.file = h5py.File(self.path, 'r')\n        self.images = self.file.get('images')\n" in after


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        (
            ("file = h5py.File(path, 'r')", "self.images = file['images']", "file.close()"),
            "line 9 closes what it is a part of; read what is needed there",
        ),
        (
            ("file = h5py.File(path, 'a')", "self.images = file['images']"),
            "it is open for writing (`a`), and several processes would write; open it where it is written",
        ),
        (
            ("file = h5py.File(path, 'r')", "file = h5py.File(path + '2', 'r')", "self.images = file['images']"),
            "it is built from `file`, which can't be pickled either; keep that as an attribute first",
        ),
    ],
)
def test_refused(kept: tuple[str, ...], reason: str) -> None:
    assert set(reasons(text(*kept), RULE)) == {reason}


@pytest.mark.parametrize("other", ["{'a': 1}.get('a')", "path.get('a')", "dict(a=path).get('a', 1)"])
def test_get_of_something_else(other: str) -> None:
    assert not reported(text(f"self.images = {other}"), RULE)


FILLED = """
import lmdb
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, paths, lock):
        self.paths = paths
        self.opened = {}
        for path in self.paths:
            self.opened[path] = lmdb.open(
                path,
                readonly=True,
                lock=lock)

def load(paths):
    return DataLoader(Rows(paths, False), num_workers=2)
"""


def test_lines_of_a_loop_stand_where_they_stood() -> None:
    after = migrated({"a.py": FILLED}, RULE)["a.py"]
    again = "            self.opened[path] = lmdb.open(\n                path,\n                readonly=True,\n"
    assert after.count(again) == 2


def test_a_long_call_is_shortened_in_the_message() -> None:
    program = "import lmdb\nfrom multiprocessing import Process\n\nProcess(target=print, args=({},)).start()\n"
    opened = "lmdb.open('data/train/images.lmdb', max_readers=32, readonly=True, lock=False)"
    (finding,) = reported({"a.py": program.format(opened)}, RULE)
    assert "`lmdb.open('data/train/images.lmdb', max_readers=32, reado...` is" in finding.message


@pytest.mark.parametrize(
    "part", ["self.client[path][mode]", "self.client['rows'][mode]", "self.client[path]['a']['b']"]
)
def test_parts_that_have_names_only(part: str) -> None:
    """A collection keeps its client: to leave out the client alone would be no help."""
    program = text("self.client = pymongo.MongoClient(path)", f"self.images = {part}")
    after = migrated({"a.py": program["a.py"].replace("h5py", "pymongo")}, RULE)["a.py"]
    again = part.replace("[path]", "[self.path]").replace("[mode]", "[self.mode]")
    assert f"self.client = pymongo.MongoClient(self.path)\n        self.images = {again}\n" in after
