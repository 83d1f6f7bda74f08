"""A branch that no call takes is told from the calls alone where surely each of them is seen."""

from __future__ import annotations

import textwrap

from test_dead_branches import ROWS
from test_flow import crossings

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

BODY = """\
change = None
if {test}:
    change = lambda at: at + 1
return DataLoader(Rows(change), num_workers=2)
"""
LOAD = "def load(mode='train'):\n" + textwrap.indent(BODY.format(test="mode == 'test'"), "    ") + "\nload()\n"
METHOD = textwrap.indent(BODY.format(test="self.mode == 'test'"), " " * 8)
CLASS = (
    "class Loads{bases}:\n    def __init__(self, mode='train'):\n        self.mode = mode\n\n"
    f"    def load(self):\n{METHOD}\n"
)


def is_taken(text: str, **others: str) -> bool:
    """The lambda of the branch is seen to cross."""
    found = crossings({"train.py": f"{ROWS}\n{text}", **{f"{name}.py": other for name, other in others.items()}})
    named = [each for each in found if each.path == "train.py" and each.line > 12]
    return any(each.confidence is not Confidence.POSSIBLE for each in named)


@each_row(
    ("more", "taken"),
    [
        ("", False),
        ("import json\njson.load(open('a'))", False),
        ("class Other:\n    def way(self):\n        return self.load", False),
        ("import library\nlibrary.run('loads of data')", False),
        ("class Other:\n    def load(self, mode): pass\nOther().load('test')", False),
        ("getattr(print, 'load')", True),
        ("import library\nlibrary.run({'load': load, 'warm': print})", True),
        ("import library\nlibrary.run('train:load')", True),
        ("import library\nlibrary.time('load(\"test\")')", True),
        ("import fire\nfire.Fire({'load': load})", True),
        ("import fire\nfire.Fire()", True),
        ("from hydra.utils import instantiate as make\nmake({})", True),
        ("table = [load]", True),
        ("go = load\ngo('test')", True),
        ("globals()['load']('test')", True),
        ("eval(input())", True),
        ("import sys\nmodule = sys.modules[__name__]\nmodule.load('test')", True),
        ("import sys\ngetattr(sys.modules[__name__], sys.argv[1])('test')", True),
        ("import importlib\nmodule = importlib.import_module(input())\nmodule.load('test')", True),
        ("def go(module):\n    module.load('test')\ngo(any_of())", True),
        ("def go(module):\n    getattr(module, input())('test')\ngo(any_of())", True),
        ("def go(module):\n    return getattr(module, input()) + 1\ngo(any_of())", False),
        ("import argparse\nparser = argparse.ArgumentParser()\nparser.set_defaults(run=load)\n"
         "args = parser.parse_args()\nargs.run('test')", True),
        ("@any_of\ndef other(): pass", False),
        ("import sys\nfor module in list(sys.modules.values()):\n    vars(module)[input()]('test')", True),
        ("import importlib, json\ndef go(module):\n    module.load('test')\n"
         "go(json)\ngo(importlib.import_module(input()))", True),
        ("import json\ndef go(module):\n    module.load('test')\ngo(json)", False),
        ("def other(how=load): how('test')\nother()", True),
    ],
)  # fmt: skip
def test_names_of_functions(more: str, taken: bool) -> None:
    assert is_taken(f"{LOAD}\n{more}\n") is taken


@each_row(
    ("other", "taken"),
    [
        ("from train import load\nload()", False),
        ("import train\ntrain.load()", False),
        ("import train\nvalue = train.load", True),
        ("from train import load as go\nany_of(go)", True),
        ("def f():\n    from train import load\n    any_of(load)", True),
        ("from missing.train import load\nload('test')", True),
        ("import train, sys\ngetattr(train, sys.argv[1])('test')", True),
        ("import train\nvars(train)[input()]('test')", True),
        ("import train\ntrain.__dict__[input()]('test')", True),
    ],
)
def test_names_in_other_files(other: str, taken: bool) -> None:
    assert is_taken(LOAD, other=other, **{"missing/more": ""}) is taken


