"""What is written into a class looks like the rest of it: lines under their bracket, private names by private ones."""

from __future__ import annotations

from codemods.engine.migrate import plan
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

ROWS = """\
import lmdb
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, file):
        env = lmdb.open(str(file), max_readers=1, readonly=True,
                        lock=False, meminit=False)
        self.NAME = env

    def __getitem__(self, index):
        with self.NAME.begin() as found:
            return found.get(str(index).encode())


loader = DataLoader(Rows("rows"), num_workers=2)
"""


def migrated(text: str) -> str:
    result = plan(MemoryFiles({"a.py": text.encode()}), Settings(select=("unpicklable-attributes",)))
    return result.contents["a.py"].decode()


def test_further_lines_stand_under_the_bracket() -> None:
    after = migrated(ROWS.replace("NAME", "environment"))
    call = "        self.environment = lmdb.open(str(self.file), max_readers=1, readonly=True,\n"
    assert call + " " * 37 + "lock=False, meminit=False)\n" in after


def test_lines_with_an_indentation_of_their_own_keep_it() -> None:
    text = ROWS.replace(
        "str(file), max_readers=1, readonly=True,\n" + " " * 24 + "lock=False, meminit=False)",
        "\n            str(file), readonly=True,\n        )",
    )
    after = migrated(text.replace("NAME", "environment"))
    assert "        self.environment = lmdb.open(\n            str(self.file), readonly=True,\n        )\n" in after


def test_what_is_kept_is_private_where_the_attribute_is() -> None:
    assert "        self._file = file\n" in migrated(ROWS.replace("NAME", "_env"))
    assert "        self.file = file\n" in migrated(ROWS.replace("NAME", "env"))
