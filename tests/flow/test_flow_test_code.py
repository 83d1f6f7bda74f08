"""What counts as test code: files that have tests, not programs that test a model."""

from __future__ import annotations

import textwrap

import pytest

from codemods.flow.facts.records import facts_lookup
from codemods.flow.facts.test_code import is_test
from codemods.project import Project
from codemods.transforms.lambdas import RULE as LAMBDAS
from codemods.transforms.main_guard import RULE as MAIN_GUARD
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

PROGRAM = """
    import argparse
    import torch
    from data import Frames

    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    frames = Frames(lambda frame: frame / 255)
    loader = torch.utils.data.DataLoader(frames, num_workers=args.workers)
    batches = enumerate(loader)


    def test_video(batch):
        return batch.mean()


    for number, batch in batches:
        print(number, test_video(batch))
    """
DATA = """
    from torch.utils.data import Dataset

    class Frames(Dataset):
        def __init__(self, transform):
            self.transform = transform
    """
UNIT = """
    from data import Frames

    def test_frames():
        assert Frames(lambda frame: frame).transform(1) == 1
    """


def project(**files: str) -> Project:
    """A project of these files; `__` in a name stands for the dot of its ending."""
    texts = {f"{name}.py".replace("__", "/"): textwrap.dedent(text).encode() for name, text in files.items()}
    return Project(MemoryFiles(texts))


def test_a_program_that_tests_a_model_is_a_program() -> None:
    tool = project(data=DATA, test_models=PROGRAM)
    for rule in (LAMBDAS, MAIN_GUARD):
        assert [(each.path, each.confidence.value != "possible") for each in rule.find(tool)] == [
            ("test_models.py", True)
        ]


def test_what_a_test_builds_says_nothing() -> None:
    found = list(LAMBDAS.find(project(data=DATA, test_data=UNIT)))
    assert [each.confidence.value for each in found] == ["possible"]


@each_row(
    ("name", "text", "expected"),
    [
        pytest.param("test_net", PROGRAM, False, id="command line"),
        pytest.param("data__test_dataset", DATA, False, id="test set"),
        pytest.param("model_test", "import model\nmodel.run()\n", False, id="ending in test"),
        pytest.param("test_data", UNIT, True, id="functions"),
        pytest.param("test_net", "import unittest\n" + textwrap.dedent(PROGRAM), True, id="unittest"),
        pytest.param("net_test", "from absl.testing import absltest\nimport argparse\n", True, id="absl"),
        pytest.param("test_net", "import pytest\nimport argparse\n", True, id="pytest"),
        pytest.param("tests__net", PROGRAM, True, id="folder"),
        pytest.param("test__dnd", "import argparse\nimport model\nmodel.run()\n", False, id="program in a folder test"),
        pytest.param("test__dnd", "import model\nmodel.run()\n", True, id="no parser in a folder test"),
        pytest.param("test__dnd", "import argparse\nimport pytest\n", True, id="pytest in a folder test"),
        pytest.param("model__test_utils", DATA, True, id="helpers of tests"),
    ],
)
def test_test_code(name: str, text: str, expected: bool) -> None:
    tool = project(**{name: text})
    assert is_test(name.replace("__", "/") + ".py", facts_lookup(tool)) is expected
