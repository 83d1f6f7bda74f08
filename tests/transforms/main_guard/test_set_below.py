"""A line below the main guard is run by a spawned worker before it begins, and by the main process after it started."""

from __future__ import annotations

import pytest

from harness.small import reported

SCRIPT = """\
import multiprocessing

LIMIT = 5
TABLE = {{}}


def check(x):
    return x < LIMIT, TABLE.get(x)


def run():
    with multiprocessing.Pool(1) as pool:
        print(pool.map(check, [1]))


{above}
if __name__ == "__main__":
    {guarded}
{below}
"""


@pytest.mark.parametrize(
    "below", ["LIMIT = 9", "LIMIT += 1", "for n in range(3):\n    TABLE[n] = n", "TABLE.update(a=1)"]
)
def test_what_is_set_below_is_reported(below: str) -> None:
    (finding,) = reported({"main.py": SCRIPT.format(above="", guarded="run()", below=below)}, "main-guard")
    assert finding.fix is None and "under the main guard" in (finding.reason or "")
    assert "a forked one has not" in finding.message


@pytest.mark.parametrize(
    ("above", "guarded", "below"),
    [
        ("LIMIT = 9", "run()", ""),
        ("", "run()", "OTHER = 9"),
        ("", "run()", "print(LIMIT)"),
        ("", "run()", "print(TABLE.get(3))"),
        ("", "run()", "def other():\n    LIMIT = 9"),
        ("", "print(LIMIT)", "LIMIT = 9"),
        ("", "run()", "if __name__ == '__main__':\n    print(LIMIT)"),
    ],
)
def test_what_is_not_set_below_is_not(above: str, guarded: str, below: str) -> None:
    script = SCRIPT.format(above=above, guarded=guarded, below=below)
    assert not reported({"main.py": script}, "main-guard")
