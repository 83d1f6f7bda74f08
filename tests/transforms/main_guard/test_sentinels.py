"""main-guard: objects asked for by `is`, of which a worker gets a copy; settings whose names are known at run time."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from multiprocessing import Process

from marks import {imported}


class Option:
    def __init__(self, value=MISSING):
        self.value = value
        self.other = 3

    def run(self, given=None):
        print({asked})


if __name__ == "__main__":
    Process(target=Option().run, args=({given},)).start()
"""


@each_row(
    ("made", "asked", "given", "found"),
    [
        ("object()", "self.value is MISSING", "1", True),
        ("object()", "MISSING is not self.value", "1", True),
        ("object()", "given is MISSING", "MISSING", True),
        ("object()", "given is MISSING", "1", False),
        ("object()", "self.other is MISSING", "1", False),
        ("object()", "self.value == MISSING", "1", True),
        ("None", "self.value is MISSING", "1", False),
        ("'no'", "self.value is MISSING", "1", False),
    ],
)
def test_an_object_that_is_made_once_more(made: str, asked: str, given: str, found: bool) -> None:
    text = PROGRAM.format(imported="MISSING", asked=asked, given=given)
    report = reported({"run.py": text, "marks.py": f"MISSING = {made}\n"}, "main-guard")
    assert ["a spawned worker gets a copy of it" in each.message for each in report] == [True] * found


@pytest.mark.parametrize(("parameter", "found"), [("value", True), ("value=MISSING", False)])
def test_an_argument_that_is_handed_on(parameter: str, found: bool) -> None:
    text = PROGRAM.format(imported="MISSING, asks", asked="asks(given)", given="MISSING")
    marks = f"MISSING = object()\n\n\ndef asks({parameter}):\n    return value is MISSING\n"
    report = reported({"run.py": text, "marks.py": marks}, "main-guard")
    assert ["a spawned worker gets a copy of it" in each.message for each in report] == [True] * found


def test_another_object_of_that_name_is_sent() -> None:
    run = """\
from multiprocessing import Process

MISSING = object()


def work(table):
    print(asks(table.get("a", MISSING)))


def asks(value):
    return value is MISSING


if __name__ == "__main__":
    Process(target=work, args=({},)).start()
"""
    log = """\
from multiprocessing import Process

MISSING = None


def start():
    Process(target=print, args=(MISSING,)).start()
"""
    assert reported({"run.py": run, "log.py": log}, "main-guard") == []


SENT = """\
from multiprocessing import Process

MISSING = object()


def asks(value):
    print(value is MISSING)


def main():
    {run}


if __name__ == "__main__":
    main()
"""


@each_row(
    ("run", "found"),
    [
        ("for args in ((1,), (MISSING,)):\n        Process(target=asks, args=args).start()", True),
        ("for value in (1, MISSING):\n        Process(target=asks, args=(value,)).start()", True),
        ("values = [1, MISSING]\n    for value in values:\n        Process(target=asks, args=[value]).start()", True),
        ("for value in (1, MISSING):\n        print(value)\n    Process(target=asks, args=(1,)).start()", False),
        ("values = [1, MISSING]\n    Process(target=asks, args=(len(values),)).start()", False),
        (
            "values = [1, MISSING]\n    values = 3\n    print(values)\n    Process(target=asks, args=(1,)).start()",
            False,
        ),
    ],
)
def test_what_is_sent_by_a_name(run: str, found: bool) -> None:
    report = reported({"run.py": SENT.format(run=run)}, "main-guard")
    assert ["a spawned worker gets a copy of it" in each.message for each in report] == [True] * found


SETS = """\
import sys
from multiprocessing import Process

import conf
import other


class Table:
    size = 1


def work():
    print({read})


if __name__ == "__main__":
    for name in sys.argv:
        {sets}
    Process(target=work).start()
"""


@each_row(
    ("read", "sets", "found"),
    [
        ("conf.width", "setattr(conf, name, 3)", True),
        ("conf.width", "vars(conf).update({name: 3})", True),
        ("conf.width", "conf.__dict__.update(width=3)", True),
        ("Table.size", "setattr(Table, name, 3)", True),
        ("conf.width", "setattr(other, name, 3)", False),
        ("conf.width", "vars(other).update({name: 3})", False),
        ("conf.width", "print(name)", False),
    ],
)
def test_a_name_that_is_known_at_run_time(read: str, sets: str, found: bool) -> None:
    files = {"run.py": SETS.format(read=read, sets=sets), "conf.py": "width = 1\n", "other.py": "width = 1\n"}
    assert ["changes in the main process only" in each.message for each in reported(files, "main-guard")] == [
        True
    ] * found


COUNTED = """\
import itertools
from multiprocessing import Process

numbers = itertools.count()


class Job:
    def __init__(self):
        self.number = next(numbers)

    def run(self):
        print({inside})


if __name__ == "__main__":
    Process(target=Job().run).start()
"""


