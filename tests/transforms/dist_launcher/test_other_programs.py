"""Programs that import a script with options: which of them a launcher may start in its place."""

from __future__ import annotations

import pytest

from harness.small import reported

SCRIPT = """\
import argparse
import torch

class Net:
    pass

def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    return parser.parse_args()

def main():
    args = parse()
    torch.cuda.set_device(args.local_rank)

if __name__ == "__main__":
    main()
"""
OTHER = """\
import torch.distributed as dist
{imports}

def main():
    dist.init_process_group("nccl")

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("imports", "found"),
    [
        ("from train import Net", False),
        ("import train", False),
        ("from train import main as start", True),
        ("import train\ntrain.main()", True),
        ("from train import *", True),
    ],
)
def test_only_what_takes_the_options_joins_others_with_them(imports: str, found: bool) -> None:
    files = {"train.py": SCRIPT, "eval.py": OTHER.format(imports=imports)}
    assert bool(reported(files, "dist-launcher")) is found
