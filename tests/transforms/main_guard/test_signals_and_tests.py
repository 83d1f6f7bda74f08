"""main-guard: handlers that `terminate()` reaches in forked workers only, and tests that a script itself runs."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

STOPS = """\
import signal
import time
from multiprocessing import Process


def stop(number, frame):
    print("stopped")


def work():
    time.sleep(9)


def main():
    {first}
    process = Process(target=work)
    process.start()
    {then}


if __name__ == "__main__":
    main()
"""
HANDLED = "signal.signal(signal.SIGTERM, stop)"


@each_row(
    ("first", "then", "found"),
    [
        (HANDLED, "process.terminate()", True),
        (HANDLED, "process.join()", False),
        ("pass", f"{HANDLED}; process.terminate()", False),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", "process.terminate()", False),
        ("signal.signal(signal.SIGINT, stop)", "process.terminate()", False),
    ],
)
def test_a_handler_for_processes_that_are_terminated(first: str, then: str, found: bool) -> None:
    report = reported({"run.py": STOPS.format(first=first, then=then)}, "main-guard")
    assert ["a forked one has the handler" in each.message for each in report] == [True] * found


TESTS = """\
import unittest
from multiprocessing import Process


class Case(unittest.TestCase):
    def {name}(self):
        process = Process(target=print)
        process.start()
        process.join()


{runs}
"""


@each_row("name", ["test_one", "testOne", "setUp", "setUpClass"])
def test_a_script_that_runs_its_tests(name: str) -> None:
    text = TESTS.format(name=name, runs="unittest.main(exit=False)")
    assert "\nif __name__ == " in migrated({"run.py": text}, "main-guard")["run.py"]


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("helper", "unittest.main()"),
        ("test_one", "unittest.main"),
        ("test_one", "if __name__ == '__main__':\n    unittest.main()"),
    ],
)
def test_a_script_that_runs_none_that_start_processes(name: str, runs: str) -> None:
    assert not reported({"run.py": TESTS.format(name=name, runs=runs)}, "main-guard")
