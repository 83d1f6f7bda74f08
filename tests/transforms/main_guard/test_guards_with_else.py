"""main-guard: what the other arm of a main guard sets is what a spawned worker has."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.small import migrated, reasons, reported

RULE = "main-guard"
PROGRAM = """\
from multiprocessing import Process

ROLE = "unset"


def tell():
    print({read})


if __name__ == "__main__":
    ROLE = "main"
{other}

if __name__ == "__main__":
    Process(target=tell).start()
"""


@pytest.mark.parametrize("other", ["else:\n    ROLE = 'library'", ""])
def test_a_worker_reads_what_its_arm_sets(other: str) -> None:
    files = {"run.py": PROGRAM.format(read="ROLE", other=other)}
    (finding,) = reported(files, RULE)
    line = 13 if other else 3
    assert finding.message.startswith("`tell` runs in a worker and reads `ROLE`, which is set under the main guard: a ")
    assert finding.message.endswith(f"a spawned worker gets what line {line} binds")


def test_nothing_is_moved_out_of_a_guard_with_two_arms() -> None:
    files = {"run.py": PROGRAM.format(read="ROLE", other="else:\n    ROLE = 'library'")}
    files["run.py"] = files["run.py"].replace("target=tell", "target=tell, kwargs={}")
    (reason,) = reasons(files, RULE)
    assert reason.startswith("pass `ROLE` as an argument")


def test_both_arms_set_the_same() -> None:
    files = {"run.py": PROGRAM.format(read="ROLE", other="else:\n    ROLE = 'main'")}
    assert not reported(files, RULE) and not migrated(files, RULE)


def test_the_arm_of_the_worker_sets_what_no_other_does() -> None:
    text = PROGRAM.format(read="NAME", other="else:\n    NAME = 'library'")
    assert not reported({"run.py": text.replace("ROLE =", "NAME = 1\nROLE =", 1)}, RULE)


ASKED = """\
import {modules}
from concurrent.futures import ProcessPoolExecutor


def double(x):
    return 2 * x


{above}
if {test}:
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(double, [1, 2])))
"""
NAME = 'mp.current_process().name == "MainProcess"'


def test_what_prints_above_a_guard_by_another_question() -> None:
    files = {"run.py": ASKED.format(modules="multiprocessing as mp", above='print("begins")', test=NAME)}
    assert reported(files, RULE) == []  # a line more for each worker is no fault
    (finding,) = reported(files, RULE, confidence=Confidence.POSSIBLE)
    assert finding.message == "Stands above the main guard, so every spawned worker runs it again: it prints"
    changed = migrated(files, RULE, confidence=Confidence.POSSIBLE)
    assert 'if __name__ == "__main__":\n    print("begins")\n' in changed["run.py"]


@pytest.mark.parametrize(
    ("above", "test"),
    [
        ("LIMIT = 3", NAME),
        ("print('begins')", f"{NAME} and __name__ == '__main__'"),
        (f"if {NAME}:\n    print('begins')", NAME),
    ],
)
def test_what_is_not_seen_again_above_such_a_guard(above: str, test: str) -> None:
    assert reported({"run.py": ASKED.format(modules="multiprocessing as mp", above=above, test=test)}, RULE) == []
