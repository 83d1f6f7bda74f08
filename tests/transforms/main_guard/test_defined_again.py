"""main-guard: definitions that print as they are defined would do so in every worker: no guard is safe there."""

from __future__ import annotations

import pytest

from harness.small import migrated, reported

PROGRAM = """\
from multiprocessing import Pool


def noted(given):
    {decorator}
    return {noted}


class Meta(type):
    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        {metaclass}


class Base(metaclass=Meta):
    {body}

    def __init_subclass__(cls):
        {hook}


class Task(Base):
    def __call__(self, x):
        return x


@noted
def work(x):
    return x


with Pool(1) as pool:
    print(pool.map(Task(), [1]))
"""
PLACES = ("decorator", "metaclass", "body", "hook")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("mark", "noted"), [("@noted", "given"), ("@noted(1)", "lambda function: function")])
def test_what_prints_is_only_guarded_when_asked_for(place: str, mark: str, noted: str) -> None:
    text = PROGRAM.format(**{name: "print('made')" if name == place else "pass" for name in PLACES}, noted=noted)
    text = text.replace("@noted\n", f"{mark}\n")
    (found,) = reported({"run.py": text}, "main-guard")
    assert found.fix is not None
    assert "prints or logs as it is defined" in (found.fix.unsafe or "")


def test_what_prints_nothing_is_guarded() -> None:
    text = PROGRAM.format(**dict.fromkeys(PLACES, "pass"), noted="given")
    assert "run.py" in migrated({"run.py": text}, "main-guard")
