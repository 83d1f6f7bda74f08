"""Scripts that find their rank without --local_rank: torchrun lines are right, of others only the launcher changes."""

from __future__ import annotations

from codemods.engine.migrate import plan
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

HEAD = """\
import argparse
import os
import torch
import torch.distributed as dist
rank = int(os.environ.get("RANK", 0))
cards = torch.cuda.device_count()
parser = argparse.ArgumentParser()
parser.add_argument("--local-rank", "--local_rank", type=int, default={})
args = parser.parse_args()
args.rank = int(os.environ["RANK"])
dist.init_process_group("nccl")
"""
USE = "torch.cuda.set_device(device)\n"


def changed(script: str, line: str) -> set[str]:
    """Which of the two files change, and which only are reported."""
    files = {"run.sh": f"{line} a.py\n".encode(), "a.py": script.encode()}
    done = plan(MemoryFiles(files), Settings(select=("dist-launcher",)))
    assert not done.skipped
    assert not done.remaining
    return set(done.contents)


@each_row(
    ("default", "body", "heard"),
    [
        ("None", "device = rank % cards\nif args.local_rank is not None:\n    device = args.local_rank\n", True),
        ("None", "device = 0\nif args.local_rank is not None:\n    device = args.local_rank\n", False),
        ("None", "if args.local_rank is not None:\n    device = args.local_rank\n", False),
        ("None", "device = args.rank\nif not args.local_rank is None:\n    device = args.local_rank\n", True),
        (
            "None",
            "device = args.rank\nif args.local_rank is not None:\n    assert device == args.local_rank\n"
            "else:\n    args.local_rank = device\n",
            True,
        ),
        ("None", "device = args.rank\nif args.local_rank is not None:\n    print(args.local_rank)\n", False),
        ("-1", "device = rank\nif args.local_rank >= 0:\n    device = args.local_rank\n", True),
        ("-1", "device = rank\nif args.local_rank > -1 and cards:\n    device = args.local_rank\n", True),
        ("-1", "device = rank\nif args.local_rank > -2:\n    device = args.local_rank\n", False),
        ("0", "device = rank\nif args.local_rank > 0:\n    device = args.local_rank\n", False),
        ("-1", "if args.local_rank == -1:\n    args.local_rank = rank % cards\ndevice = args.local_rank\n", True),
        ("-1", "if args.local_rank < 0:\n    device = dist.get_rank()\nelse:\n    device = args.local_rank\n", True),
        ("-1", "if args.local_rank < 0:\n    device = 0\nelse:\n    device = args.local_rank\n", False),
        ("-1", "if args.local_rank in (-1, 0):\n    device = rank\nelse:\n    device = args.local_rank\n", True),
        ("-1", "if args.local_rank not in [-1]:\n    device = args.local_rank\nelse:\n    device = rank\n", True),
        ("-1", "if args.local_rank != cards:\n    device = args.local_rank\nelse:\n    device = rank\n", False),
        ("0", "args.local_rank = dist.get_rank()\ndevice = args.local_rank\n", True),
        ("0", "args.local_rank = args.rank\ndevice = args.local_rank\n", True),
        ("0", "device = int(os.environ.get('LOCAL_RANK', args.local_rank))\n", True),
        ("0", "device = int(os.getenv('LOCAL_RANK', args.local_rank))\n", True),
        ("0", "device = int(os.getenv('CARD', args.local_rank))\n", False),
        ("None", "device = args.local_rank or rank\n", True),
        ("0", "device = args.local_rank or rank\n", True),
        ("-1", "device = args.local_rank or rank\n", False),
        ("None", "device = rank if args.local_rank is None else args.local_rank\n", True),
        ("None", "device = args.local_rank if args.local_rank is not None else rank\n", True),
        ("None", "device = 0 if args.local_rank is None else args.local_rank\n", False),
        (
            "-1",
            "device = args.local_rank\nif 'LOCAL_RANK' in os.environ:\n    device = int(os.environ['LOCAL_RANK'])\n",
            True,
        ),
        ("-1", "device = args.local_rank\nprint(device)\ndevice = int(os.environ['LOCAL_RANK'])\n", False),
        (
            "None",
            "def card():\n    if args.local_rank is not None:\n        return args.local_rank\n    return rank\n"
            "device = card()\n",
            True,
        ),
        (
            "None",
            "def card():\n    if args.local_rank is not None:\n        return args.local_rank\n    return 0\n"
            "device = card()\n",
            False,
        ),
        # tests that tell ranks apart: who is first is another question than whether a rank was passed
        ("-1", "if args.local_rank in (-1, 0):\n    print(rank)\ndevice = rank\n", False),
        ("-1", "if args.local_rank in (-1, 0):\n    name = f'{rank}.pt'\n    print(name)\ndevice = rank\n", False),
        (
            "-1",
            "def run():\n    if args.local_rank > 0:\n        return\n    first = rank\n    print(first)\nrun()\n",
            False,
        ),
        (
            "-1",
            "if args.local_rank == 0:\n    print('saves')\nelse:\n    shown = dist.get_rank()\ndevice = rank\n",
            False,
        ),
        ("None", "if not args.local_rank:\n    kept = rank\n    print(kept)\ndevice = rank\n", False),
        ("-1", "name = 'a' if args.local_rank == 0 else str(rank)\ndevice = rank\n", False),
        ("-1", "device = rank\nif args.local_rank != 1:\n    device = args.local_rank\n", False),
        (
            "-1",
            "if args.local_rank > -1 and (cards or args.local_rank == 0):\n    print(1)\nelse:\n    device = rank\n",
            False,
        ),
        (
            "-1",
            "if args.local_rank >= 0 and cards == args.local_rank:\n    print(1)\nelse:\n    device = rank\n",
            False,
        ),
        # whichever branch, the rank is there
        ("None", "if not args.local_rank:\n    args.local_rank = rank\ndevice = args.local_rank\n", True),
        ("-1", "device = rank if args.local_rank in (-1, 0) else args.local_rank\n", True),
        ("-1", "device = rank\nif args.local_rank > 0:\n    device = args.local_rank\n", True),
        # the rank is only shown, or something else takes its place
        (
            "-1",
            "if args.local_rank < 0:\n    print(dist.get_rank())\n"
            "else:\n    torch.cuda.set_device(args.local_rank)\ndevice = 0\n",
            False,
        ),
        (
            "-1",
            "if args.local_rank < 0:\n    torch.cuda.set_device(rank)\n"
            "else:\n    torch.cuda.set_device(args.local_rank)\ndevice = 0\n",
            True,
        ),
        ("-1", "device = rank\nif args.local_rank >= 0:\n    device = 0\n", False),
        ("-1", "device = rank\nif args.local_rank >= 0:\n    device = args.local_rank\nelse:\n    device = 0\n", False),
        ("rank % cards", "device = args.local_rank\n", True),
        ("int(os.environ['RANK'])", "device = args.local_rank\n", True),
    ],
)
def test_a_rank_of_its_own(default: str, body: str, heard: bool) -> None:
    """`heard`: without the argument the script still knows its rank."""
    script = HEAD.format(default) + body + USE
    assert changed(script, "torchrun --nproc_per_node=2") == (set() if heard else {"a.py"})
    launch = "python -m torch.distributed.launch --nproc_per_node=2"
    assert changed(script, launch) == ({"run.sh"} if heard else {"run.sh", "a.py"})


@each_row(
    ("default", "body", "taught"),
    [
        ("-1", "device = rank\nif args.local_rank >= 0:\n    device = args.local_rank\n", True),
        ("rank", "device = args.local_rank\n", True),
        ("-1", "args.local_rank = dist.get_rank()\ndevice = args.local_rank\n", True),
        ("0", "device = int(os.environ.get('LOCAL_RANK', args.local_rank))\n", False),
    ],
)
def test_the_rank_among_all_is_another_on_the_second_node(default: str, body: str, taught: bool) -> None:
    """The launcher passes the rank on the node, and so must what takes its place."""
    line = "python -m torch.distributed.launch --nproc_per_node=2 --nnodes=2 --node_rank=$1"
    assert ("a.py" in changed(HEAD.format(default) + body + USE, line)) == taught
