"""Which script starts the workers, of those that import the class whose method does."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

STATE = "LIMIT = 1\n\n\ndef choose(limit):\n    global LIMIT\n    LIMIT = limit\n"
ENGINE = """\
import multiprocessing as mp

import state


def work(row):
    return row * state.LIMIT


{mark}class Engine:
    def fit(self, rows):
        with mp.Pool(2) as pool:
            return pool.map(work, rows)


def show(row):
    print(row)


{more}
"""
SCRIPT = """\
import state
import engine


def main():
    {body}


if __name__ == "__main__":
    main()
"""
CHOOSE, SHOW, FIT = "state.choose(3)\n    ", "engine.show(3)", "engine.Engine().fit([1])"
REGISTER = "def register(made):\n    MADE.append(made)\n    return made\n\n\nMADE = []\n\n\n@register\n"


def told(first: str, second: str, mark: str = "", more: str = "", test: str = "") -> list[str]:
    """Which script is said to change what workers read."""
    scripts = {"a_first.py": SCRIPT.format(body=first), "b_second.py": SCRIPT.format(body=second)}
    scripts |= {"tests/test_engine.py": test} if test else {}
    files = {"state.py": STATE, "engine.py": ENGINE.format(mark=mark, more=more), **scripts}
    return [each.trace[0].what.rpartition("(")[2].split()[0] for each in reported(files, "main-guard")]


@each_row(
    "first, second, mark, more, script",
    [
        (CHOOSE + SHOW, CHOOSE + FIT, "", "", ["b_second.py"]),
        (CHOOSE + FIT, CHOOSE + SHOW, "", "", ["a_first.py"]),
        (CHOOSE + SHOW, FIT, "", "", []),
        (CHOOSE + "engine.run([1])", FIT, "", "def run(rows):\n    return Engine().fit(rows)", ["a_first.py"]),
        (CHOOSE + "engine.Fast().fit([1])", FIT, "", "class Fast(Engine):\n    pass", ["a_first.py"]),
        (CHOOSE + SHOW, FIT, REGISTER, "", ["a_first.py"]),  # a registry may give it
        (CHOOSE + SHOW, FIT, "", '__all__ = ["Engine", "show"]', []),  # to export a class does not make one
        (CHOOSE + SHOW, FIT, "", '__all__: list[str] = ["Engine"]', []),
        (CHOOSE + SHOW, FIT, "", 'KINDS = {"engine": "engine.Engine"}', ["a_first.py"]),
        (CHOOSE + "engine.show(engine.__dict__)", SHOW, "", "", ["a_first.py"]),  # nothing names it
    ],
)
def test_who_starts_them(first: str, second: str, mark: str, more: str, script: list[str]) -> None:
    assert told(first, second, mark, more) == script


TEST = "import engine\n\n\n@slow\ndef test_fit():\n    engine.Engine().fit([1])\n"
LOADED = CHOOSE + "import importlib\n    importlib.import_module(KIND).run()"


@each_row(
    "first, more, test, script",
    [
        (CHOOSE + SHOW, '__all__ = ["Engine", "show"]', TEST, []),
        (LOADED, "", TEST, []),  # what a script looks for by its name is no test
    ],
)
def test_what_nothing_but_a_test_runs(first: str, more: str, test: str, script: list[str]) -> None:
    assert told(first, SHOW, "", more, test) == script
