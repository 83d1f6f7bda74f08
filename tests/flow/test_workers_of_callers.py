"""The flow of values: what a function does with the number of workers that its callers give, before the loader."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import reported

HEAD = """\
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self): self.f = lambda x: x
    def __len__(self): return 4
    def __getitem__(self, i): return self.f(i)
class Others(Rows):
    def __init__(self): self.f = lambda x: x + 1
"""
MAIN = "\nif __name__ == '__main__':\n    main()\n"
STARS = "def load(dataset, **options):\n    {}\n    return DataLoader(dataset, **options)\n"
NAMED = "def load(dataset, workers={}, **options):\n    {}\n    return DataLoader(dataset, num_workers=workers)\n"
ONE = "def main():\n    for x in load(Rows(), {}): print(x)"


def lines(*parts: str) -> list[tuple[int, Confidence]]:
    """Where the lambdas of `HEAD` are found by default."""
    return [(found.span.line, found.confidence) for found in reported({"a.py": "".join(parts)}, "lambdas")]


KEEPS = [
    "options['num_workers'] = 4 if 'num_workers' not in options else options['num_workers']",
    "options['num_workers'] = options['num_workers'] if 'num_workers' in options else 4",
    "options['num_workers'] = options.get('num_workers', 4)",
    "options.setdefault('num_workers', 4)",
    "if 'num_workers' not in options: options['num_workers'] = 4",
]
HARMLESS = [
    "pass",
    "options['shuffle'] = True",
    "print(options['batch_size'], options.get('shuffle'), 'shuffle' in options)",
    "options.update(shuffle=True); options.pop('x', None)",
]
CHANGES = [
    "options['num_workers'] = 4",
    "options.update(num_workers=4)",
    "options.update(OTHERS)",
    "change(options)",
    "options = {'num_workers': 2}",
    "options.pop('num_workers'); options[KEY] = 4",
]


@pytest.mark.parametrize("line", KEEPS + HARMLESS)
@pytest.mark.parametrize("number", ["num_workers=0", "num_workers=None, batch_size=2"])
def test_none_in_options(line: str, number: str) -> None:
    assert lines(HEAD, STARS.format(line), ONE.format(number), MAIN) == []


@each_row("line", CHANGES)
def test_changed_options(line: str) -> None:
    found = lines(HEAD, STARS.format(line), ONE.format("num_workers=0"), MAIN)
    assert found == [(3, Confidence.PROVEN)]


@pytest.mark.parametrize("line", KEEPS + HARMLESS)
@pytest.mark.parametrize("number", ["num_workers=2", "num_workers=int(input())", "**OPTIONS"])
def test_some_in_options(line: str, number: str) -> None:
    assert lines(HEAD, STARS.format(line), ONE.format(number), MAIN) == [(3, Confidence.PROVEN)]


def test_left_out_of_options() -> None:
    """None then, but where the function says another number."""
    assert [lines(HEAD, STARS.format(line), ONE.format(""), MAIN) for line in HARMLESS] == [[]] * len(HARMLESS)
    said = [lines(HEAD, STARS.format(line), ONE.format(""), MAIN) for line in KEEPS]
    assert said == [[(3, Confidence.PROVEN)]] * len(KEEPS)
    assert lines(HEAD, STARS.format("options.setdefault('num_workers', 0)"), ONE.format(""), MAIN) == []


@each_row(
    ("default", "given", "crosses"),
    [
        ("4", "workers=0", False),
        ("4", "0", False),
        ("0", "", False),
        ("None", "shuffle=True", False),
        ("4", "", True),
        ("0", "2", True),
        ("0", "workers=NUMBER", True),
        ("0", "*GIVEN", True),
        ("0", "**GIVEN", True),
    ],
)
def test_named(default: str, given: str, crosses: bool) -> None:
    found = lines(HEAD, NAMED.format(default, "pass"), ONE.format(given), MAIN)
    assert found == [(3, Confidence.PROVEN)] * crosses


def test_named_and_bound_again() -> None:
    found = lines(HEAD, NAMED.format("0", "workers = workers or 4"), ONE.format("workers=0"), MAIN)
    assert found == [(3, Confidence.PROVEN)]


def test_by_call() -> None:
    """Two callers, of whom one has no workers: only what the other gives is sent."""
    main = "def main():\n    print(list(load(Rows(), workers=0)), list(load(Others(), workers=2)))"
    assert lines(HEAD, NAMED.format("1", "pass"), main, MAIN) == [(7, Confidence.PROVEN)]
    both = main.replace("Others()", "Others() if input() else Rows()")
    assert [line for line, _ in lines(HEAD, NAMED.format("1", "pass"), both, MAIN)] == [3, 7]


def test_passed_on_twice() -> None:
    inner = "def load(dataset, num_workers=4):\n    return DataLoader(dataset, num_workers=num_workers)\n"
    outer = (
        "def get(dataset, n):\n    return load(dataset, num_workers=n)\ndef main():\n    print(list(get(Rows(), {})))"
    )
    assert lines(HEAD, inner, outer.format("0"), MAIN) == []
    assert lines(HEAD, inner, outer.format("3"), MAIN) == [(3, Confidence.PROVEN)]
    passes, main = outer.split("def main")
    assert lines(passes, HEAD, inner, "def main", main.format("0"), MAIN) == []  # by the first function of the file


LOADER = """\
class Loader(DataLoader):
    def __init__(self, dataset, batch_size=1, **options):
        super().__init__(dataset, batch_size, collate_fn=lambda b: b, **options)
def main():
    for x in Loader([1], {}): print(x)
"""


@pytest.mark.parametrize(("given", "crosses"), [("pin_memory=True", False), ("num_workers=2", True)])
def test_loader_of_the_repository(given: str, crosses: bool) -> None:
    found = lines("from torch.utils.data import DataLoader\n", LOADER.format(given), MAIN)
    assert found == [(4, Confidence.PROVEN)] * crosses


def test_method() -> None:
    """The place of an argument counts without `self`."""
    maker = "class Maker:\n    def load(self, dataset, workers): return DataLoader(dataset, num_workers=workers)\n"
    main = "def main():\n    print(list(Maker().load(Rows(), {})))"
    assert lines(HEAD, maker, main.format(0), MAIN) == []
    assert lines(HEAD, maker, main.format(1), MAIN) == [(3, Confidence.PROVEN)]


def test_calls_of_tests_say_nothing() -> None:
    test = "from load import load, Rows\ndef test_load():\n    assert list(load(Rows(), num_workers=0))\n"
    files = {"load.py": HEAD + STARS.format("pass"), "tests/test_load.py": test}
    assert [found.span.line for found in reported(files, "lambdas")] == [3, 7]
