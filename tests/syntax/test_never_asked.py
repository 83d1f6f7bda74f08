"""Branches that no call of a function takes: what they make is never made."""

from __future__ import annotations

import ast

from codemods.finding import Confidence
from codemods.project import Project
from codemods.syntax.never_asked import NeverAsked
from codemods.syntax.repo import Repo
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import reported

ROWS = """
class Rows(Base):
    def __init__(self, path, step=None, small=False):
        self.path, self.small = path, small
        self.narrow = small
        {body}
"""
OTHER = "self.step = step if step else lambda row: row"
SMALL = "if self.narrow:\n            self.step = lambda row: row[0]"


def never(body: str, use: str, **more: str) -> bool:
    texts = {
        "rows.py": ROWS.format(body=body),
        "run.py": f"from torchvision.transforms import Compose\nfrom rows import Rows\n{use}\n",
    }
    texts |= {name.replace("_", "."): text for name, text in more.items()}
    repo = Repo(Project(MemoryFiles({path: text.encode() for path, text in texts.items()})))
    outline = repo.outline("rows.py")
    assert outline is not None
    made = [node for node in outline.nodes if isinstance(node, ast.Lambda)][-1]
    return NeverAsked(repo, lambda path: not path.startswith("test")).never_runs(outline, made)


@each_row(
    ("body", "use"),
    [
        (OTHER, "Rows('a', Compose([1]))"),
        (OTHER, "def run():\n    made = Compose([1])\n    Rows('a', step=made)"),
        (OTHER, "def same(row): return row\nRows('a', same)"),
        (OTHER, "isinstance(x, Rows)\ndef load(rows: Rows) -> list[Rows]: pass\nRows('a', lambda row: row)"),
        (OTHER, "class More(Rows): pass\nMore('a', Compose())\nRows('b', Compose())"),
        (OTHER, "class More(Rows):\n    def __init__(self, path):\n        super().__init__(path, Compose())\nMore(1)"),
        ("self.step = step or (lambda row: row)", "Rows('a', Compose())"),
        ("if step is None:\n            step = lambda row: row\n        self.step = step", "Rows('a', Compose())"),
        (SMALL, "Rows('a')"),
        (SMALL, "Rows('a', small=False)"),
    ],
)
def test_no_call_asks(body: str, use: str) -> None:
    assert never(body, use)


@each_row(
    ("body", "use"),
    [
        (OTHER, "pass"),  # no call in sight
        (OTHER, "Rows('a')"),
        (OTHER, "Rows('a', None)"),
        (OTHER, "Rows('a', make())"),  # may be None
        (OTHER, "Rows('a', step)"),
        (OTHER, "Rows('a', Compose())\nRows('b')"),
        (OTHER, "Rows('a', *args)"),
        (OTHER, "Rows('a', Compose())\nTABLE = [Rows]"),
        (OTHER, "Rows('a', Compose())\nTABLE = 'Rows'"),
        (OTHER, "class Steps:\n    def __len__(self): return 0\nRows('a', Steps())"),
        (OTHER, "class More(Rows): pass\nMore('a')\nRows('b', Compose())"),
        (OTHER, "class More(Rows):\n    def __init__(self, path):\n        super().__init__(path)\nMore(1)"),
        ("if path:\n            self.step = lambda row: row", "Rows(path)"),
        ("self.step = lambda row: row", "Rows('a', Compose())"),
        (OTHER, "from collections import OrderedDict\nRows('a', OrderedDict())"),
        *(
            (OTHER, f"from steps import {name}\nRows('a', {name}())")
            for name in (
                *("ChainMap", "Counter", "Decimal", "Fraction", "Index", "ModuleDict", "ModuleList", "OrderedDict"),
                *("ParameterDict", "ParameterList", "Sequential", "Series", "Tensor", "UserDict", "UserList"),
                "UserString",
            )
        ),
        (OTHER, "class Steps(list): pass\nRows('a', Steps())"),
        (OTHER, "class Base:\n    def __bool__(self): return False\nclass Steps(Base): pass\nRows('a', Steps())"),
        (OTHER, "def Steps(): return None\nRows('a', Steps())"),
        (OTHER, "from steps import *\nRows('a', Steps())"),
        (OTHER, "Rows('a', Compose())\nvars(rows)['Rows']('b')"),
        (OTHER, "import rows\nRows('a', Compose())\ngetattr(rows, args.dataset)(4)"),
        (OTHER, "Rows('a', Compose())\ndef made(module): return getattr(module, args.dataset)(4)"),
        (OTHER, "Rows('a', Compose())\nimport_module(args.module)"),
        (
            "self.step = step\n        super().__init__()\n        self.step = self.step or (lambda x: x)",
            "Rows(1, Compose())",
        ),
        ("if step == 'all':\n            self.step = lambda row: row", "from enums import Mode\nRows('a', Mode(name))"),
        ("if step in ('all', 'some'):\n            self.step = lambda row: row", "Rows('a', Compose())"),
        (SMALL, "Rows('a', small=True)"),
        (SMALL, "Rows('a', small=args.small)"),
        ("self.narrow = True\n        " + SMALL, "Rows('a')"),
    ],
)
def test_some_call_may_ask(body: str, use: str) -> None:
    assert not never(body, use)


