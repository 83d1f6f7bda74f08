"""Settings that workers get by `from config import *`, and settings that a file merges into them."""

from __future__ import annotations

import pytest

from harness.small import reported

TRAIN = """\
import sys
from torch.utils.data import DataLoader, Dataset
{imports}


class Rows(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index * {read}


def main():
    {change}
    for row in DataLoader(Rows(), num_workers=2):
        print(row)


if __name__ == "__main__":
    main()
"""
MERGED = """\
import yaml
from easydict import EasyDict

cfg = EasyDict()
{own}


def merge(new, old):
    for key, value in new.items():
        if isinstance(value, dict):
            merge(value, old[key])
        else:
            old[key] = value


def load(path):
    merge(yaml.safe_load(open(path)), cfg)
"""
OBJECT = """\
class Settings:
    def __init__(self, **entries):
        self.entries = entries

    def {getter}(self, name):
        return self.entries[name]

    def load(self, text):
        for part in text.split(","):
            name, value = part.split("=")
            self.entries[name] = value


settings = Settings(size=3)
"""
PLAIN = """\
config = {"size": 3}


def load(path):
    config["size"] = len(path)
"""


def found(config: str, read: str, change: str, imports: str = "from config import *") -> bool:
    """Whether it is said that a worker reads what only the main process changes."""
    train = TRAIN.format(imports=imports, read=read, change=change)
    return bool(reported({"train.py": train, "config.py": config, "common.py": "from config import *\n"}, "main-guard"))


@pytest.mark.parametrize("imports", ["from config import *", "from common import *"])
def test_a_name_that_a_star_import_brings_is_the_object_of_its_module(imports: str) -> None:
    assert found(PLAIN, 'config["size"]', "load(sys.argv[1])", imports)
    assert not found(PLAIN, "2", "load(sys.argv[1])", imports)


@pytest.mark.parametrize("name", ["_config", "other"])
def test_a_name_that_no_star_import_brings_is_another(name: str) -> None:
    assert not found(PLAIN.replace("config", "_config"), f'{name}["size"]', "sys.exit(0)")


@pytest.mark.parametrize("own", ["cfg.SIZE = 3\ncfg.DATA = EasyDict()", ""])
def test_entries_of_a_file_are_merged_into_the_settings(own: str) -> None:
    assert found(MERGED.format(own=own), "cfg.SIZE", "load(sys.argv[1])", "from config import cfg, load")


def test_what_the_program_meets_is_no_setting() -> None:
    config = "counts = {}\n\n\ndef load(path):\n    for word in open(path):\n        counts[word] = 1\n"
    assert not found(config, 'counts.get("a", 1)', "load(sys.argv[1])", "from config import counts, load")


@pytest.mark.parametrize(("getter", "read"), [("__getattr__", "settings.size"), ("__getitem__", 'settings["size"]')])
def test_what_a_getter_of_the_class_reads(getter: str, read: str) -> None:
    config = OBJECT.format(getter=getter)
    assert found(config, read, "settings.load(sys.argv[1])", "from config import settings")