@each_row(
    ("bases", "more", "taken"),
    [
        ("", "Loads().load()", False),
        ("(object)", "loads = Loads()\nprint(isinstance(loads, Loads), loads.__class__.__name__)\nloads.load()", False),
        ("", "class Other(Loads):\n    def __init__(self):\n        super(Other, self).__init__('train')\n"
         "Other().load()", False),
        ("", "def other(x):\n    return type(x)('test')\nLoads().load()", True),
        ("", "class Other(Loads):\n    def other(self):\n        return self.__class__(mode='test')\n"
         "Loads().load()", True),
        ("", "class Other(Loads):\n    def other(self):\n        return type(self)('test')\n"
         "Other().load()", True),
        ("", "class Other(Loads):\n    @classmethod\n    def other(cls):\n        return cls('test')\n"
         "Other().load()", True),
        ("", "class Other(Loads):\n    def __reduce__(self):\n        return type(self), ('test',)\n"
         "Other().load()", True),
        ("", "class Other(Loads):\n    def other(self):\n        return make(self.__class__)\n"
         "Other().load()", True),
        ("", "loads = Loads()\nloads.load()\nany_of().__init__('test')", True),
        ("", "class Mixin:\n    def __init__(self):\n        super().__init__('test')\n"
         "class Other(Mixin, Loads): pass\nOther().load()\nLoads().load()", True),
        ("", "import library\nlibrary.run(Loads)\nLoads().load()", True),
        ("", "import library\nlibrary.run(kind=[Loads])\nLoads().load()", True),
        ("", "@register\nclass Other(Loads): pass\nLoads().load()", True),
        ("", "class Other(Loads, metaclass=Kind): pass\nLoads().load()", True),
        ("", "class Other(Loads):\n    @classmethod\n    def other(cls):\n        return library(cls)\n"
         "Loads().load()", True),
        ("", "def register(kind):\n    any_of().kept = kind\n    return kind\n@register\nclass Other(Loads): pass\n"
         "Loads().load()", True),
        ("(Plain)", "Loads().load()", False),
        ("(Plain)", "for each in any_of().__subclasses__():\n    each('test')\nLoads().load()", True),
        ("(Base)", "Loads().load()", True),
        ("(Keeps)", "Loads().load()", True),
        ("(nn.Module)", "Loads().load()", True),
        ("(L.LightningModule)", "Loads().load()", True),
        ("", "def change(x):\n    setattr(x, 'mode', 'test')\nLoads().load()", True),
        ("", "def change(x):\n    setattr(x, 'other', 'test')\nLoads().load()", False),
        ("", "def change(x, name):\n    setattr(x, name, 'test')\nLoads().load()", True),
    ],
)  # fmt: skip
def test_names_of_classes(bases: str, more: str, taken: bool) -> None:
    above = (
        "import lightning as L\nfrom torch import nn\n\nclass Keeps:\n    def __init_subclass__(cls):\n"
        "        any_of().kept = cls\n\nclass Plain:\n    pass\n\n"
    )
    assert is_taken(f"{above}{CLASS.format(bases=bases)}\n{more}\n") is taken


def test_two_modules_of_one_name() -> None:
    other = "def load(mode): pass"
    for path, mode, taken in ("more/other", "train", False), ("more/train", "test", True):
        assert is_taken(LOAD, **{path: other, "more/main": f"from train import load\nload('{mode}')"}) is taken


def test_a_test_runner_calls_tests() -> None:
    sent = f"{ROWS}\n{LOAD}"
    for path, taken in ("loads.py", False), ("test_loads.py", True):
        found = crossings({path: sent.replace("load(", "test_load(")})
        assert any(each.line > 20 and each.confidence is not Confidence.POSSIBLE for each in found) is taken


def test_a_decorator_may_keep_it() -> None:
    register = "def register(function):\n    any_of().kept = function\n    return function\n\n"
    assert not is_taken(f"{register}{LOAD}")
    assert is_taken(f"{register}@register\n{LOAD}")


def test_a_base_of_a_module_that_is_not_found() -> None:
    text = f"{CLASS.format(bases='')}\nLoads().load()\n"
    for base, taken in ("Loads", True), ("Others", False):
        other = f"from missing.train import {base}\nclass Other({base}): pass\nOther('test')"
        assert is_taken(text, other=other) is taken


