"""`--launcher python`: the line in the loop that takes the place of the launcher, or why there is none."""

from __future__ import annotations

import re

from harness.each_row import each_row
from harness.small import migrated, reasons

SCRIPT = """\
import argparse, os, torch
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
"""
LAUNCH = "python -m torch.distributed.launch --use_env --nproc_per_node=2"


@each_row(
    ("line", "ranks"),
    [
        (f"{LAUNCH} main.py --lr 1\n", ["python main.py --lr 1"]),
        (f"{LAUNCH} -m main --lr 1\n", ["python -m main --lr 1"]),
        ("python -um torch.distributed.launch --use_env --nproc_per_node=2 main.py\n", ["python -u main.py"]),
        ("python -O -m torch.distributed.launch --use_env --nproc_per_node=2 main.py\n", ["python -O main.py"]),
        ("torchrun --nproc_per_node=2 main.py\n", ["python main.py"]),
        (f"nohup {LAUNCH} main.py\n", ["nohup python main.py"]),
        (f"A=1 \\\n  {LAUNCH} main.py\n", ["A=1 python main.py"]),
        (f"A=1 B=2\n{LAUNCH} main.py\n", ["python main.py"]),
        (f"MAIN=main.py\n{LAUNCH} $MAIN\n", ["python $MAIN"]),
        (f"{LAUNCH} main.py\n{LAUNCH} main.py --test\n", ["python main.py", "python main.py --test"]),
        (f"{LAUNCH} main.py > log 2>&1\n", ["python main.py"]),
        (f"#!/usr/bin/env bash\n{LAUNCH} main.py\n", ["python main.py"]),
    ],
)
def test_the_command_of_a_rank(line: str, ranks: list[str]) -> None:
    shell = migrated({"main.py": SCRIPT, "run.sh": line}, "dist-launcher", launcher="python")["run.sh"]
    assert re.findall(r"(?m)^ +RANK=\$rank LOCAL_RANK=\$rank (.*) &$", shell) == ranks
    assert "launch" not in shell and "torchrun" not in shell


@each_row(
    ("indent", "step", "to"), [("", "    ", ""), ("    ", "    ", ""), ("\t", "\t", ""), ("", "    ", " > log 2>&1")]
)
def test_the_loop_stands_where_the_line_stood(indent: str, step: str, to: str) -> None:
    line = f"if true; then\n{indent}{LAUNCH} main.py{to}\nfi\n"
    shell = migrated({"main.py": SCRIPT, "run.sh": line}, "dist-launcher", launcher="python")["run.sh"]
    assert shell.startswith(f"if true; then\n{indent}(\n{indent}{step}export MASTER_ADDR=")
    assert shell.endswith(f"\n{indent}){to}\nfi\n")


@each_row(
    ("path", "line", "reason"),
    [
        ("Makefile", f"train:\n\t{LAUNCH} main.py\n", "needs a script of its own"),
        (
            "Dockerfile",
            'FROM torch\nCMD ["python", "-m", "torch.distributed.launch", "--use_env", "main.py"]\n',
            "needs a script of its own",
        ),
        ("run.sh", f"#!/bin/sh\n{LAUNCH} main.py\n", "the script names another shell"),
        ("run.sh", f"time {LAUNCH} main.py\n", "`time` starts the launcher, and can't start a loop"),
        ("run.sh", f"nohup time {LAUNCH} main.py\n", "`time` starts the launcher, and can't start a loop"),
        ("run.sh", "M=torch.distributed.launch\npython -m $M --use_env main.py\n", "launcher stands in the variable M"),
        ("run.sh", f"R='main.py --lr 1'\n{LAUNCH} $R\n", "the script stands in the variable R"),
        ("run.sh", "R='python -m torch.distributed.launch --use_env'\n$R main.py\n", "in the variable R"),
        ("run.sh", "python -m torch.distributed.launch > log --use_env main.py\n", "a redirection stands in"),
        ("run.sh", f"{LAUNCH} --nnodes 1:2 main.py\n", "which node is which is only known to the launcher"),
        ("run.sh", f"{LAUNCH} --max_restarts 3 main.py\n", "a loop can't do what `--max_restarts` asks"),
        ("run.sh", f"{LAUNCH} main.py --rank $rank\n", "the line reads $rank, which the loop sets"),
        ("run.sh", f"{LAUNCH} main.py --ranks ${{ranks}}\n", "the line reads $ranks, which the loop sets"),
        ("run.sh", f"FLAGS='--use_env --master_port 3'\n{LAUNCH} $FLAGS main.py\n", "stand in the variable FLAGS"),
    ],
)  # fmt: skip
def test_why_no_loop_can_stand_there(path: str, line: str, reason: str) -> None:
    said = reasons({"main.py": SCRIPT, path: line}, "dist-launcher", launcher="python")
    assert any(reason in each for each in said), said
