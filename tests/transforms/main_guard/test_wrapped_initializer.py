"""A pool that has an `initializer` is given one that sets what workers lack, and calls the other with its arguments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

TEXT = """\
import multiprocessing as mp


def load(path):
    return [1, 2, 3]


def init(*levels):
    {init}


def work(row):
    return row + len({name})


if __name__ == "__main__":
    mp.set_start_method("spawn")
    {name} = [1, 2, 3]
    with mp.Pool({pool}) as pool:
        print(pool.map(work, [1, 2]))
"""


@pytest.mark.parametrize(
    "name, pool, becomes, shown",
    [
        ("table", "1, initializer=init, initargs=(3,)", "1, initializer=_init_worker, initargs=(table, 3)", "(3,)"),
        (
            "args",
            "1, initializer=init, initargs=[3, 4]",
            "1, initializer=_init_worker, initargs=[args, 3, 4]",
            "(3, 4)",
        ),
        (
            "table",
            "1, initializer=init, initargs=(\n        3,\n    )",
            "1, initializer=_init_worker, initargs=(\n        table,\n        3,\n    )",
            "(3,)",
        ),
        ("value", "1, init, initargs=()", "", ""),
        ("initargs", "1, initializer=init", "1, initializer=_init_worker, initargs=(initargs,)", "()"),
        ("value", "1, initargs=(), initializer=init", "1, initargs=(value,), initializer=_init_worker", "()"),
        (
            "table",
            "initializer=init, initargs=((3, 4),)",
            "initializer=_init_worker, initargs=(table, (3, 4))",
            "((3, 4),)",
        ),
    ],
)
def test_it_is_wrapped(tmp_path: Path, name: str, pool: str, becomes: str, shown: str) -> None:
    text = TEXT.format(init='print("levels", levels, flush=True)', name=name, pool=pool)
    if not becomes:
        assert "has an `initializer`" in reasons({"a.py": text}, "main-guard")[0]
        return
    after = migrated({"a.py": text}, "main-guard")["a.py"]
    assert f"mp.Pool({becomes}) as pool:" in after
    (tmp_path / "a.py").write_text(after)
    run = subprocess.run([sys.executable, "a.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert f"levels {shown}" in run.stdout and "[4, 5]" in run.stdout


@pytest.mark.parametrize("own, wrapped", [("other", True), ("table", False)])
def test_it_has_a_global_of_its_own(own: str, wrapped: bool) -> None:
    text = TEXT.format(init=f"global {own}; {own} = levels", name="table", pool="1, initializer=init")
    after = migrated({"a.py": text}, "main-guard").get("a.py", text)
    assert ("initializer=_init_worker, initargs=(table,)" in after) is wrapped


@each_row(
    "init, pool",
    [
        ("pass", "1, initializer=init, initargs=load('a')"),
        ("pass", "1, initializer=load('a').append, initargs=(3,)"),
        ("pass", "1, initargs=(3,)"),
        ("pass", "1, **options"),
    ],
)
def test_refused(init: str, pool: str) -> None:
    (reason,) = reasons({"a.py": TEXT.format(init=init, name="table", pool=pool)}, "main-guard")
    assert "`initializer`" in reason and "not done here" in reason
