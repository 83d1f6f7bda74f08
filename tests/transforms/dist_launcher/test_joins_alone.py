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


RANKS = """\
import os

import torch.distributed as dist


def join(args):
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ["WORLD_SIZE"])
    else:
        args.rank = args.world_size = {size}
        {then}
    dist.init_process_group(
        "nccl", init_method="tcp://127.0.0.1:10356", rank=args.rank, world_size=args.world_size
    )
"""


@each_row(
    ("size", "then", "fixed"),
    [
        ("0", "return", True),
        ("0", "raise SystemExit", True),
        ("1", "print('alone')", False),  # it may meet there, alone or with others that it knows of
        ("int(os.environ['SLURM_PROCID'])", "pass", False),
    ],
)
def test_a_rank_of_its_own_where_nobody_joins(size: str, then: str, fixed: bool) -> None:
    files = {
        "train.py": "from ranks import join\n\nif __name__ == '__main__':\n    join(input)\n",
        "ranks.py": RANKS.format(size=size, then=then),
        "train.sh": "torchrun --nproc_per_node=4 train.py\n",
    }
    (found,) = (finding for finding in reported(files, "dist-launcher") if "the ranks meet at" in finding.message)
    assert (found.fix is not None) is fixed
