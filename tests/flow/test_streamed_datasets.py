"""A dataset of Hugging Face that is streamed keeps what `map` and `filter` get; one that is loaded runs it at once."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from datasets import load_dataset
from torch.utils.data import DataLoader


def rows(name, several):
    data = load_dataset(name, {options})
    data = data{calls}
    return DataLoader(data, num_workers=2)


for row in rows("a", True):
    print(row)
"""


@each_row("options, calls, line", [
    ("streaming=True", ".map(lambda row: row)", 7),
    ("split='train', streaming=True", ".shuffle(seed=1).filter(lambda row: row['x']).with_format('torch')", 7),
    ("streaming=True", "['train'].take(2).map(lambda row: row)", 7),
    ("streaming=True", ".shuffle(2).cast_column(lambda row: row)", 0),
    ("streaming=False", ".map(lambda row: row)", 0),
    ("split='train'", ".map(lambda row: row).filter(lambda row: row['x'])", 0),
    ("streaming=several", ".map(lambda row: row)", 0),
])  # fmt: skip
def test_functions_that_a_streamed_dataset_keeps(options: str, calls: str, line: int) -> None:
    found = reported({"run.py": TEXT.format(options=options, calls=calls)}, "lambdas")
    assert [finding.span.line for finding in found] == [line] * (line > 0)
