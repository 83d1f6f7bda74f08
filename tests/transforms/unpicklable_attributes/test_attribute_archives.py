"""unpicklable-attributes: what `numpy.load` gives is an open archive where it is used like one."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated

PROGRAM = """
import os

import numpy as np
from torch.utils.data import DataLoader, Dataset

import config

FILE = "all.npz"


class Poses(Dataset):
    def __init__(self, name):
        self.name = name
        self.file = "all.npz"
        self.data = np.load({path})
        {early}

    def __len__(self):
        return 100

    def __getitem__(self, index):
        return {late}


def load(name):
    return DataLoader(Poses(name), num_workers=2)
"""


def found(path: str, early: str, late: str) -> list[tuple[str, bool]]:
    """What is found in the program: (message, it has a fix)."""
    text = PROGRAM.format(path=path, early=early, late=late)
    findings = RULE.find(Project(MemoryFiles({"train.py": text.encode(), "config.py": b"FILES = {}\n"})))
    return [(each.message, each.fix is not None) for each in findings]


@each_row(
    ("early", "late"),
    [
        pytest.param("self.image = self.data['image']", "self.image[index]", id="by name, early"),
        pytest.param("self.size = 3", "self.data['image'][index]", id="by name, late"),
        pytest.param("self.size = 'has' in self.data", "self.data['image'][index]", id="asked for a name"),
        pytest.param("self.all = {k: self.data[k] for k in self.data.files}", "self.all", id="all files"),
    ],
)
def test_an_archive_of_any_path(early: str, late: str) -> None:
    ((message, fixed),) = found("config.FILES[name]", early, late)
    assert "is an open npz archive" in message
    assert fixed


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("name + '.npz', mmap_mode='r'", id="of an archive NumPy makes no map"),
        pytest.param("os.path.join(name, FILE)", id="a name of the module"),
        pytest.param("os.path.join(self.name, self.file)", id="an attribute"),
    ],
)
def test_the_ending_says_that_it_is_an_archive(path: str) -> None:
    ((message, fixed),) = found(path, "self.size = 3", "self.data[index]")
    assert "is an open npz archive" in message
    assert fixed


def test_an_archive_that_was_asked_for_as_a_map_is_told_by_its_list_of_files() -> None:
    late = "[self.data[name] for name in self.data.files]"
    ((message, _),) = found("config.FILES[name], mmap_mode='r'", "self.size = 3", late)
    assert "is an open npz archive" in message


@each_row(
    ("path", "early", "late"),
    [
        pytest.param("config.FILES[name]", "self.size = 3", "self.data[index]", id="one array"),
        pytest.param("config.FILES[name], 'r'", "self.size = 3", "self.data['image']", id="memory map by place"),
        pytest.param("config.FILES[name]", "self.all = self.data['image']", "self.data[index]", id="records"),
        pytest.param("config.FILES[name]", "self.all = self.data['image']", "self.data.shape", id="shape"),
        pytest.param("config.FILES[name]", "self.data['image'] = 3", "self.data['image']", id="set"),
        pytest.param("config.FILES[name]", "self.data['image'][0] = 3", "self.data['image']", id="set inside"),
        pytest.param("name + '.npy'", "self.size = 3", "self.data['image']", id="ending"),
        pytest.param("config.FILES[name], mmap_mode='r'", "self.size = 3", "self.data['image']", id="memory map"),
    ],
)
def test_arrays(path: str, early: str, late: str) -> None:
    assert found(path, early, late) == []


MODULE = """
import torch
from iopath import PathManager
from torch.utils.data import DataLoader, Dataset


class Scored(Dataset):
    def __init__(self, path):
        {opened}

    def __getitem__(self, index):
        return self.module(index)


def load(path):
    return DataLoader(Scored(path), num_workers=2)
"""


@pytest.mark.parametrize(
    "opened",
    [
        pytest.param("with PathManager.open(path) as f:\n            self.module = torch.jit.load(f)", id="with"),
        pytest.param("f = PathManager.open(path)\n        self.module = torch.jit.load(f)", id="assigned"),
    ],
)
def test_what_is_read_from_an_open_file_does_not_keep_the_file(opened: str) -> None:
    text = MODULE.format(opened=opened)
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    assert finding.fix is None
    assert finding.reason == "it is built from `f`, which is open only here; give it the path instead"


@pytest.mark.parametrize("reader", ["VideoReader", "AVReader", "AudioReader"])
def test_the_readers_of_decord_keep_an_open_video(reader: str) -> None:
    text = PROGRAM.format(path="name", early="", late="self.data[index]").replace("np.load", f"decord.{reader}")
    text = text.replace("import numpy as np", "import decord")
    findings = RULE.find(Project(MemoryFiles({"train.py": text.encode(), "config.py": b""})))
    assert [("is an open video or slide" in each.message, each.fix is not None) for each in findings] == [(True, True)]


BRANCHES = """
        if name == "all":
            self.data = np.load("all.npz")
        else:
            self.data = np.load(config.FILES[name] + ".npz")
        self.image = self.data["image"]
"""


@pytest.mark.parametrize(
    ("late", "more", "dropped"),
    [
        pytest.param("self.image[index]", "", True, id="read in the constructor alone"),
        pytest.param("self.data['image'][index]", "", False, id="read in the worker"),
        pytest.param(
            "self.image[index]",
            "\n\ndef show(poses):\n    return poses.data.files\n\n\nshow(Poses('a'))\n",
            False,
            id="read by a function",
        ),
        pytest.param(
            "self.image[index]",
            "\n\nclass Twice(Dataset):\n    def __getitem__(self, index):\n        return self.poses.data['image']\n",
            False,
            id="read by what is around it",
        ),
        pytest.param("getattr(self, 'data')['image'][index]", "", False, id="read by its name as text"),
        pytest.param("self.__dict__['data']['image'][index]", "", False, id="read from the dict of the object"),
        pytest.param("[getattr(self, key) for key in self.keys]", "", False, id="read by a computed name"),
        pytest.param("[*vars(self).values()]", "", False, id="read with all others"),
        pytest.param(
            "self.image[index]",
            "\n\ndef show(poses):\n    return [getattr(poses, key) for key in ('data',)]\n",
            False,
            id="read by a function, by its name as text",
        ),
        pytest.param("{'data': self.image[index]}", "", True, id="the key of an item"),
        pytest.param("getattr(self, 'image')[index]", "", True, id="another that is read by its name as text"),
    ],
)
def test_what_only_the_constructor_reads_is_left_out(late: str, more: str, dropped: bool) -> None:
    text = (
        PROGRAM.replace("\n        self.data = np.load({path})\n        {early}\n", BRANCHES).replace("{late}", late)
        + more
    )
    after = migrated({"train.py": text, "config.py": "FILES = {}\n"}, "unpicklable-attributes").get("train.py", "")
    assert ('del state["data"]' in after and "__setstate__" not in after) == dropped
