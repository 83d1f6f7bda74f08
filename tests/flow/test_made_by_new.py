"""What `__new__` stores on the object that it makes, and what a cached property leaves on one, crosses with it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import functools
from functools import cached_property
from multiprocessing import Process


class Base:
    pass


class Job(Base):
    {marks}
    def step(self):
        return lambda x: x

    def __new__(cls, k=3):
        self = {made}
        {stored}
        return self

    def run(self):
        print(3)


if __name__ == "__main__":
    job = Job(4)
    {asked}
    Process(target=job.run).start()
"""


@each_row(
    ("made", "stored", "marks", "asked", "found"),
    [
        ("super().__new__(cls)", "self.own = lambda x: x", "", "pass", True),
        ("super(Job, cls).__new__(cls)", "self.own = lambda x: x", "", "pass", True),
        ("object.__new__(cls)", "self.own = lambda x: x", "", "pass", True),
        ("object.__new__(cls)", "own = lambda x: x", "", "pass", False),
        ("object.__new__(cls)", "pass", "@cached_property", "job.step", True),
        ("object.__new__(cls)", "pass", "@functools.cached_property", "job.step", True),
        ("object.__new__(cls)", "pass", "@cached_property", "pass", False),
        ("object.__new__(cls)", "pass", "@property", "job.step", False),
    ],
)
def test_what_crosses(made: str, stored: str, marks: str, asked: str, found: bool) -> None:
    text = TEXT.format(made=made, stored=stored, marks=marks, asked=asked)
    assert bool(reported({"a.py": text}, "lambdas")) == found
