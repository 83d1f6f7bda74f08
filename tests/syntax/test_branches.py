"""Opposite branches of one flag: what is made in one is not what the other hands over."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from codemods.project import Project
from codemods.settings import Settings
from codemods.transforms.lambdas import RULE as LAMBDAS
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

READER = """\
import queue
import multiprocessing as mp
from threading import Thread

class Reader:
    def __init__(self, opt):
        self.opt = opt
        if {make}:
            self.queue = queue.Queue()
        else:
            self.queue = mp.Queue()

    def run(self):
        self.queue.put(1)

    def start(self):
        if {start}:
            worker = Thread(target=self.run)
        else:
            worker = mp.Process(target=self.run)
        worker.start()

def main(opt):
    Reader(opt).start()
"""


def confidences(text: str) -> list[Confidence]:
    """How sure the findings of `RULE` are."""
    return [finding.confidence for finding in RULE.find(Project(MemoryFiles({"a.py": text.encode()})))]


@pytest.mark.parametrize(("make", "start"), [("opt.sp", "self.opt.sp"), ("not opt.mp", "not self.opt.mp")])
def test_made_in_one_branch_and_sent_in_the_other(make: str, start: str) -> None:
    assert confidences(READER.format(make=make, start=start)) == [Confidence.POSSIBLE]


LOCAL = """\
import queue
import multiprocessing as mp

def work(results):
    results.put(1)

def main(args):
    if {make}:
        results = mp.Queue()
    else:
        results = queue.Queue()
    for _ in range({times}):
        mp.Process(target=work, args=(results,)).start()
"""


@each_row(
    ("make", "times", "crosses"),
    [
        ("args.jobs != 0", "args.jobs", False),
        ("args.jobs > 0", "args.jobs", False),
        ("args.jobs >= 1", "args.jobs", False),
        ("args.jobs", "args.jobs", False),
        ("not args.jobs == 0", "args.jobs", False),
        ("args.jobs > 1", "args.jobs", True),
        ("args.jobs == 0", "args.jobs", True),
        ("args.jobs < 1", "args.jobs", True),
        ("args.jobs > 0", "args.other", True),
        ("args.jobs > 0", "args.jobs + 1", True),
        ("args.jobs > 0", "1, args.jobs", True),
    ],
)
def test_a_loop_that_does_not_run_where_it_is_made(make: str, times: str, crosses: bool) -> None:
    found = confidences(LOCAL.format(make=make, times=times))
    assert (Confidence.PROVEN in found) is crosses


IN_CHILDREN = """\
import threading
from multiprocessing import Process

class Model:
    def __init__(self):
        self.lock = threading.Lock()

class Feature:
    def compute(self, path):
        if not hasattr(self, "model"):
            self.model = Model()
        return self.model

    def go(self, paths):
        for path in paths:
            self.compute(path)

def run(mode, paths):
    feature = Feature()
    {before}
    if mode == "cpu":
        if not paths:
            feature.go([])
        else:
            Process(target=feature.go, args=(paths,)).start()
    else:
        feature.go(paths)

def another(path):
    return Model(), path
"""


@pytest.mark.parametrize(
    ("before", "crosses"), [("pass", False), ("feature.go(paths)", True), ("feature.model = Model()", True)]
)
def test_an_object_that_the_parent_makes_in_another_branch_than_it_starts_children(before: str, crosses: bool) -> None:
    assert (Confidence.PROVEN in confidences(IN_CHILDREN.format(before=before))) is crosses


@pytest.mark.parametrize(
    ("make", "start"), [("opt.sp", "not self.opt.sp"), ("opt.sp", "self.opt.other"), ("opt.sp > 1", "self.opt.sp > 1")]
)
def test_branches_that_one_run_can_take(make: str, start: str) -> None:
    assert confidences(READER.format(make=make, start=start)) == [Confidence.PROVEN]


def test_a_flag_that_is_set_in_between() -> None:
    text = READER.format(make="opt.sp", start="self.opt.sp").replace(
        "    Reader(opt).start", "    opt.sp = 0\n    Reader(opt).start"
    )
    assert confidences(text) == [Confidence.PROVEN]


def test_a_lambda_in_the_other_branch() -> None:
    text = """\
from multiprocessing import Pool

def main(args, items):
    work = len
    if args.serial:
        work = lambda x: x + 1
    if args.serial:
        print([work(x) for x in items])
    else:
        print(Pool(2).map(work, items))
"""
    (finding,) = LAMBDAS.find(Project(MemoryFiles({"a.py": text.encode()})))
    assert finding.confidence is Confidence.POSSIBLE
    (other,) = LAMBDAS.find(
        Project(MemoryFiles({"a.py": text.replace("if args.serial:\n        p", "if args.x:\n        p").encode()}))
    )
    assert other.confidence is Confidence.PROVEN


def test_objects_of_one_class_in_either_branch() -> None:
    text = """\
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Apply(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)

class Rows(Dataset):
    def __init__(self, subset, level=None):
        if subset == "train":
            self.steps = nn.Sequential(Apply(lambda x: x + 1))
        else:
            self.steps = nn.Sequential(
                nn.Identity() if level is None else Apply(lambda x: x - level),
                Apply(lambda x: x * 2),
            )

    def __getitem__(self, index):
        return self.steps(index)

