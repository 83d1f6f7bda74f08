"""A shell script that starts the script it is told: which one its calls in guides and other scripts name."""

from __future__ import annotations

from codemods.transforms.dist_launcher import RULE
from harness.each_row import each_row
from harness.rows import answer

SCRIPT = """\
import argparse, os, torch
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, required=True)
args = parser.parse_args()
torch.cuda.set_device(args.local_rank)
torch.distributed.init_process_group("nccl")
"""
LAUNCH = "python -m torch.distributed.launch --nproc_per_node=$2 "


def files(shell: str, guide: str, **others: str) -> dict[str, str]:
    return {"tools/go.sh": shell, "README.md": guide, "train.py": SCRIPT, "conf.yaml": "lr: 1\n", **others}


def told(shell: str, guide: str, **others: str) -> bool:
    """The launcher is swapped, and `train.py` reads the variable that torchrun sets."""
    found = answer(RULE, files(shell, guide, **others))
    return any("torchrun" in line for line in found if line.startswith("+")) and any(
        "LOCAL_RANK" in line for line in found if line.startswith("+")
    )


CALL = "```\n./tools/go.sh train.py 8 conf.yaml\n```\n"


@each_row(
    "shell",
    [
        LAUNCH + "$1 --conf conf.yaml",
        LAUNCH + '"$1" "${@:3}"',
        LAUNCH + "${1} --lr 1",
        "FILE=$1\n" + LAUNCH + "$FILE --conf $3 ${@:4}",  # no option of the launcher follows
        "FILE=$1\n" + LAUNCH + "--master_port=$PORT $FLAGS $FILE --conf $3",
        LAUNCH.replace("$2", "8") + "$@",
        LAUNCH.replace("$2", "8") + "${@}",
    ],
)
def test_the_script_that_the_calls_name(shell: str) -> None:
    assert told(shell + "\n", CALL)


@each_row(
    ("shell", "call"),
    [
        ("GPUS=$1\nshift\n" + LAUNCH.replace("$2", "$GPUS") + '"$@"', "tools/go.sh 8 train.py --lr 1"),
        ("FILE=$3\nshift 2\n" + LAUNCH + '"$1"', "tools/go.sh 8 2 train.py"),
        (LAUNCH + '"${@:3}"', "bash go.sh 8 2 train.py"),
        ("FILE=$2\nshift\n" + LAUNCH.replace("$2", "8") + "$FILE --lr 1", "go.sh a train.py b"),
        (LAUNCH + "$1 --lr 1", "cd tools && bash go.sh ../train.py 8"),
        (LAUNCH + "$2 --lr 1", "go.sh \\\n    8 \\\n    train.py"),
        (LAUNCH + "$1 --lr 1", "go.sh 'train.py' 8 | tee log.txt"),
        (LAUNCH + "$1 --lr 1", "go.sh train.py; echo done"),
    ],
)
def test_which_of_the_words_it_is(shell: str, call: str) -> None:
    assert told(shell + "\n", f"```\n{call}\n```\n")
    assert told(shell + "\n", "", **{"scripts/all.sh": call + "\n"})
    assert told(shell + "\n", f"Run `{call}` then.\n") or "\n" in call


@each_row(
    ("shell", "call"),
    [
        (LAUNCH + "$1 --lr 1", "tools/stop.sh train.py 8"),  # another script
        (LAUNCH + "$1 --lr 1", "tools/ago.sh train.py 8"),
        (LAUNCH + "$1 --lr 1", "tools/go.sh"),
        (LAUNCH + "$1 --lr 1", "tools/go.sh 8 train.py"),  # another argument
        (LAUNCH + "$1 --lr 1", "tools/go.sh | tee train.py"),
        (LAUNCH + "$1 --lr 1", "tools/go.sh <script> 8"),
        (LAUNCH + "$1 --lr 1", "tools/go.sh other.py 8"),  # no file of the repository
        ("while getopts a: name; do shift; done\n" + LAUNCH + "$1 --lr 1", "tools/go.sh train.py 8"),
        ("run() {\n" + LAUNCH + "$1 --lr 1\n}\nrun a.py", "tools/go.sh train.py 8"),  # the function's own
        ("shift 1x\n" + LAUNCH + "$1 --lr 1", "tools/go.sh a train.py 8"),
        (LAUNCH + '"${@:0}"', "tools/go.sh ; echo train.py"),
        ("FILE=$1\nFILE=$3\n" + LAUNCH + "$FILE --lr 1", "tools/go.sh train.py 8"),
    ],
)
def test_calls_that_do_not_say_it(shell: str, call: str) -> None:
    assert not told(shell + "\n", f"```\n{call}\n```\n")


def test_a_script_that_passes_on_what_is_not_known_may_name_any() -> None:
    shell = LAUNCH + "$1 --lr 1\n"
    assert told(shell, CALL + "```\n./tools/go.sh $SCRIPT 8\n```\n")  # a guide shows what to fill in
    assert not told(shell, CALL, **{"scripts/all.sh": "tools/go.sh $1 8\n"})


def test_two_scripts_of_the_name() -> None:
    other = {"more/go.sh": LAUNCH + "$1 --lr 1\n"}
    assert told(LAUNCH + "$1 --lr 1\n", CALL, **other)
    assert not told(LAUNCH + "$1 --lr 1\n", "```\nbash go.sh train.py 8\n```\n", **other)
