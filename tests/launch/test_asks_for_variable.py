"""Which tests look at the environment: what a launcher sets is there, or it is not."""

from __future__ import annotations

import ast

from codemods.launch.reachability import asks_for_variable
from harness.each_row import each_row


@each_row(
    ("test", "asks"),
    [
        ("os.environ.get('RANK')", True),
        ("'RANK' in ENVIRON", True),
        ("getenv('RANK') is None", True),
        ("args.use_slurm", True),
        ("SLURM", True),
        ("args.rank == 0", False),
        ("distributed", False),
    ],
)
def test_asks_for_a_variable(test: str, asks: bool) -> None:
    assert asks_for_variable(ast.parse(test, mode="eval").body) is asks
