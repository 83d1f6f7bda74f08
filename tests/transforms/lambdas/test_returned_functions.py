"""Functions that a method returns to its own object, and assignments that nobody reads any more."""

from __future__ import annotations

import re

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

KEEPER = """import torch
from torch.utils.data import DataLoader, Dataset


class Sampler(torch.nn.Module):
    def __init__(self, order):
        super().__init__()
        self.order = order
        self.rule = self.make()

    def make(self):
        {made}


class Rows(Dataset):
    def __init__(self):
        self.sampler = Sampler(int(input()))

    def __getitem__(self, i):
        return self.sampler.rule(i)


def main():
    {start}for row in DataLoader(Rows(), num_workers=2):
        print(row)


if __name__ == "__main__":
    main()
"""


@each_row(
    ("made", "after"),
    [
        pytest.param("return lambda t: t**self.order", "return self.METHOD\n", id="returned at once"),
        pytest.param(
            "rule = lambda t: t**self.order\n        return rule",
            "rule = self.METHOD\n        return rule\n",
            id="named",
        ),
        pytest.param(
            "def rule(t):\n            return t**self.order\n\n        return rule",
            "return self.METHOD\n",
            id="defined",
        ),
        pytest.param(
            "power = lambda t, n: t**n\n        return lambda t: power(t, self.order)",
            "return self.METHOD\n",
            id="with another",
        ),
    ],
)
def test_what_a_method_returns_to_its_object_becomes_a_method(made: str, after: str) -> None:
    done = migrated({"a.py": KEEPER.format(made=made, start="")}, "lambdas")["a.py"]
    (method,) = re.findall(r"    def (_\w+)\(self, t\):\n        return ", done)
    assert f"    def make(self):\n        {after}".replace("METHOD", method) in done
    assert "lambda" not in done


def test_a_method_of_another_class_with_the_name_is_another() -> None:
    own = KEEPER.format(made="return lambda t: t**self.order", start="")
    other = (
        "class Other:\n    def __init__(self):\n        print(self.make())\n\n    def make(self):\n        return 1\n"
    )
    assert "return self._make" in migrated({"a.py": own, "b.py": other}, "lambdas")["a.py"]
    derived = "from a import Sampler\n\n\nclass Other(Sampler):\n    def show(self):\n        print(self.make())\n"
    after = migrated({"a.py": own, "b.py": derived}, "lambdas")["a.py"]
    assert "return functools.partial(_make_fn, self.order)\n" in after


@pytest.mark.parametrize(
    ("start", "more"),
    [
        pytest.param("print(Sampler(2).make())\n    ", "", id="a call from outside"),
        pytest.param("other = Sampler(2)\n    other.rule = other.make()\n    ", "", id="kept by code outside"),
        pytest.param("", "from a import Sampler\nprint(Sampler(2).make())\n", id="named in another file"),
    ],
)
def test_what_a_method_returns_to_others_does_not(start: str, more: str) -> None:
    text = KEEPER.format(made="return lambda t: t**self.order", start=start)
    files = {"a.py": text, **({"b.py": more} if more else {})}
    assert "return functools.partial(_make_fn, self.order)\n" in migrated(files, "lambdas")["a.py"]
    files["a.py"] = text.replace("def main", "def grow(sampler):\n    sampler.order = 4\n\n\ndef main")
    assert "return self._make" in migrated(files, "lambdas")["a.py"]  # its objects go to the workers in any case
    files["a.py"] = files["a.py"].replace("DataLoader(Rows()", "DataLoader([Sampler(1).rule]")
    (reason,) = reasons(files, "lambdas")
    assert reason.startswith("a method would carry the whole `self` along, which is a model")


@pytest.mark.parametrize(
    "line",
    [
        "power = lambda t, n: t**n  # of all",
        "# of all\n        power = lambda t, n: t**n",
        "a = 1; power = lambda t, n: t**n",
    ],
)
def test_an_assignment_that_nobody_reads_any_more_stays_with_its_comment(line: str) -> None:
    text = KEEPER.format(made=f"{line}\n        return lambda t: power(t, self.order)", start="")
    after = migrated({"a.py": text}, "lambdas")["a.py"]
    assert "power = _make_power" in after and after.count("# of all") == text.count("# of all")


def test_functions_of_one_name_in_several_branches_all_cross() -> None:
    made = (
        "if self.order > 3:\n            def rule(t):\n                return t + 1\n"
        "        elif self.order:\n            def rule(t):\n                return t * 2\n"
        "        else:\n            class rule:\n                pass\n        return rule"
    )
    text = KEEPER.format(made=made, start="").replace("Sampler(3)", "Sampler(int(input()))")
    found = reported({"a.py": text}, "lambdas")
    assert [each.confidence.value for each in found] == ["proven"] * 3
    assert [[hop.line for hop in each.trace[:2]] for each in found] == [[13, 13], [16, 16], [19, 19]]
