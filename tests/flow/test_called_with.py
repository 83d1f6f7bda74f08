"""A function that calls what it is given, with what it is given: a value crosses where its own call says so."""

from __future__ import annotations

from test_flow import crossings

from codemods.finding import Confidence
from harness.each_row import each_row

ATTEMPT = """
import pickle
from multiprocessing import Pool, Process

def attempt(function, *args, **kwargs):
    for _ in range(3):
        try:
            return function(*args, **kwargs)
        except OSError:
            pass

def attempt_one(function, value, where=None):
    return function(value, where)

def keep(state, file):
    attempt(pickle.dump, state, file)
    attempt_one(pickle.dump, state, file)

def main(rows, file):
    keep(rows, file)
"""


@each_row(
    ("call", "crosses"),
    [
        ("attempt(sorted, rows, key=lambda row: row)", False),
        ("attempt(map, lambda row: row, rows)", False),
        ("attempt_one(filter, lambda row: row, rows)", False),
        ("attempt(pickle.dump, lambda row: row, file)", True),
        ("attempt(pickle.dump, [rows, lambda row: row], file)", True),
        ("keep(lambda row: row, file)", True),
        ("attempt_one(pickle.dump, lambda row: row, file)", True),
        ("attempt(Pool(2).map, lambda row: row, rows)", True),
        ("attempt(pickle.dump if rows else print, lambda row: row, file)", True),
    ],
)
def test_what_another_call_is_given(call: str, crosses: bool) -> None:
    found = crossings({"a.py": f"{ATTEMPT}    {call}\n"})
    assert [each.confidence is not Confidence.POSSIBLE for each in found] in ([crosses], [] if not crosses else [True])
