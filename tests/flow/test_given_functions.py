"""What passes through a function that a parameter holds comes out of the one that its own call gives."""

from __future__ import annotations

from test_flow import crossings

from codemods.finding import Confidence
from harness.each_row import each_row

MESSAGES = """
import copy
import pickle
from multiprocessing import Process
import cloudpickle

def same(value):
    return value

def also(value):
    return [value]

class Factory:
    def messages(self, rows, prepare=same):
        if isinstance(rows, list):
            return [prepare(row) for row in rows]
        return [prepare(rows) for _ in range(3)]

def one(row, prepare=same):
    return prepare(row)

def work(row):
    print(row)

def other(rows):
    return Factory().messages(rows)

class Sampler:
    def __init__(self, task):
        self.factory = Factory()
        self.rows = {call}
        Process(target=work, kwargs=dict(row=self.rows[0])).start()

Sampler(lambda row: row)
other([1])
"""


@each_row(
    ("call", "crosses"),
    [
        ("self.factory.messages(task, cloudpickle.dumps)", False),
        ("self.factory.messages(task, prepare=cloudpickle.dumps)", False),
        ("self.factory.messages([task], cloudpickle.dumps)", False),
        ("[one(task, pickle.dumps)]", False),
        ("self.factory.messages(task)", True),
        ("self.factory.messages([task])", True),
        ("self.factory.messages(task, also)", True),
        ("[one(task)]", True),
        ("[one(task, same if task else cloudpickle.dumps)]", True),
    ],
)
def test_what_comes_out_of_the_function_that_a_call_gives(call: str, crosses: bool) -> None:
    found = crossings({"a.py": MESSAGES.replace("{call}", call)})
    sure = [each for each in found if each.confidence is not Confidence.POSSIBLE and each.boundary != "pickle.dumps"]
    assert len(sure) == crosses


@each_row(
    ("call", "row", "crosses"),
    [
        ("self.factory.messages(task, cloudpickle.dumps)", "self.rows[n]", False),
        ("self.factory.messages(task, cloudpickle.dumps)", "row", False),
        ("self.factory.messages([task], prepare=cloudpickle.dumps)", "self.rows[n]", False),
        ("self.factory.messages(task)", "self.rows[n]", True),
        ("self.factory.messages(task)", "row", True),
        ("self.factory.messages(task, also)", "self.rows[n]", True),
        ("self.factory.messages(task, cloudpickle.dumps) + [task]", "row", True),
    ],
)
def test_what_is_taken_out_under_any_key(call: str, row: str, crosses: bool) -> None:
    text = MESSAGES.replace("{call}", call).replace("self.rows[0]", row)
    text = text.replace("        Process(", "        for n, row in enumerate(self.rows):\n            Process(")
    found = crossings({"a.py": text})
    sure = [each for each in found if each.confidence is not Confidence.POSSIBLE and each.boundary != "pickle.dumps"]
    assert len(sure) == crosses
