"""A fixed address at which a plain start joins as the only rank stays: env:// would stop that start."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

SCRIPT = """\
import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", default={rank}, type=int)
parser.add_argument("--world_size", default={size}, type=int)
parser.add_argument("--dist_url", default="tcp://127.0.0.1:10356")

if __name__ == "__main__":
    args = parser.parse_args()
    torch.cuda.set_device(args.local_rank)
    if torch.cuda.device_count() > 1:
        dist.init_process_group(
            "nccl", init_method=args.dist_url, world_size={given}, rank=args.local_rank
        )
"""


@each_row(
    ("rank", "size", "given", "stays"),
    [
        (0, 1, "args.world_size", True),
        (0, 4, "1", True),
        (0, 4, "args.world_size", False),
        (-1, 1, "args.world_size", False),
        (0, 1, "4", False),
    ],
)
def test_the_only_rank_of_a_plain_start(rank: int, size: int, given: str, stays: bool) -> None:
    files = {"train.py": SCRIPT.format(rank=rank, size=size, given=given)}
    found = [finding for finding in reported(files, "dist-launcher") if "the ranks meet at" in finding.message]
    assert len(found) == 1
    assert (found[0].reason or "").startswith("started by plain python it joins there as the only rank") is stays


def test_a_launch_line_decides() -> None:
    files = {
        "train.py": SCRIPT.format(rank=0, size=1, given="args.world_size"),
        "train.sh": "python -m torch.distributed.launch --nproc_per_node=4 train.py\n",
    }
    assert all(finding.fix is not None for finding in reported(files, "dist-launcher"))
