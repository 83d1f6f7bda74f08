"""A context that a loader has only with workers: what else the expression gives is for a loader without any."""

from __future__ import annotations

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.marks import crossing

LOADER = """
from torch.utils.data import DataLoader

def main(n, m, data, flag):
    return DataLoader(data, num_workers={number}, collate_fn=lambda rows: rows, multiprocessing_context={context})
"""
WITH = ["n > 0", "n != 0", "n >= 1", "n", "not n == 0", "not not n", "not n <= 0", "not n < 1"]
WITHOUT = ["n == 0", "n <= 0", "n < 1", "not n", "not n > 0", "not n >= 1", "not n != 0"]
OTHER = [
    "m > 0",
    "n > 1",
    "0 < n < 4",
    "n > 0 > m",
    "n == 0 == m",
    "flag",
    "n >= 0",
    "n == 1",
    "n and flag",
    "-n",
    "n is None",
]


@each_row(
    ("test", "number", "fork", "spawn"),
    [
        *((test, "n", True, False) for test in WITH),
        *((test, "n", False, True) for test in WITHOUT),
        *((test, "n", False, False) for test in OTHER),
        ("m > 0", "m", True, False),
        ("n.a > 0", "n.a", True, False),
        ("n.b > 0", "n.a", False, False),
    ],
)
def test_which_side_a_loader_with_workers_gets(test: str, number: str, fork: bool, spawn: bool) -> None:
    def crosses(context: str) -> bool:
        found = crossing({"a.py": LOADER.format(number=number, context=context)})
        return any(confidence != Confidence.POSSIBLE.value for *_, confidence in found)

    assert crosses(f"'fork' if {test} else None") is not fork
    assert crosses(f"None if {test} else 'fork'") is not spawn
    assert crosses(f"'spawn' if {test} else None")
