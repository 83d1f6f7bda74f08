"""Launch lines below a `cd` to a folder of somebody's machine, or to one in a variable."""

from __future__ import annotations

from codemods.engine.migrate import check
from codemods.finding import Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

TRAIN = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--lr_drop", type=int, default=8)
args = parser.parse_args()
torch.cuda.set_device(args.local_rank)
torch.distributed.init_process_group("nccl")
"""


def found(steps: str, command: str, *scripts: str) -> Finding:
    shell = f"{steps}\npython -m torch.distributed.launch --nproc_per_node 4 {command}\n"
    files = {"scripts/run.sh": shell.encode(), **dict.fromkeys(scripts, TRAIN.encode())}
    findings = check(MemoryFiles(files), Settings()).findings
    return next(each for each in findings if each.path == "scripts/run.sh")


@each_row(
    ("steps", "command", "scripts", "fixed"),
    [
        ("cd /home/me/work", "train.py --batch-size 4", ["train.py"], True),
        ("cd /home/me/work", "train.py --batch-size=4 --lr_drop 1", ["train.py"], True),
        ("cd $WORK", "train.py --batch-size 4", ["train.py"], True),
        ("cd $WORK\ncd src", "train.py --batch-size 4", ["src/train.py"], True),
        ("cd $WORK\ncd src", "train.py --batch-size 4", ["train.py"], False),
        ("cd /home/me/work", "train.py --batch-size 4", ["src/train.py"], True),
        ("cd /home/me/work", "src/train.py", ["src/train.py"], True),
        ("cd /home/me/work", "train.py", ["train.py"], False),  # any folder may have one of that name
        ("cd /home/me/work", "train.py --batch-size 4 --other 1", ["train.py"], False),
        ("cd /home/me/work", "train.py --batch-size 4", ["a/train.py", "b/train.py"], False),
        ("cd /home/me/work", "/home/me/train.py --batch-size 4", ["train.py"], False),
        ("cd ..", "train.py", ["train.py"], True),
    ],
)
def test_which_script_is_meant(steps: str, command: str, scripts: list[str], fixed: bool) -> None:
    assert (found(steps, command, *scripts).fix is not None) is fixed


@each_row(
    ("steps", "command", "said"),
    [
        (
            "cd /home/me/work",
            "train.py",
            "a line above goes to `/home/me/work`, so which script `train.py` is",
        ),
        ("cd $WORK", "train.py", "a line above goes to a folder that is known when it runs, so which script"),
        ("cd tools", "train.py", "the script `train.py` is not found in this repository"),
        ("cd /home/me/work", "/data/train.py", "the script `/data/train.py` is not found in this repository"),
    ],
)
def test_what_is_said(steps: str, command: str, said: str) -> None:
    assert said in (found(steps, command, "train.py").reason or "")
