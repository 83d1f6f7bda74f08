"""dict-views: what a connection sends is pickled at once, so that later changes of the dict don't show."""

from __future__ import annotations

import pytest

from harness.small import migrated

TEXT = """\
from multiprocessing import Pipe, Process
def report(connection, table):
    {}
    table["late"] = 3
    connection.send(len(table))
if __name__ == "__main__":
    ours, theirs = Pipe()
    Process(target=report, args=(theirs, {{"b": 1}})).start()
    print(ours.recv())
"""


@pytest.mark.parametrize(
    "line", ["connection.send({})", "connection.send(('x', {}))", "connection.send([{{'k': {}}}])"]
)
def test_a_view_that_is_sent_on_the_spot(line: str) -> None:
    (after,) = migrated({"a.py": TEXT.format(line.format("table.items()"))}, "dict-views").values()
    assert line.format("list(table.items())") in after


@pytest.mark.parametrize(
    "line",
    [
        "names = table.keys(); connection.send(names); connection.names = names",
        "connection.send((table.keys(), table.pop('b')))",
    ],
)
def test_a_view_that_is_kept_or_that_the_same_call_changes(line: str) -> None:
    assert migrated({"a.py": TEXT.format(line)}, "dict-views") == {}