def test_objects_that_make_others_of_their_class() -> None:
    for other in ("type(self)(path)", "self.__class__(path)"):
        assert not never(OTHER + f"\n    def part(self, path): return {other}", "Rows('a', Compose())")
    again = "\n    @classmethod\n    def read(cls, path): return cls(path)"
    assert not never(OTHER + again, "Rows('a', Compose())")
    assert never(OTHER + "\n    def part(self, path): return other(path)", "Rows('a', Compose())")


def test_other_names_of_the_class() -> None:
    more = "from rows import Rows as Lines\n"
    assert never(OTHER, "Rows('a', Compose())", more_py=more + "Lines('a', lambda row: row)\n")
    use = {"more_py": more, "third_py": "from more import Lines\nLines('a')\n"}
    assert not never(OTHER, "Rows('a', Compose())", **use)


def test_attributes_that_are_looked_up() -> None:
    assert never(OTHER, "Rows('a', Compose())\nprint(getattr(args, name), getattr(args, 'rows')(3))")


def test_what_else_may_use_the_class() -> None:
    assert not never(OTHER, "Rows('a', Compose())", run_slurm="python run.py --dataset Rows\n")
    assert never(OTHER, "Rows('a', Compose())", test_py="from rows import Rows\nRows('a')\n")
    assert not never(OTHER, "Rows('a', Compose())", run_yaml="dataset: Rows\n")
    assert not never(OTHER, "Rows('a', Compose())", look_ipynb='{"source": "Rows(1)"}\n')


LOADED = """\
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose


class Rows(Dataset):
    def __init__(self, path, step=None, small=False):
        self.path = path
        {body}

    def __getitem__(self, at):
        return self.step(at)

    def __len__(self):
        return 3


if __name__ == "__main__":
    for row in DataLoader(Rows("a", {given}), num_workers=2):
        print(row)
"""
EITHER = "if small:\n            self.step = lambda row: row[0]\n        else:\n            self.step = lambda row: row"


@each_row(
    ("body", "given", "found"),
    [
        (OTHER, "", ["proven"]),
        (OTHER, "None", ["proven"]),
        (OTHER, "Compose([1])", ["possible"]),
        (EITHER, "small=False", ["possible", "proven"]),  # both get a name, where one has to
        (EITHER.replace("lambda row: row[0]", "print"), "small=True", ["possible"]),
    ],
)
def test_what_is_reported_of_such_branches(body: str, given: str, found: list[str]) -> None:
    every = reported({"run.py": LOADED.format(body=body, given=given)}, "lambdas", confidence=Confidence.POSSIBLE)
    assert [each.confidence.value for each in every] == found
