"""A local class of managers goes to the process of the server, and keeps what is registered on it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

PROGRAM = """\
from multiprocessing.managers import BaseManager


class Table:
    pass


def make():
    class Tables({base}):
        kind = "a"

    {use}
    tables = Tables()
    {start}
    return tables


if __name__ == "__main__":
    make()
    make()
"""


@each_row(
    ("base", "use", "start", "count"),
    [
        ("BaseManager", "pass", "tables.start()", 1),
        ("BaseManager", "pass", "tables.connect()", 0),
        ("Table", "pass", "tables.start()", 0),
    ],
)
def test_a_class_of_managers_that_starts_its_server(base: str, use: str, start: str, count: int) -> None:
    found = reported({"a.py": PROGRAM.format(base=base, use=use, start=start)}, "lambdas")
    assert [each.span.line for each in found] == [9] * count


@each_row(
    ("use", "reason"),
    [
        ("Tables.register('table', Table)", "`Tables.register` (line 12), a method of a base class, may change"),
        ("print(Tables.kind)", ""),
        ("known = Tables.mro()", ""),
    ],
)
def test_what_is_registered_on_the_class(use: str, reason: str) -> None:
    files = {"a.py": PROGRAM.format(base="BaseManager", use=use, start="tables.start()")}
    (finding,) = reported(files, "lambdas")
    if reason:
        assert reason in (finding.reason or "")
    else:
        assert "class Tables(BaseManager):\n    kind" in migrated(files, "lambdas")["a.py"]