@pytest.mark.parametrize(("inside", "found"), [("Job().number", True), ("self.number", False)])
def test_objects_that_a_worker_makes_go_on_counting(inside: str, found: bool) -> None:
    report = reported({"run.py": COUNTED.format(inside=inside)}, "main-guard")
    assert ["`__init__` runs in a worker" in each.message for each in report] == [True] * found


KEPT = """\
from multiprocessing import Process


class Mark:
    pass


class Equal:
    def __eq__(self, other):
        return isinstance(other, Equal)


class One:
    def __reduce__(self):
        return "END"


END = {made}


class Job:
    {field}

    def __init__(self, steps=None):
        {kept}

    def run(self):
        {run}


if __name__ == "__main__":
    Process(target=Job({given}).run).start()
"""


@each_row(
    ("made", "field", "kept", "run", "given", "found"),
    [
        ("object()", "rows = 3", "self.steps = [1, END]", "print([x for x in self.steps if x is END])", "", True),
        ("object()", "rows = 3", "self.steps = {'a': END}", "print(self.steps['a'] is END)", "", True),
        ("object()", "rows = 3", "self.steps = {'a': END}", "print(self.steps.get('a') is END)", "", True),
        ("object()", "rows = 3", "self.steps = (1, END)", "print(END in self.steps)", "", True),
        ("object()", "rows = 3", "self.steps = [1]; self.steps.append(END)", "print(END in self.steps)", "", True),
        ("object()", "rows = 3", "self.steps = [1]; self.steps[0] = END", "print(END in self.steps)", "", True),
        ("object()", "rows = 3", "self.steps = steps", "x = self.steps; print(x is END)", "END", True),
        ("object()", "rows = 3", "self.steps = steps", "print(self.steps is END)", "steps=END", True),
        ("object()", "rows = 3", "self.steps = steps", "print(self.steps is END)", "[END]", True),
        ("object()", "rows = 3", "self.steps = steps", "print(self.steps is END)", "3", False),
        ("object()", "rows = 3", "x = [END]; self.steps = x", "print(self.steps[0] is END)", "", True),
        ("object()", "steps = END", "pass", "print(self.steps is END)", "", True),
        ("object()", "steps: object = END", "pass", "print(self.steps is END)", "", True),
        ("object()", "NO = object()", "self.steps = [Job.NO]", "print(self.steps[0] is Job.NO)", "", True),
        ("object()", "NO = object()", "self.steps = [Job.NO]", "print(self.steps[0] is self.NO)", "", True),
        ("object()", "NO = object()", "self.steps = [Job.NO]", "print(self.steps[0] is END)", "", False),
        ("object()", "rows = 3", "self.steps = [1]", "print(END in self.steps)", "", False),
        ("Mark()", "rows = 3", "self.steps = [1, END]", "print([x for x in self.steps if x is END])", "", True),
        ("Mark()", "rows = 3", "self.steps = [1, END]", "print([x for x in self.steps if x == END])", "", True),
        ("Equal()", "rows = 3", "self.steps = [1, END]", "print([x for x in self.steps if x == END])", "", False),
        ("Equal()", "rows = 3", "self.steps = [1, END]", "print([x for x in self.steps if x is END])", "", True),
        ("One()", "rows = 3", "self.steps = [1, END]", "print([x for x in self.steps if x is END])", "", False),
        ("{}", "rows = 3", "self.steps = steps", "print(self.steps is END)", "END", True),
        ("[]", "rows = 3", "self.steps = steps", "print(self.steps is END)", "steps=END", True),
        ("(1,)", "rows = 3", "self.steps = [1, END]", "print(self.steps[1] is END)", "", True),
        ("()", "rows = 3", "self.steps = steps", "print(self.steps is END)", "END", False),
        ("[]", "rows = 3", "self.steps = steps", "print(self.steps == END)", "END", False),
        ("'end'", "rows = 3", "self.steps = [1, END]", "print([x for x in self.steps if x is END])", "", False),
    ],
)
def test_what_is_kept_in_lists(made: str, field: str, kept: str, run: str, given: str, found: bool) -> None:
    text = KEPT.format(made=made, field=field, kept=kept, run=run, given=given)
    report = reported({"run.py": text}, "main-guard")
    assert ["a spawned worker gets a copy of it" in each.message for each in report] == [True] * found


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("def other(given):\n        value = given", False),  # a variable of another function
        ("value = given", True),
    ],
)
def test_a_variable_of_the_very_function(other: str, found: bool) -> None:
    text = SENT.replace("asks(value):\n    print", f"asks(given):\n    value = 1\n    {other}\n    print")
    run = "Process(target=asks, args=(MISSING,)).start()"
    report = reported({"run.py": text.format(run=run)}, "main-guard")
    assert ["a spawned worker gets a copy of it" in each.message for each in report] == [True] * found
