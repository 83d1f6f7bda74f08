"""An attribute that holds objects of many kinds, and the one that a call gives to the object it makes."""

from __future__ import annotations

from harness.small import reported

DATA = """from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __getitem__(self, at):
        return self.transform(at)
"""
STEP = """class {name}:
    def __init__(self):
        self.step = {step}

    def __call__(self, at):
        return self.step(at)


"""
SCRIPT = """from torch.utils.data import DataLoader

from data import Rows

{step}{make}

if __name__ == "__main__":
    for row in DataLoader({rows}, num_workers=2):
        print(row)
"""
OTHERS = {
    f"{name.lower()}.py": SCRIPT.format(step=STEP.format(name=name, step="abs"), make="", rows=f"Rows({name}())")
    for name in ("Crop", "Flip", "Scale")
}
MAKE = "def make():\n    return Rows(Twice())\n\n"


def _found(main: str) -> list[tuple[str, str]]:
    found = reported({"data.py": DATA, "main.py": main, **OTHERS}, "lambdas")
    return [(each.confidence.value, f"{each.trace[-1].path}:{each.trace[-1].line}") for each in found]


def test_a_call_that_gives_one_object_is_no_guess() -> None:
    twice = STEP.format(name="Twice", step="lambda at: 2 * at")
    assert _found(SCRIPT.format(step=twice, make=MAKE, rows="make()")) == [("proven", "main.py:19")]


def test_one_that_may_give_any_object_is() -> None:
    twice = STEP.format(name="Twice", step="lambda at: 2 * at")
    imports = "from crop import Crop\nfrom flip import Flip\nfrom scale import Scale\n"
    pick = "def make(kind):\n    return Rows({1: Twice, 2: Crop, 3: Flip, 4: Scale}[kind]())\n\n"
    main = imports + SCRIPT.format(step=twice, make=pick, rows="make(int(input()))")
    assert [confidence for confidence, _ in _found(main)] == []


CHOSEN = """from options import parse
from torch.utils.data import DataLoader, Dataset


class Links:
    def __init__(self, args):
        self.features = self.build(args)

    def build(self, args):
        def features(at):
            return at + args.size

        return features


class Edges:
    def __init__(self, args):
        self.args = args


class Nodes:
    def __init__(self, args):
        self.args = args


class Split(Dataset):
    def __init__(self, tasker):
        self.tasker = tasker

    def __getitem__(self, at):
        return self.tasker.features(at)


class Splits:
    def __init__(self, args, tasker):
        self.train = DataLoader(Split(tasker), num_workers=args.workers)


def build_tasker(args):
    if args.task == "links":
        return Links(args)
    if args.task == "edges":
        return Edges(args)
    return Nodes(args)


def main(args):
    tasker = build_tasker(args)
    for row in Splits(args, tasker).train:
        print(row)


if __name__ == "__main__":
    main(parse())
"""


def test_what_one_call_of_a_function_gives_is_all_that_is_there() -> None:
    assert _found(CHOSEN) == [("proven", "main.py:36")]


def test_not_where_most_of_its_calls_are_for_others() -> None:
    others = '\n\nprint(build_tasker("edges").args, build_tasker("nodes").args)\n'
    assert [confidence for confidence, _ in _found(CHOSEN + others)] == []
