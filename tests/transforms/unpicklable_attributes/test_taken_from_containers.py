"""What comes out of a container, a class or a list that is filled first: whatever else keeps it is seen."""

from __future__ import annotations

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import json
import pickle
import threading
from multiprocessing import Pool
from threading import Lock

BACKENDS = {{"json": json, "pickle": pickle}}
MIXED = {{"json": json, "name": "text"}}
NUMBERS = {{"json": 1, "name": 2}}


def pair():
    return Lock(), 1


def names():
    return "a", "b"


class Job:
    shared = Lock()
    libs = [json, pickle]
    typed: object = Lock()
    size = 3

    def __init__(self, name):
{init}

    def __call__(self, x):
        return x


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(Job("json"), [1, 2]))
"""
MODULES = "look the module up where it is used"
AT_ONCE = "as one expression"
ONCE = "would no longer be one object"
ELSEWHERE = "keeps what is in it under another name too"
OF_CLASS = "the class has it"
APART = "assign it in a statement of its own"


def reasons(init: str) -> list[str]:
    text = PROGRAM.format(init="".join(f"        {line}\n" for line in init.splitlines()))
    found = reported({"run.py": text}, RULE)
    assert all(finding.fix is None for finding in found)
    return [finding.reason or "" for finding in found]


@each_row(
    ("init", "words"),
    [
        ("self.lib = BACKENDS[name]", [MODULES]),
        ("self.lib = BACKENDS.get(name)", [MODULES]),
        ("self.lib = BACKENDS.get(name, json)", [MODULES]),
        ("self.lib = BACKENDS['json']", [MODULES]),
        ("self.lib = {'a': json, 'b': pickle}[name]", [MODULES]),
        ("self.lib = self.libs[0]", [MODULES]),
        ("self.lib = Job.libs[-1]", [MODULES]),
        ("self.lib = MIXED['json']", [MODULES]),
        ("self.lib = MIXED['name']", []),
        ("self.lib = MIXED[name]", []),
        ("self.lib = NUMBERS[name]", []),
        ("locks = []\nlocks.append(Lock())\nself.locks = locks", [AT_ONCE]),
        ("locks = {}\nlocks[name] = Lock()\nself.locks = locks", [AT_ONCE]),
        ("locks = list()\nfor _ in range(3):\n    locks.append(Lock())\nself.locks = locks", [AT_ONCE]),
        ("names = []\nnames.append(name)\nself.names = names", []),
        ("self.locks = {'a': Lock()}\nself.all = tuple(self.locks.values())", ["comes first", ONCE]),
        ("self.locks = {'a': Lock()}\nself.all = list(self.locks)", None),
        ("locks = [Lock(), Lock()]\nself.first = locks[0]", [ONCE]),
        ("locks = []\nlocks.append(Lock())\nself.first = locks[0]", [ONCE]),
        ("self.locks = [Lock()]\nself.others = self.locks", [ELSEWHERE]),
        ("self.locks = [Lock()]\nself.others = self.locks + [name]", [ELSEWHERE]),
        ("self.locks = [Lock()]\nself.others = [*self.locks, name]", [ELSEWHERE]),
        ("self.locks = [Lock()]\nself.others = list(zip(name, self.locks))", [ELSEWHERE]),
        ("self.locks = [Lock()]\nself.others = [(at, lock) for at, lock in enumerate(self.locks)]", [ELSEWHERE]),
        ("self.locks = {'a': Lock()}\nself.others = [lock for lock in self.locks.values()]", [ELSEWHERE]),
        ("self.locks = {'a': Lock()}\nself.others = {k: lock for k, lock in self.locks.items()}", [ELSEWHERE]),
        ("self.locks = {'a': Lock()}\nself.others = [k for k in self.locks]", None),
        ("self.locks = {'a': Lock()}\nself.others = [k for k, _ in self.locks.items()]", None),
        ("self.locks = [Lock()]\nself.others = [each for each, lock in zip(name, self.locks)]", None),
        ("self.locks = [Lock()]\nself.others = [at for at, _ in enumerate(self.locks)]", None),
        ("self.locks = [Lock()]\nself.others = [x for _, (x, y) in enumerate(zip(name, self.locks))]", None),
        ("self.locks = [Lock()]\nself.others = [y for _, (x, y) in enumerate(zip(name, self.locks))]", [ELSEWHERE]),
        ("self.locks = [Lock()]\nself.others = [x for x, y in zip(self.locks, name)]", [ELSEWHERE]),
        ("self.locks = [Lock()]\nself.others = [pair for pair in zip(name, self.locks)]", [ELSEWHERE]),
        ("self.locks = {'a': Lock()}\nself.others = [*self.locks]", None),
        ("self.locks = [Lock()]\nself.others = [len(name) for lock in self.locks]", None),
        ("locks = [Lock(), Lock()]\nself.a, self.b = locks", [APART, APART]),
        ("self.a, self.b = [Lock() for _ in range(2)]", [APART, APART]),
        ("self.a, self.b = (Lock() for _ in range(2))", [APART, APART]),
        ("self.a, self.b = [Lock()] * 2", [APART, APART]),
        ("self.a, self.n = pair()", [APART]),
        ("a, n = pair()\nself.a, self.n = a, n", [APART]),
        ("n, a = pair()\nself.a = a", []),
        ("self.a, self.b = names()", []),
        ("self.a, *self.b = pair()", ["create it in the process"]),
        ("self.a, self.b = {'a': Lock(), 'b': Lock()}", []),
        ("self.guard = self.shared", [OF_CLASS]),
        ("self.lock = self.typed", [OF_CLASS]),
        ("self.lock = Job.typed", [OF_CLASS]),
        ("self.guard = Job.shared", [OF_CLASS]),
        ("self.pair = (self.shared, 1)", [OF_CLASS]),
        ("self.own = self.size, Job.size", []),
        ("self.shared = Lock()\nself.guard = self.shared", None),
    ],
)
def test_all_that_keeps_it_is_named(init: str, words: list[str] | None) -> None:
    if words is None:  # said by others: here nothing of these
        text = PROGRAM.format(init="".join(f"        {line}\n" for line in init.splitlines()))
        said = " ".join(finding.reason or "" for finding in reported({"run.py": text}, RULE))
        assert not any(each in said for each in (MODULES, AT_ONCE, ONCE, OF_CLASS, ELSEWHERE))
        return
    found = reasons(init)
    assert len(found) == len(words)
    assert all(each in reason for each, reason in zip(words, found, strict=True))


OTHERS = """\
def register(name, backend):
    BACKENDS[name] = backend


