"""main-guard: the number of workers of a loader that unpacks a dict, which a caller passes or a YAML file holds."""

from __future__ import annotations

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import reported

RULE = "main-guard"
LOAD = """\
from torch.utils.data import DataLoader


def load(rows, batch=4, options={}):
    return DataLoader(rows, batch_size=batch, **options)
"""


@each_row(
    ("options", "call", "found"),
    [
        ('{"num_workers": 2, "pin_memory": True}', "load(rows, options=options)", True),
        ("dict(num_workers=2)", "load(rows, 4, options)", True),
        ('{"num_workers": 0}', "load(rows, options=options)", False),
        ('{"pin_memory": True}', "load(rows, options=options)", False),
        ('{"num_workers": 2}', "load(rows)", False),
        ('{"num_workers": 2} if len(rows) > 3 else {}', "load(rows, options=options)", False),
    ],
)
def test_a_dict_that_the_caller_passes(options: str, call: str, found: bool) -> None:
    train = f"""\
from load import load


def train(rows):
    options = {options}
    for batch in {call}:
        print(batch)
"""
    files = {"load.py": LOAD, "train.py": train, "a.py": "from train import train\n\ntrain([1, 2])\n"}
    findings = reported(files, RULE)
    assert [finding.path for finding in findings] == ["a.py"] * found
    assert all(finding.fix is not None for finding in findings)


def test_a_dict_that_branches_bind() -> None:
    train = """\
from load import load


def train(rows, fast):
    if fast:
        options = {"num_workers": 1}
    else:
        options = {}
    batches = load(rows, options=options)
    for batch in batches:
        print(batch)
"""
    files = {"load.py": LOAD, "train.py": train, "a.py": "from train import train\n\ntrain([1, 2], True)\n"}
    assert [finding.path for finding in reported(files, RULE)] == ["a.py"]


TRAINER = """\
import yaml
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, path):
        with open(path) as text:
            self.options = yaml.safe_load(text)

    def train(self, rows):
        options = PART
        for batch in DataLoader(rows, **options):
            print(batch)
"""
SCRIPT = """\
from trainer import Trainer

trainer = Trainer("options.yml")
trainer.train([1, 2])
"""


@each_row(
    ("part", "text", "found"),
    [
        ('self.options["loader"]', "loader:\n  # of one rank\n\n  batch_size: 4\n  num_workers: 8\n", True),
        ('self.options.get("loader", {})', "data:\n  loader:\n    num_workers: 8\n", True),
        ("self.options.loader", "loader: # of one rank\n  num_workers: 8\n", True),
        ('self.options["loader"]', "loader:\n  num_workers: 0\n", False),
        ('self.options["loader"]', "loader:\n  batch_size: 4\nother:\n  num_workers: 8\n", False),
        ('self.options["loader"]', "other:\n  num_workers: 8\n", False),
        ('self.options["loader"]', "loader:\n  batch_size: 4\n", False),
    ],
)
def test_a_part_of_a_configuration(part: str, text: str, found: bool) -> None:
    files = {"trainer.py": TRAINER.replace("PART", part), "train.py": SCRIPT, "options.yml": text}
    findings = reported(files, RULE)
    assert [(finding.path, finding.confidence) for finding in findings] == [("train.py", Confidence.LIKELY)] * found


@each_row(
    ("text", "found"),
    [
        ("data = dict(\n    loader=dict(\n        shuffle=True,\n        num_workers=16\n    )\n)\n", True),
        ('data = {"loader": {"batch_size": 4, "num_workers": 2}}\n', True),
        ("loader = dict(num_workers=4)\n", True),
        ("loader = dict(num_workers=0, prefetch=4)\n", False),
        ("loader = dict(\n    sampler=dict(num_workers=4))\n", False),  # of something in it
        ("loader = dict(shuffle=True)\nother = dict(num_workers=4)\n", False),
        ("preloader = dict(num_workers=4)\n", False),
    ],
)
def test_a_part_of_a_configuration_in_python(text: str, found: bool) -> None:
    files = {"trainer.py": TRAINER.replace("PART", "self.options.loader"), "train.py": SCRIPT, "options.py": text}
    findings = reported(files, RULE)
    assert [(finding.path, finding.confidence) for finding in findings] == [("train.py", Confidence.LIKELY)] * found
