"""A value that gets to several boundaries crosses if it crosses at one of them, whatever their order."""

from __future__ import annotations

from itertools import permutations

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import reported

PLAIN = "DataLoader(val, collate_fn=fn)"
FORKED = 'DataLoader(data, num_workers=2, multiprocessing_context="fork", collate_fn=fn)'
OFF = "DataLoader(data, num_workers=0, collate_fn=fn)"
SENT = "DataLoader(data, num_workers=2, collate_fn=fn)"


@each_row(
    "loaders",
    [order for count in (1, 2) for order in permutations((PLAIN, FORKED, OFF, SENT), count)],
)
def test_it_crosses_where_one_does(loaders: tuple[str, ...]) -> None:
    lines = ["from torch.utils.data import DataLoader", "def main(data, val):", "    fn = lambda batch: batch"]
    text = "\n".join([*lines, *(f"    loader_{at} = {loader}" for at, loader in enumerate(loaders)), ""])
    found = [each for each in reported({"a.py": text}, "lambdas") if each.confidence is Confidence.PROVEN]
    assert [each.span.line for each in found] == ([3] if SENT in loaders else [])
