"""lambdas: what a class takes in its constructor keeps the type that the function around says."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
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
    [
        ("str", "part: str"),
        ("list[str] | None", "part: list[str] | None"),
        ("IterableDataset", "part: IterableDataset"),
        ("'str'", "part"),
        ("Path", "part"),  # which the file binds nowhere
        ("main", "part"),
    ],
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


COLLATES = """\
import typing as t
from pathlib import Path

import torch
from torch.utils.data import DataLoader

try:
    from numpy import ndarray
except ImportError:
    ndarray = None

class Own:
    str = 1

    def get(self, rows, TYPED):
        return DataLoader(rows, collate_fn=lambda batch: (x, batch), num_workers=2)
"""


@each_row(
    ("said", "kept"),
    [
        ("x: torch.Tensor", True),
        ("x: t.Optional[t.Callable[[int], Path]]", True),
        ("x: t.Tuple[Path, ...] = (1,)", True),
        ("x: ndarray", False),  # None where numpy is missing
        ("x: Own", False),  # bound further down than what moves
        ("x: str", False),  # something else in the class
        ('x: t.Literal["a"]', False),
        ("x: t.get(1)", False),
    ],
)
def test_types_that_the_file_imports_at_its_top(said: str, kept: bool) -> None:
    after = migrated({"a.py": COLLATES.replace("TYPED", said)}, RULE)["a.py"]
    assert f"({said.partition(' = ')[0] if kept else 'x'}, batch):" in after


def test_a_type_of_a_function_in_a_function_may_fail_on_import() -> None:
    inner = COLLATES.replace("TYPED", "y").replace(
        "        return DataLoader", "        def made(x: torch.Tensors):\n            return DataLoader"
    )
    assert "(x, batch):" in migrated({"a.py": f"{inner}        return made(y)\n"}, RULE)["a.py"]
