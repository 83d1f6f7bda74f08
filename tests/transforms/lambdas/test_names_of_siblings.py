"""lambdas: methods of classes that have nothing in common but a base may have one name."""

from __future__ import annotations

import re

import pytest

from harness.each_row import each_row
from harness.small import migrated

TEXT = """\
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, root):
        self.root = root
        self.prepare()

class Left(Rows):
    def prepare(self):
        self.to_path = lambda name: self.root + name
        self.to_text = lambda name: name + "l"

class Right({base}):
    def prepare(self):
        self.to_path = lambda name: self.root + "r" + name
        self.to_text = lambda name: name + "r"
{more}
for rows in (Left("a"), Right("b")):
    DataLoader(rows, num_workers=2)
"""


@each_row(
    ("base", "more", "second", "shared"),
    [
        pytest.param("Rows", "", "_to_path", True, id="siblings"),
        pytest.param("Left", "", "_right_to_path", False, id="one derives from the other"),
        pytest.param("Rows", "class Both(Left, Right):\n    pass\n", "_right_to_path", False, id="a class of both"),
        pytest.param("Rows", "class Lefter(Left):\n    pass\n", "_to_path", True, id="a class of one"),
        pytest.param("Rows", "class More(Right):\n    _to_path = 1\n", "_right_to_path", False, id="it is taken"),
    ],
)
def test_names_of_methods(base: str, more: str, second: str, shared: bool) -> None:
    text = migrated({"a.py": TEXT.format(base=base, more=more)}, "lambdas")["a.py"]
    assert re.findall(r"self\.to_path = self\.(\w+)", text)[1] == second
    assert text.count(f"def {second}(self, name):") == 1 + shared


def test_a_function_is_called_after_the_class_rather_than_numbered() -> None:
    text = migrated({"a.py": TEXT.format(base="Rows", more="")}, "lambdas")["a.py"]
    assert re.findall(r"self\.to_text = (\w+)", text)[0] == "_left_to_text"
    assert not re.search(r"_to_text_\d", text)


def test_equal_functions_of_several_classes_are_called_after_the_attribute() -> None:
    text = migrated({"a.py": TEXT.format(base="Rows", more="").replace('name + "r"', 'name + "l"')}, "lambdas")["a.py"]
    assert re.findall(r"self\.to_text = (\w+)", text) == ["_to_text", "_to_text"]


TASKS = """\
from torch.utils.data import DataLoader, Dataset

REGISTRY = dict()

def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls

class Rows(Dataset):
    def __init__(self, convert):
        self.convert = convert

@register
class Cola:
    def __init__(self, words):
        self.words = words

    def feature_fn(self, longest=8, **options):
        def convert(row, **more):
            return self.convert(row, longest, **more)
        return convert

    def convert(self, row, longest):
        return row

@register
class Rte:
    def __init__(self, words):
        self.words = words

    def feature_fn(self, longest{types}=8, **options):
        def convert(row, **more):
            return self.convert({row}, longest, **more)
        return convert

    def convert(self, row, longest):
        return row

for task in (Cola([]), Rte([])):
    DataLoader(Rows(task.feature_fn()), num_workers=2)
"""


@pytest.mark.parametrize(
    ("row", "types", "names"),
    [
        pytest.param("row", "", 1, id="equal"),
        pytest.param("row + 1", "", 2, id="another body"),
        pytest.param("row", ": int", 2, id="another type"),
    ],
)
def test_equal_functions_of_two_classes_become_one(row: str, types: str, names: int) -> None:
    text = migrated({"a.py": TASKS.format(row=row, types=types)}, "lambdas")["a.py"]
    called = re.findall(r"return (?:functools\.)?partial\((\w+), self, longest\)", text)
    assert len(called) == 2
    assert len(set(called)) == names
    assert all(text.count(f"\ndef {name}(") == 1 for name in called)


LOADERS = """\
from torch.utils.data import DataLoader


def train_loader(rows{one}):
    def {name}(batch):
        return batch{at}

    return DataLoader(rows, num_workers=2, collate_fn={name})


def test_loader(rows{two}):
    def {name}(batch):
        return batch{at}

    return DataLoader(rows, num_workers=2, collate_fn={name})


for batch in [*train_loader([1, 2]{first}), *test_loader([3]{second})]:
    print(batch)
"""


@each_row(
    ("name", "at", "given", "called"),
    [
        pytest.param("collate", "", [""] * 4, ["_loader_collate"] * 2, id="the words that both have"),
        pytest.param(
            "collate",
            "[n]",
            [", n", ", n", ", 1", ", 2"],
            ["functools.partial(_loader_collate, n)"] * 2,
            id="each passes its value",
        ),
        pytest.param(
            "collate",
            "[n]",
            [", n: int", ", n: slice", ", 1", ", slice(2)"],
            ["functools.partial(_train_loader_collate, n)", "functools.partial(_test_loader_collate, n)"],
            id="of another type",
        ),
        pytest.param("join_rows", "", [""] * 4, ["_loader_join_rows"] * 2, id="a name that both have"),
    ],
)
def test_equal_functions_of_two_makers_become_one(name: str, at: str, given: list[str], called: list[str]) -> None:
    one, two, first, second = given
    text = LOADERS.format(name=name, at=at, one=one, two=two, first=first, second=second)
    after = migrated({"a.py": text}, "lambdas")["a.py"]
    assert re.findall(r"functools\.partial\(.*\)|(?<=collate_fn=)_\w+", after) == called
    assert len(re.findall(r"^def _", after, re.MULTILINE)) == len(set(called))


STEPS = """\
from torch import tensor, float32, int64
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

class Rows(Dataset):
    def __init__(self, **steps):
        self.steps = steps

def loader():
    image = transforms.Compose([
        lambda rows: tensor(rows, dtype=float32),
        str,
    ])
    {second}
    return DataLoader(Rows(image=image, {given}), num_workers=2)

list(loader())
"""
MASK = "lambda rows: tensor(rows, dtype=int64)"


@each_row(
    ("second", "given", "name"),
    [
        (f"mask = transforms.Compose([{MASK}, str])", "mask=mask", "_loader_mask_tensor"),
        ("", f"target=transforms.Compose([{MASK}, str])", "_loader_target_tensor"),
        (f"self.mask = [{MASK}, str]", "mask=self.mask", "_loader_mask_tensor"),
        (f"steps = [[{MASK}, str], [{MASK.replace('int64', 'bool')}]]", "mask=steps[0]", "_loader_steps_tensor"),
    ],
)
def test_another_list_of_the_same_function(second: str, given: str, name: str) -> None:
    text = STEPS.format(second=second.replace("self", "rows"), given=given.replace("self", "rows"))
    text = text.replace("def loader():", "def loader(rows=Rows()):")
    found = re.findall(r"^def (\w+)\(rows\):", migrated({"run.py": text}, rule="lambdas")["run.py"], re.MULTILINE)
    assert found[:2] == ["_loader_tensor", name]
