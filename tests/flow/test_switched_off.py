"""A process that is started under a parameter which no call of the repository switches on: nothing crosses."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked

PROGRAM = """
import sys
from multiprocessing import Pool, Process

class Worker:
    def __init__(self, make, parallel=False, name=""):
        self.make = make
        if {test}:
            self.started = Process(target=self.run)
        {other}

    def run(self):
        return self.make()

def local():
    def make():  # {mark}
        return sys.argv
    return make

{call}
"""
OTHER = "else:\n            self.run()"


def text(test: str = "parallel", call: str = "Worker(local())", other: str = OTHER, mark: str = "possible") -> str:
    return PROGRAM.format(test=test, call=call, other=other, mark=mark)


@each_row(
    "program",
    [
        text(),
        text(call="Worker(local(), False)\nWorker(local(), name='b')"),
        text(call="Worker(local(), parallel=0)"),
        text("parallel and sys.argv"),
        text(call="import importlib\nimportlib.import_module(sys.argv[1])\nWorker(local())"),
        text("parallel > 0"),
        text("not parallel", other="    pass\n        else:\n            Process(target=self.run)").replace(
            "self.started = Process(target=self.run)", "pass"
        ),
    ],
)
def test_no_call_switches_it_on(program: str) -> None:
    files = {"run.py": program}
    assert crossing(files) == marked(files)


@each_row(
    "program",
    [
        text(call="Worker(local(), True)", mark="proven"),
        text(call="Worker(local())\nWorker(local(), parallel=True)", mark="proven"),
        text(call="Worker(local(), parallel=sys.argv)", mark="proven"),
        text(call="Worker(local(), *sys.argv)", mark="proven"),
        text(call="Worker(local(), **vars(sys))", mark="proven"),
        text("not parallel", mark="proven"),
        text("parallel or sys.argv", mark="proven"),
        text("parallel is not None", mark="proven"),
        text(mark="proven").replace("self.make = make", "self.make = make\n        parallel = parallel or sys.argv"),
        text(mark="proven").replace("parallel=False", "parallel=True"),
    ],
)
def test_a_call_may_switch_it_on(program: str) -> None:
    files = {"run.py": program}
    assert crossing(files) == marked(files)


@pytest.mark.parametrize(("call", "mark"), [("True", "proven"), ("False", "possible")])
def test_what_a_test_switches_on_users_may(call: str, mark: str) -> None:
    """A test alone shows no crossing, but that the branch is there to be taken."""
    files = {
        "run.py": text(call="if __name__ == '__main__':\n    Worker(local())", mark=mark),
        "tests/test_run.py": f"from run import Worker\n\ndef test_run():\n    Worker(len, {call})\n",
    }
    assert crossing(files) == marked(files)
