"""lambdas: what a class takes in its constructor keeps the type that the function around says."""

from __future__ import annotations

import pytest

from harness.small import migrated

RULE = "lambdas"
LOCAL = """\
from torch.utils.data import DataLoader, IterableDataset


def get(part: TYPE, size=3):
    class Rows(IterableDataset):
        def __init__(self):
            self.name = part

        def __iter__(self):
            return iter([part])

    return Rows()


def main():
    for row in DataLoader(get("train"), num_workers=2):
        print(row)
"""


@pytest.mark.parametrize(
    ("said", "kept"),
    [("str", "part: str"), ("list[str]", "part"), ("'str'", "part"), ("Path", "part"), ("IterableDataset", "part")],
)
@pytest.mark.parametrize("init", [True, False])
def test_constructor_of_a_local_class(said: str, kept: str, init: bool) -> None:
    text = LOCAL.replace("TYPE", said)
    if not init:
        text = text.replace("        def __init__(self):\n            self.name = part\n\n", "")
    after = migrated({"a.py": text}, RULE)["a.py"]
    assert f"    def __init__(self, {kept}):\n" in after


def test_a_parameter_that_is_bound_again_has_no_type_of_its_own() -> None:
    text = LOCAL.replace("TYPE", "str").replace("    class Rows", "    part = size\n\n    class Rows")
    assert "part: str):" not in migrated({"a.py": text}, RULE).get("a.py", "")
