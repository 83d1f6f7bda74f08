"""main-guard: an object that a worker is sent, and that it changes by the name of the module as well."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from multiprocessing import Process

{made}


def note(key):
    STATE[key] = 1


def work(state):
    {first}
    note("a")
    print(sorted(state))


if __name__ == "__main__":
    worker = Process(target=work, args=({given},))
    worker.start()
    worker.join()
"""


@each_row(
    ("made", "first", "given", "found"),
    [
        pytest.param("STATE = {}", "pass", "STATE", True, id="two objects"),
        pytest.param("STATE = {}", "pass", "{}", False, id="another one is sent"),
        pytest.param("STATE = {}", "global STATE\n    STATE = state", "STATE", False, id="the worker sets the name"),
        pytest.param("STATE = {}", "STATE.update(state)", "STATE", True, id="both are used"),
        pytest.param("STATE = {}", "global STATE\n    print(STATE)", "STATE", True, id="the worker reads the name"),
    ],
)
def test_one_object_by_two_names(made: str, first: str, given: str, found: bool) -> None:
    report = reported({"run.py": PROGRAM.format(made=made, first=first, given=given)}, "main-guard")
    assert ["passes along too: a spawned worker gets a copy of it" in each.message for each in report] == [True] * found


def test_the_first_place_where_the_worker_changes_it() -> None:
    text = PROGRAM.format(made="STATE = {}", first="STATE['b'] = 1\n    STATE['c'] = 2", given="STATE")
    (found,) = reported({"run.py": text}, "main-guard")
    assert found.span.line == text[: text.index("STATE['b']")].count("\n") + 1


TWO_FILES = """\
import store
from multiprocessing import Process

STATE = {}


def work(state):
    global STATE
    STATE = state
    store.STATE["a"] = 1
    print(sorted(state))


if __name__ == "__main__":
    worker = Process(target=work, args=(store.STATE,))
    worker.start()
    worker.join()
"""


def test_a_global_of_the_same_name_in_another_file() -> None:
    (found,) = reported({"run.py": TWO_FILES, "store.py": "STATE = {}\n"}, "main-guard")
    assert "passes along too" in found.message


FILLED = """\
from multiprocessing import Pool

STATE = {"rate": 1}


def begin(state):
    STATE.update(state)


def work(x):
    return x * STATE["rate"]


if __name__ == "__main__":
    with Pool(1, initializer=begin, initargs=(STATE,)) as pool:
        print(pool.map(work, [1]))
"""


def test_an_initializer_that_fills_the_table_of_the_worker() -> None:
    assert not reported({"run.py": FILLED}, "main-guard")
