"""Globals that a worker lacks are all set or handed over, or none: it would stop at the next one."""

from __future__ import annotations

from codemods.engine.migrate import check
from codemods.finding import Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

PROGRAM = """\
from multiprocessing import Process


def work(name):
    print(name, SCALE, {read})


def other(name):
    print(name, {other})


if __name__ == "__main__":
    SCALE = 3
    rows = list(open("rows.txt"))
    for name in rows:
        Process(target=work, args=(name,)).start()
    Process(target=other, args=("a",)).start()
"""


def found(read: str, other: str) -> dict[str, Finding]:
    text = PROGRAM.format(read=read, other=other)
    findings = check(MemoryFiles({"run.py": text.encode()}), Settings()).findings
    return {name: each for each in findings for name in ("SCALE", "rows") if f"reads `{name}`" in each.message}


@each_row(
    ("read", "other", "fixed"),
    [
        ("1", "1", {"SCALE": True}),
        ("rows", "1", {"SCALE": False, "rows": False}),
        ("1", "rows", {"SCALE": True, "rows": False}),
    ],
)
def test_what_is_fixed(read: str, other: str, fixed: dict[str, bool]) -> None:
    answers = found(read, other)
    assert {name: each.fix is not None for name, each in answers.items()} == fixed
    if not fixed["SCALE"]:
        assert (
            answers["SCALE"].reason
            == "the worker would stop at `rows` all the same, which is not fixed: begin with that"
        )