class Below(Job):
    shared = None


"""


@each_row(
    ("init", "more", "confidence"),
    [
        ("self.lib = BACKENDS[name]", "", Confidence.PROVEN),
        ("self.lib = BACKENDS[name]", OTHERS, Confidence.POSSIBLE),
        ("self.lib = BACKENDS[name]", "BACKENDS.update(json=1)\n\n\n", Confidence.POSSIBLE),
        ("self.guard = self.shared", "", Confidence.PROVEN),
        ("self.guard = self.shared", OTHERS, Confidence.POSSIBLE),
        ("self.lib = self.libs[0]", "Job.libs.append(3)\n\n\n", Confidence.POSSIBLE),
        ("locks = []\nlocks.append(Lock())\nself.locks = locks", "", Confidence.PROVEN),
        ("locks = []\nlocks.append(Lock())\nlocks.pop()\nself.locks = locks", "", Confidence.POSSIBLE),
        ("locks = {}\nlocks['a'] = Lock()\nlocks['b'] = 1\nself.locks = locks", "", Confidence.PROVEN),
        ("locks = {}\nlocks['a'] = Lock()\ndel locks['a']\nself.locks = locks", "", Confidence.POSSIBLE),
        ("locks = {}\nlocks['a'] = Lock()\nlocks['a'] = 1\nself.locks = locks", "", Confidence.POSSIBLE),
        ("locks = {}\nlocks['a'] = Lock()\nlocks[name] = 1\nself.locks = locks", "", Confidence.POSSIBLE),
        ("order = [json, name]\nself.lib = order[0]", "", Confidence.PROVEN),
        ("order = [json, name]\norder.reverse()\nself.lib = order[0]", "", Confidence.POSSIBLE),
        ("order = [json, name]\nself.lib = sorted(order)[0]", "", None),
        ("order = {self.size: json, name: 1}\nself.lib = order[3]", "", None),
    ],
)
def test_what_may_have_changed_is_only_possible(init: str, more: str, confidence: Confidence | None) -> None:
    body = "".join(f"        {line}\n" for line in init.splitlines())
    text = PROGRAM.format(init=body).replace("if __name__", f"{more}if __name__")
    found = reported({"run.py": text}, RULE, confidence=Confidence.POSSIBLE)
    assert [finding.confidence for finding in found] == ([] if confidence is None else [confidence])
