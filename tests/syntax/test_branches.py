"""Opposite branches of one flag: what is made in one is not what the other hands over."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from codemods.project import Project
from codemods.transforms.lambdas import RULE as LAMBDAS
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles

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