@each_row(
    ("kind", "body", "more"),
    [
        ("class Runs:", "def load(self, mode='train')", "Runs().load()\nimport library\nlibrary.run(Runs)"),
        ("class Runs:", "def load(self, mode='train')", "Runs().load()\nmade = any_of()\nmade.load('test')"),
        ("class Runs:", "def __call__(self, mode='train')", "Runs().__call__()\nRuns()('test')"),
        ("class Runs(nn.Module):", "def forward(self, mode='train')", "Runs().forward()\nRuns()(mode='test')"),
        ("class Runs(L.LightningDataModule):", "def setup(self, mode=None)", "Runs().setup('fit')"),
    ],
)
def test_methods_have_other_callers(kind: str, body: str, more: str) -> None:
    text = BODY.format(test="mode == 'test'")
    method = f"    {body}:\n{textwrap.indent(text, '        ')}"
    assert is_taken(f"import lightning as L\nfrom torch import nn\n\n{kind}\n{method}\n{more}\n")


def test_what_a_base_sets() -> None:
    """A module has `training` from its base, whose `train()` sets it."""
    text = CLASS.format(bases="(nn.Module)").replace("mode", "training").replace("'train'", "False")
    assert is_taken(f"from torch import nn\n\n{text.replace(chr(39) + 'test' + chr(39), 'True')}\nLoads().load()\n")


@each_row(
    ("path", "text", "taken"),
    [
        ("notes.txt", "load", False),
        ("jobs.yaml", "_target_: train.load", True),
        ("pyproject.toml", "[project]", True),
        ("look.ipynb", '{"cells": []}', True),
        ("broken.py", "def f(:\n", True),
    ],
)
def test_what_stands_beside(path: str, text: str, taken: bool) -> None:
    found = crossings({"train.py": f"{ROWS}\n{LOAD}", path: text})
    assert any(each.line > 20 and each.confidence is Confidence.PROVEN for each in found) is taken


def test_a_file_that_is_not_understood_may_call_it() -> None:
    for text, taken in ("def f(:\n    warm()", False), ("def f(:\n    load('test')", True):
        files = {"train.py": f"{ROWS}\n{LOAD}".encode(), "broken.py": text.encode()}
        found = check(MemoryFiles(files), Settings()).findings
        assert any(each.confidence is Confidence.PROVEN for each in found) is taken


@each_row(("more", "starts"), [("run()", False), ("fire.Fire({'run': run, 'warm': warm})", True)])
def test_starts_of_functions_that_others_call(more: str, starts: bool) -> None:
    text = (
        "import fire\nfrom multiprocessing import Process\n\ndef work(): pass\n\ndef run(mode='train'):\n"
        "    if mode == 'test':\n        Process(target=work).start()\n\ndef warm():\n    run()\n\n"
    )
    found = check(MemoryFiles({"train.py": f"{text}{more}\n".encode()}), Settings()).findings
    assert [each.rule for each in found] == (["main-guard"] if starts else [])


def test_views_in_methods_that_a_base_calls() -> None:
    text = (
        "import lightning as L\nfrom torch.utils.data import DataLoader\n\nclass Rows:\n    pass\n\n"
        "class Data(L.LightningDataModule):\n    def setup(self, stage=None):\n        table = {'a': 1}\n"
        "        self.rows = Rows()\n        if stage == 'test':\n            self.rows.names = table.keys()\n\n"
        "    def test_dataloader(self):\n        return DataLoader(self.rows, num_workers=2)\n\n"
        "data = Data()\ndata.setup('fit')\nL.Trainer().test(data)\n"
    )
    found = check(MemoryFiles({"train.py": text.encode()}), Settings()).findings
    assert [each.confidence for each in found if each.rule == "dict-views"] == [Confidence.PROVEN]


@each_row(
    ("other", "taken"),
    [
        ("train.main()", False),
        ("train.MODE = 'test'\ntrain.main()", True),
        ("setattr(train, 'MODE', 'test')\ntrain.main()", True),
        ("setattr(train, 'WAY', 'test')\ntrain.main()", False),
        ("vars(train)[input()] = 'test'\ntrain.main()", True),
    ],
)
def test_a_constant_that_another_module_may_set(other: str, taken: bool) -> None:
    text = f"MODE = 'train'\n{LOAD}\ndef main():\n    load(MODE)\n"
    assert is_taken(text, run=f"import train\n{other}\n") is taken
