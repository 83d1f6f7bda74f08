"""Libraries and base classes that `from common import *` brings from a module of the repository."""

from __future__ import annotations

import pytest

from harness.small import reported

DATA = """\
from {module} import *


class Rows(Dataset):
    def __init__(self, path):
        self.file = {opened}

    def __len__(self):
        return len(self.file["x"])

    def __getitem__(self, index):
        return self.file["x"][index]
"""
TRAIN = """\
from torch.utils.data import DataLoader
from data import Rows

if __name__ == "__main__":
    for row in DataLoader(Rows("/data/rows.h5"), num_workers=2):
        print(row)
"""
COMMON = "import {library}\nfrom torch.utils.data import Dataset\n"


@pytest.mark.parametrize("module", ["common", "more"])
def test_a_handle_of_a_library_that_another_module_imports(module: str) -> None:
    data = DATA.format(module=module, opened='h5py.File(path, "r")')
    files = {"common.py": COMMON.format(library="h5py"), "more.py": "from common import *\n", "train.py": TRAIN}
    (finding,) = reported({**files, "data.py": data}, "unpicklable-attributes")
    assert finding.fix is not None and finding.fix.unsafe is None


def test_the_same_name_of_another_library() -> None:
    data = DATA.format(module="common", opened='h5py.File(path, "r")')
    files = {"common.py": COMMON.format(library="fake as h5py"), "train.py": TRAIN}
    assert reported({**files, "data.py": data}, "unpicklable-attributes") == []
