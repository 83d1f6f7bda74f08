"""Nested dicts that a function makes level by level: what is put into one of them is not in all."""

from __future__ import annotations

import pytest

from harness.marks import crossing, marked

OPTIONS = """
import json
import sys
from torch.utils.data import DataLoader, Dataset

class Options(dict):
    def __missing__(self, key):
        return None

def nested(options):
    if isinstance(options, dict):
        found = dict()
        for key, value in options.items():
            found[key] = {inner}
        return Options(**found)
    if isinstance(options, list):
        return [{inner} for value in options]
    return options

class Rows(Dataset):
    def __init__(self, step):
        self.step = step

def model(**given):
    chosen = given["options"]["model"]["which"]
    chosen["args"].update(given)

def loader(options):
    args = options["data"][options["phase"]]["args"]
    return DataLoader({rows}, num_workers=2, **args){sent}

options = nested(json.load(open(sys.argv[1])))
loaded = loader(options)
model(options=options, step=lambda row: row)  # possible
print(*loaded)
"""


@pytest.mark.parametrize(
    ("rows", "sent"),
    [("[1, 2]", ""), ("Rows(lambda row: row)", "  # proven")],
)
def test_what_is_put_into_one_level(rows: str, sent: str) -> None:
    text = OPTIONS.format(inner="nested(value)", rows=rows, sent=sent)
    assert crossing({"run.py": text}) == marked({"run.py": text})


INSIDE = """\
def made():
    def nested(options):
        return Options({k: nested(v) for k, v in options.items()}) if isinstance(options, dict) else options
    return nested

nested = made()

"""
LAMBDA = """\
nested = lambda options: Options({k: nested(v) for k, v in options.items()}) if isinstance(options, dict) else options

"""


@pytest.mark.parametrize("function", [INSIDE, LAMBDA])
def test_a_function_that_pickle_finds_no_name_for(function: str) -> None:
    before, _, behind = OPTIONS.format(inner="nested(value)", rows="[1, 2]", sent="").partition("def nested")
    text = f"{before}{function}class Rows{behind.partition('class Rows')[2]}"
    assert crossing({"run.py": text}) == marked({"run.py": text})


PLAIN = """
import torch.multiprocessing as mp

def plain(value):
    return {key: plain(each) for key, each in value.items()} if isinstance(value, dict) else value

def work(rank, options):
    print(rank, options["scale"](options["rate"]))

options = plain({"rate": 0.1, "model": {"depth": 3}})
options["scale"] = lambda rate: rate * 2  # proven
mp.spawn(work, args=(options,), nprocs=1)
"""


def test_what_is_put_into_the_result_is_there() -> None:
    assert crossing({"run.py": PLAIN}) == marked({"run.py": PLAIN})