def load(subset):
    return DataLoader(Rows(subset), num_workers=4)
"""
    found = list(LAMBDAS.find(Project(MemoryFiles({"a.py": text.encode()}))))
    assert [(each.confidence, [hop.line for hop in each.trace if "Sequential" in hop.what]) for each in found] == [
        (Confidence.PROVEN, [15]), (Confidence.PROVEN, [17]), (Confidence.PROVEN, [17]),
    ]  # fmt: skip


SCRIPT = """\
from multiprocessing import Pool

def again():
    {function}

if __name__ == "__main__":
    parallel, items, work = {value}, [1, 2], len
    if parallel:
        work = lambda x: x + 1
    {between}
    if {test}:
        print([work(x) for x in items])
    else:
        print(Pool(2).map(work, items))
"""


@each_row(
    ("function", "value", "between", "test", "confidence"),
    [
        ("pass", "bool(again())", "again()", "parallel", Confidence.POSSIBLE),
        ("pass", "bool(again())", "again()", "not parallel", Confidence.PROVEN),
        ("pass", "bool(again())", "parallel = False", "parallel", Confidence.PROVEN),
        ("global parallel; parallel = False", "bool(again())", "again()", "parallel", Confidence.PROVEN),
        ("pass", "bool(again())", "again()", "items", Confidence.PROVEN),
    ],
)
def test_branches_of_a_module(function: str, value: str, between: str, test: str, confidence: Confidence) -> None:
    text = SCRIPT.format(function=function, value=value, between=between, test=test)
    (finding,) = LAMBDAS.find(
        Project(MemoryFiles({"a.py": text.encode()}), settings=Settings(confidence=Confidence.POSSIBLE))
    )
    assert finding.confidence is confidence


BUILD = """\
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose, ToTensor

class Rows(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(index)

def build(mode, device=None, *, options):
{body}

def run(mode, device, options):
    return DataLoader(build(mode, device, options=options), num_workers=4)
"""


def confidence(body: str) -> Confidence:
    """How sure it is that the lambda crosses."""
    text = BUILD.format(body="\n".join(f"    {line}" if line else "" for line in body.splitlines()))
    found = LAMBDAS.find(
        Project(MemoryFiles({"a.py": text.encode()}), settings=Settings(confidence=Confidence.POSSIBLE))
    )
    (only,) = [finding.confidence for finding in found]
    return only


MADE = """\
step = ToTensor() if device is None else lambda x: x
steps = Compose([step])
rows = Rows(ToTensor())
"""


OPPOSITE = {
    "stored": MADE + "if device is None:\n    rows.transform = steps\nreturn rows",
    "passed": MADE + "if not device is not None:\n    rows = Rows(steps)\nreturn rows",
    "behind a return": MADE + "if device is not None:\n    return rows\nreturn Rows(steps)",
    "another value": "step = ToTensor()\nif mode == 'cpu':\n    step = lambda x: x\n"
    "if mode == 'gpu' and device:\n    return Rows(step)\nreturn Rows()",
    "part of a test": "step = ToTensor()\nif not (device or options.cached):\n    step = lambda x: x\n"
    "if device:\n    return Rows(step)\nreturn Rows()",
}
AGREE = {
    "the same branch": MADE + "if device is not None:\n    rows.transform = steps\nreturn rows",
    "set anew": MADE + "device = None\nif device is None:\n    rows = Rows(steps)\nreturn rows",
    "in both branches": MADE + "if device is None:\n    rows = Rows(steps)\nelse:\n    rows = Rows(steps)\nreturn rows",
    "and below the branch": MADE
    + "if device is None:\n    rows.transform = steps\nrows.transform = steps\nreturn rows",
    "a test of a loop": "rows = Rows()\nfor part in mode:\n    if part:\n        rows.transform = Rows().transform\n"
    "    else:\n        step = lambda x: x\n        rows.transform = step\nreturn rows",
    "a flag that is set in between": "step = ToTensor()\nif options.plain:\n    step = lambda x: x\n"
    "options.plain = False\nif options.plain:\n    return Rows()\nreturn Rows(step)",
    "a call may answer anew": "step = ToTensor()\nif mode.pop():\n    step = lambda x: x\n"
    "if mode.pop():\n    return Rows()\nreturn Rows(step)",
    "another value may be meant": "step = ToTensor()\nif mode == 'a':\n    step = lambda x: x\n"
    "if mode != 'b':\n    return Rows(step)\nreturn Rows()",
}


@each_row("name", [*OPPOSITE, *AGREE])
def test_branches_of_one_call(name: str) -> None:
    assert (confidence({**AGREE, **OPPOSITE}[name]) is Confidence.POSSIBLE) is (name in OPPOSITE)


def test_what_waits_on_an_object_is_taken_by_another_run() -> None:
    text = """\
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

class Data:
    def setup(self, stage):
        if stage == "fit":
            self.step = lambda x: x
        if stage == "test":
            return DataLoader(Rows(self.step), num_workers=4)

def main():
    data = Data()
    data.setup("fit")
    return data.setup("test")
"""
    (found,) = LAMBDAS.find(Project(MemoryFiles({"a.py": text.encode()})))
    assert found.confidence is Confidence.PROVEN
