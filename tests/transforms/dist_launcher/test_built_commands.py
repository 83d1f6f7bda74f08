"""Commands that Python builds: what is said knows the torch that is named, and the script that they start."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reasons

SCRIPT = """\
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
args = parser.parse_args()
torch.cuda.set_device(args.local_rank)
"""
COMMAND = 'call = "python -m torch.distributed.launch --nproc_per_node 2 {}"\n'
TAKES = "use `-m torch.distributed.run`, and take LOCAL_RANK as the default of --local_rank (run.py:4)"
OLD = "names torch 1.7, which has no torchrun: leave it until torch 1.10 is the oldest that you support"


@each_row(
    ("start", "needs", "said"),
    [
        (COMMAND.format("run.py"), "torch==1.7.1", OLD),
        (COMMAND.format("run.py"), "torch==1.9", TAKES),
        (COMMAND.format("run.py"), "torch", TAKES),
        (COMMAND.format("./run.py --lr 1"), "torch", TAKES),
        ('n = 2\ncall = f"python -m torch.distributed.launch --nproc_per_node {n} run.py --lr {n}"\n', "torch", TAKES),
        ('import sys\ncall = [sys.executable, "-m", "torch.distributed.launch", "run.py"]\n', "torch", TAKES),
        (COMMAND.format("other.py"), "torch", "use `-m torch.distributed.run`, and LOCAL_RANK in what it starts"),
        (COMMAND.format("--use_env run.py"), "torch", "without --use_env, which it does not take"),
        (COMMAND.format("{}"), "torch", "and LOCAL_RANK in what it starts"),
    ],
)
def test_what_is_said_about_a_command(start: str, needs: str, said: str) -> None:
    told = reasons({"start.py": start, "run.py": SCRIPT, "requirements.txt": f"{needs}\n"}, "dist-launcher")
    assert any(said in reason for reason in told), told


def test_a_script_that_reads_the_environment_needs_nothing_else() -> None:
    script = SCRIPT.replace("import torch\n", "import os\nimport torch\n").replace(
        "default=-1", 'default=int(os.environ.get("LOCAL_RANK", -1))'
    )
    (told,) = reasons({"start.py": COMMAND.format("run.py"), "run.py": script}, "dist-launcher")
    assert told.endswith("use `-m torch.distributed.run`: `run.py` reads LOCAL_RANK")


def test_a_script_that_does_nothing_with_its_option_needs_nothing_else() -> None:
    script = SCRIPT.replace("args.local_rank", "0")
    (told,) = reasons({"start.py": COMMAND.format("run.py"), "run.py": script}, "dist-launcher")
    assert told.endswith("use `-m torch.distributed.run`: `run.py` does nothing with its --local_rank")
