"""main-guard: what starts is looked up at run time, stands in a list or dict, or gets its number of workers later."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

RULE = "main-guard"
LOADER = "from torch.utils.data import DataLoader\n"
TRAIN = "def train():\n    for batch in DataLoader([1], num_workers=4):\n        print(batch)\n"
RUNNER = """\
from torch.utils.data import DataLoader
from registry import registry
@registry.register("base")
class Runner:
    def train(self):
        for batch in DataLoader([1], num_workers={}):
            print(batch)
"""
REGISTRY = """\
class Registry:
    def __init__(self):
        self._items = {}
    def register(self, name):
        def inner(cls):
            self._items[name] = cls
            return cls
        return inner
    def get(self, name):
        return self._items[name]
registry = Registry()
"""


def lines(files: dict[str, str]) -> list[tuple[str, int, str]]:
    return [(each.path, each.span.line, each.confidence.value) for each in reported(files, RULE)]


@each_row(
    ("call", "found"),
    [
        ("registry.get(sys.argv[1])().train()", True),
        ("runner = registry.get(sys.argv[1])()\nrunner.train()", True),
        ("runner = registry.get(sys.argv[1])()\nrunner.show()", False),
        ("registry.get(sys.argv[1])", False),
        ("def run():\n    registry.get(sys.argv[1])().train()\nrun()", True),
        ("def run():\n    registry.get(sys.argv[1])().train()\nif __name__ == '__main__':\n    run()", False),
    ],
)
def test_a_class_out_of_a_registry(call: str, found: bool) -> None:
    main = f"import sys\nfrom registry import registry\nimport runners\n{call}\n"
    files = {"registry.py": REGISTRY, "runners.py": RUNNER.format(2), "main.py": main}
    assert [(path, sure) for path, _, sure in lines(files)] == [("main.py", "likely")] * found
    assert lines({**files, "runners.py": RUNNER.format(0)}) == []


@each_row(
    ("call", "found"),
    [
        ("TASKS[sys.argv[1]]()", True),
        ("{'a': train, 'b': show}[sys.argv[1]]()", True),
        ("{'b': show}[sys.argv[1]]()", False),
        ("globals()[sys.argv[1]]()", True),
        ("TASKS[sys.argv[1]]", False),
    ],
)
def test_a_function_out_of_a_table(call: str, found: bool) -> None:
    text = f"import sys\n{LOADER}{TRAIN}def show():\n    print(1)\nTASKS = {{'train': train, 'show': show}}\n{call}\n"
    assert lines({"main.py": text}) == [("main.py", text.count("\n"), "likely")] * found


@each_row(
    ("call", "found"),
    [
        ("import trainers\ngetattr(trainers, sys.argv[1])().fit()", True),
        ("import trainers\ntrainer = getattr(trainers, sys.argv[1])()\ntrainer.fit()", True),
        ("import trainers\ntrainer = getattr(trainers, sys.argv[1])()\ntrainer.show()", False),
        ("import other\ntrainer = getattr(other, sys.argv[1])()\ntrainer.fit()", False),
        ("import trainers\nx = sys.first()\nwhile x:\n    x = x.next()\ngetattr(trainers, sys.argv[1])().fit()", True),
        ("import importlib\nimportlib.import_module('tr' + sys.argv[1]).Big().fit()", True),
        ("import importlib\nimportlib.import_module('no' + sys.argv[1]).Big().fit()", False),
        ("import importlib\nimportlib.import_module(sys.argv[1]).Big().fit()", False),
        ("import importlib\nimportlib.import_module('trainers').Big().fit()", True),
    ],
)
def test_a_class_of_a_module(call: str, found: bool) -> None:
    base = "class Base:\n    def fit(self):\n        list(DataLoader([1], num_workers=4))\n"
    trainers = f"{LOADER}{base}class Big(Base):\n    pass\n"
    files = {"trainers.py": trainers, "other.py": "class Big:\n    pass\n", "main.py": f"import sys\n{call}\n"}
    assert [(path, sure) for path, _, sure in lines(files)] == [("main.py", "likely")] * found


@pytest.mark.parametrize(
    ("call", "called"),
    [
        ("run = getattr(sys.modules[__name__], 'train_small')\nrun()", "train_small"),
        ("here = sys.modules[__name__]\nrun = getattr(here, 'train_' + sys.argv[1])\nrun()", "train_small"),
        ("getattr(sys.modules[__name__], f'{sys.argv[1]}_small')()", "train_small"),
        ("globals()['train_' + sys.argv[1]]()", "train_small"),
        ("run = getattr(sys.modules[__name__], 'show_small')\nrun()", None),
        ("getattr(sys.modules[__name__], 'show_' + sys.argv[1])()", None),
        ("getattr(sys.modules[sys.argv[1]], 'train_small')()", None),
    ],
)
@pytest.mark.parametrize("shared", [True, False])
def test_a_function_of_the_own_module(call: str, called: str | None, shared: bool) -> None:
    train = f"{LOADER}{TRAIN.replace('train', 'train_small')}def show_small():\n    print(1)\n"
    text = f"import sys\n{'from tasks import *' if shared else train}\n{call}\n"
    found = reported({"main.py": text, **({"tasks.py": train} if shared else {})}, RULE)
    assert [(each.span.line, each.confidence.value) for each in found] == [(text.count("\n"), "likely")] * bool(called)
    assert [each.trace[0].what for each in found] == [f"`{called}` is called here"] * bool(called)


@each_row(
    ("call", "found"),
    [
        ("getattr(sys.modules[__name__], 'B' + sys.argv[1])().fit()", True),
        ("made = getattr(sys.modules[__name__], 'B' + sys.argv[1])()\nmade.fit()", True),
        ("made = getattr(sys.modules[__name__], 'B' + sys.argv[1])()\nmade.show()", False),
        ("made = getattr(sys.modules[__name__], 'C' + sys.argv[1])()\nmade.fit()", False),
    ],
)
def test_a_class_of_the_own_module(call: str, found: bool) -> None:
    big = f"{LOADER}class Big:\n    def fit(self):\n        list(DataLoader([1], num_workers=4))\n"
    for files in (
        {"main.py": f"{big}import sys\n{call}\n"},
        {"main.py": f"from a import *\nimport sys\n{call}\n", "a.py": big},
    ):
        at = files["main.py"].count("\n")
        assert lines(files) == [("main.py", at, "likely")] * found


MANY = f"{LOADER}a, b = DataLoader([1], num_workers=2), DataLoader([2], num_workers=2)\n"


@each_row(
    ("code", "at"),
    [
        ("for loader in [a, b]:\n    for batch in loader:\n        print(batch)", 2),
        ("loaders = [a, b]\nfor loader in loaders:\n    print(len(loader))", 0),
        ("sizes = [len(loader) for loader in (a, b)]", 0),
        (
            "loaders = {'a': a}\nfor name, loader in loaders.items():\n    for batch in loader:\n        print(1)",
            3,
        ),
        ("loaders = dict(a=a, b=b)\nfor loader in loaders.values():\n    for batch in loader:\n        print(1)", 3),
        ("loaders = {}\nloaders['a'] = a\nfor loader in loaders.values():\n    print(next(iter(loader)))", 4),
        ("loaders = [a]\nfor at, loader in enumerate(loaders):\n    for batch in loader:\n        print(batch)", 3),
        ("def run(loaders):\n    for loader in loaders.values():\n        list(loader)\nrun({'a': a})", 4),
        ("def run(loaders):\n    for loader in loaders.values():\n        len(loader)\nrun({'a': a})", 0),
        ("names = {'a': 1}\nfor name in names.items():\n    for letter in name:\n        print(letter)", 0),
    ],
)
def test_loaders_in_a_list_or_dict(code: str, at: int) -> None:
    assert [line for _, line, _ in lines({"a.py": MANY + code + "\n"})] == ([2 + at] if at else [])


KEEPS = """\
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, rows, workers):
        self.loaders = {{}}
        self.loaders["train"] = DataLoader(rows, num_workers=workers)
    def run(self):
        for phase in ("train", "val"):
            for batch in self.loaders[phase]:
                print(batch)
trainer = Trainer([1], {})
trainer.run()
"""


@each_row(("number", "found"), [("4", True), ("0", False), ("workers=2", True), ("workers=0", False)])
def test_a_number_of_workers_that_a_constructor_gets(number: str, found: bool) -> None:
    assert lines({"a.py": KEEPS.format(number)}) == [("a.py", 11, "likely")] * found
