"""What a function reads when it is defined, and what it means where the function goes."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.hoisting import hoisted
from harness.small import migrated


@pytest.mark.parametrize("spelling", ["import numpy", "import numpy as np"])
def test_an_attribute_gone_from_numpy_does_not_move_to_where_it_runs_on_import(spelling: str) -> None:
    name = spelling.split()[-1]
    text = f"{spelling}\n\n\ndef run(rows):\n    return rows.map(lambda row, kind={name}.float: kind(row))\n"
    after, reasons = hoisted(text)
    assert after == text
    assert len(reasons) == 1 and f"`{name}.float` (line 5) is gone from newer versions" in reasons[0]


def test_a_local_default_is_not_the_name_further_down() -> None:
    text = """\
def run(rows):
    scale = len(rows)
    return rows.map(lambda row, by=scale: row * by)


scale = 3
"""
    after, reasons = hoisted(text)
    assert reasons == []
    assert "    return rows.map(functools.partial(_run_map, by=scale))\n" in after


def test_a_function_bound_twice_does_not_replace_a_lambda() -> None:
    text = """\
def same(x):
    return x


same = print


def run(rows):
    return rows.map(lambda x: x)
"""
    after, reasons = hoisted(text)
    assert reasons == []
    assert "rows.map(same)" not in after


def test_a_local_name_hides_the_function_that_does_the_same() -> None:
    text = """\
def same(x):
    return x


def run(rows):
    same = str
    return rows.map(lambda x: x), same
"""
    after, reasons = hoisted(text)
    assert reasons == []
    assert "rows.map(_identity), same" in after and "def _identity(x):\n    return x\n" in after


def test_the_function_that_does_the_same_takes_its_place() -> None:
    text = "def same(x):\n    return x\n\n\ndef run(rows):\n    return rows.map(lambda x: x)\n"
    after, reasons = hoisted(text)
    assert reasons == []
    assert after == text.replace("lambda x: x", "same")


def test_a_base_that_moves_along_is_not_the_class_of_that_name_further_down() -> None:
    text = """\
def run():
    class A:
        pass

    class B(A):
        pass

    return A, B


class A:
    pass
"""
    after, reasons = hoisted(text)
    assert reasons == []
    assert after.startswith("class _RunA:\n    pass\n\n\nclass B(_RunA):\n    pass\n\n\n")


LOADERS = """\
from torch.utils.data import DataLoader

PAD = 0


def make_loader(rows):
    def pad(batch, value=PAD):
        return batch + [value]

    return DataLoader(rows, num_workers=2, collate_fn=pad)
"""


@each_row(
    ("main", "handed"),
    [
        ("import loaders\n\nloaders.PAD = 11\n", True),
        ("import loaders as made\n\nmade.PAD += 11\n", True),
        ("import loaders\n\nsetattr(loaders, 'PAD', 11)\n", True),
        ("import loaders\n\nprint(loaders.PAD)\n", False),
        ("class Rows:\n    def __init__(self):\n        self.PAD = 11\n", False),
    ],
)
def test_a_default_that_another_file_sets_keeps_its_moment(main: str, handed: bool) -> None:
    after = migrated({"loaders.py": LOADERS, "train.py": main}, "lambdas")["loaders.py"]
    assert ("functools.partial(_make_loader_pad, value=PAD)" in after) == handed
    assert "\ndef pad(batch, value=PAD):\n" in after or handed


@each_row(
    ("main", "handed"),
    [
        ("import src.loaders\n\nsetattr(src.loaders, 'PAD', 11)\n", True),
        ("import src.loaders\n\nsetattr(src.loaders.options, 'PAD', 11)\n", False),
    ],
)
def test_a_default_of_a_module_in_a_folder(main: str, handed: bool) -> None:
    after = migrated({"src/__init__.py": "", "src/loaders.py": LOADERS, "train.py": main}, "lambdas")["src/loaders.py"]
    assert ("functools.partial(_make_loader_pad, value=PAD)" in after) == handed
