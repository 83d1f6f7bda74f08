"""What a spawned worker would see in another way: classes whose creation a base notices, and the name of the module."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

RULE = "main-guard"
PROGRAM = """\
from abc import ABC, ABCMeta
from multiprocessing import Pool


class Base{head}
    kinds = []
    {body}


print("before", Base.kinds)


class Task(Base):
    def __call__(self, row):
        return row


print("after", Base.kinds)
pool = Pool(1)
print(pool.map(Task(), [1]))
"""
NOTICES = {
    "(metaclass=Meta):": "x = 1",
    ":": "def __init_subclass__(cls):\n        Base.kinds.append(cls)",
}


@pytest.mark.parametrize("head", NOTICES)
def test_a_class_that_is_noticed_stays_between_the_lines(head: str) -> None:
    text = migrated({"run.py": PROGRAM.format(head=head, body=NOTICES[head])}, RULE)["run.py"]
    assert text.index('print("before"') < text.index("class Task") < text.index('print("after"')


@pytest.mark.parametrize("head", [":", "(metaclass=ABCMeta):", "(ABC):"])
def test_another_class_is_moved(head: str) -> None:
    text = migrated({"run.py": PROGRAM.format(head=head, body="x = 1")}, RULE)["run.py"]
    assert text.index("class Task") < text.index('print("before"')


NAMED = """\
from multiprocessing import Process

FIRST = {value}


def show():
    print(FIRST)


p = Process(target=show)
p.start()
"""


def test_a_worker_reads_what_the_name_of_the_module_decides() -> None:
    (reason,) = reasons({"run.py": NAMED.format(value='__name__ == "__main__"')}, RULE)
    assert reason.startswith(
        "line 3 asks for `__name__`, and a spawned worker would run it again and get another value"
    )


@pytest.mark.parametrize("value", ["getLogger(__name__)", "__name__"])
def test_the_name_alone_is_no_question(value: str) -> None:
    assert migrated({"run.py": NAMED.format(value=value)}, RULE)
