"""lambdas: a test of types by name does not look at a function, unless one of the types may be that of the function."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

TEXT = """\
import types
from torch.utils.data import DataLoader, Dataset
import conf
from conf import Config, Function, KINDS, made
import functools
from os import PathLike as Perhaps

def make(n):
    def collate(rows):
        return [row + n for row in rows]
    return collate

def rows():
    class Numbers(Dataset):
        count = 4
        def __len__(self):
            return 4
        def __getitem__(self, i):
            return i
    return Numbers()

def show(config):
    kinds = [dict, Config]
    for k, v in config.items():
        {}
            print(k)

if conf.made:
    Perhaps = type(show)

def main():
    config = {{"dataset": rows(), "collate_fn": make(3)}}
    show(config)
    for batch in DataLoader(config["dataset"], collate_fn=config["collate_fn"], num_workers=2):
        print(batch)

main()
"""
CONF = "class Config(dict):\n    pass\n\nmade = None\nFunction = type(lambda: 1)\nKINDS = [int, Function]\n"


@each_row("test", [
    "if type(v) in [dict, Config] and '_target_' in v:",
    "if type(v) == list or type(v) is not str:",
    "if type(v) is Config or type(v) is conf.Config:",
    "if type(v) not in (types.SimpleNamespace, Config):",
])  # fmt: skip
def test_the_name_of_another_type(test: str) -> None:
    changed = migrated({"train.py": TEXT.format(test), "conf.py": CONF}, "lambdas")["train.py"]
    assert "\nclass Numbers(Dataset):" in changed and "return functools.partial(_make_collate, n)" in changed
    assert f"        {test}\n" in changed


@each_row("test, says", [
    ("if type(v) in [dict, types.FunctionType]:", "`type` looks at it (line 25)"),
    ("if type(v) in kinds:", "`type` looks at it (line 25)"),
    ("if type(v) is Function:", "`type` looks at it (line 25)"),
    ("if type(v) in (dict, conf.Function):", "`type` looks at it (line 25)"),
    ("if type(v) in KINDS:", "`type` looks at it (line 25)"),
    ("if type(v) == functools.partial:", "`type` looks at it (line 25)"),
    ("if type(v) == Perhaps:", "`type` looks at it (line 25)"),
    ("if type(v) is config['kind']:", "`type` looks at it (line 25)"),
    ("if type(v) == type(show):", "`type` looks at it (line 25)"),
])  # fmt: skip
def test_a_type_that_may_be_that_of_the_function(test: str, says: str) -> None:
    only_function = TEXT.replace("rows(), ", "[1], ").format(test)
    [reason] = reasons({"train.py": only_function, "conf.py": CONF}, "lambdas")
    assert reason.startswith(says)


def test_a_class_that_the_test_may_mean() -> None:
    conf = CONF.replace("made = None", "import data\nmade = data.rows()")
    data = TEXT[TEXT.index("def rows") : TEXT.index("def show")]
    text = TEXT.replace(data, "from data import rows\n").replace("make(3)", "list").replace("rows(),", "rows()(),")
    files = {
        "conf.py": conf,
        "data.py": "from torch.utils.data import Dataset\n" + data.replace("Numbers()", "Numbers"),
    }
    [reason] = reasons(files | {"train.py": text.format("if type(v) in [dict, made]:")}, "lambdas")
    assert "it is compared (train.py:17)" in reason
    assert "data.py" in migrated(files | {"train.py": text.format("if type(v) in [dict, Config]:")}, "lambdas")
