"""A guard leaves outside what fills the configuration that workers read, or says that it would not run there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codemods.finding import Finding
from harness.small import migrated, reported

CONFIG = """\
config = {}
config["scale"] = 1


def update_config(path):
    with open(path) as lines:
        for line in lines:
            name, value = line.split()
            config[name] = int(value)
"""
PARSE = """\
import argparse
from config import update_config


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cfg")
    args = parser.parse_args()
    update_config(args.cfg)
    return args
"""
DATA = """\
from torch.utils.data import Dataset
from config import config


class Rows(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, at):
        return config["scale"]
"""
TRAIN = """\
import os
import torch.multiprocessing
from torch.utils.data import DataLoader
from parse_args import parse_args
from data import *

{before}args = parse_args()
os.makedirs(args.cfg + ".out")
{after}

def train():
    torch.multiprocessing.set_start_method("spawn", force=True)
    for row in DataLoader(eval("Rows")(), num_workers=1):
        print(row)


if __name__ == "__main__":
    train()
"""
FILES = {"config.py": CONFIG, "parse_args.py": PARSE, "data.py": DATA}


def files(before: str = "", after: str = "", **others: str) -> dict[str, str]:
    return {**FILES, "train.py": TRAIN.format(before=before, after=after), **others}


def fault(program: dict[str, str]) -> Finding:
    [found] = [each for each in reported(program, "main-guard") if each.path == "train.py"]
    return found


@pytest.mark.slow
def test_workers_have_the_configured_value_before_and_after(tmp_path: Path) -> None:
    safe = files()  # without what would stop a worker that does it again
    safe["train.py"] = safe["train.py"].replace('os.makedirs(args.cfg + ".out")', 'open(args.cfg + ".log", "w")')
    after = {**safe, **migrated(safe, "main-guard")}
    assert after["train.py"] != safe["train.py"]
    for name, program in (("before", safe), ("after", after)):
        folder = tmp_path / name
        folder.mkdir()
        for path, text in program.items():
            (folder / path).write_text(text)
        (folder / "run.cfg").write_text("scale 7\n")
        command = [sys.executable, "train.py", "--cfg", "run.cfg"]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert run.stdout == "tensor([7])\n" * 2


def test_the_line_that_fills_the_configuration_stays_outside_with_what_it_needs() -> None:
    after = migrated(files(), "main-guard")["train.py"]
    assert "\nargs = parse_args()\n" in after and "\n    os.makedirs(args.cfg" in after
    needs = files()
    needs["parse_args.py"] = PARSE.replace("def parse_args()", "def parse_args(name)").replace('"--cfg"', "name")
    needs["train.py"] = needs["train.py"].replace("args = parse_args()", "name = str('--cfg')\nargs = parse_args(name)")
    assert "\nname = str('--cfg')\nargs = parse_args(name)\n" in migrated(needs, "main-guard")["train.py"]


def test_what_no_worker_reads_goes_under_the_guard() -> None:
    quiet = DATA.replace('config["scale"]', "at")
    assert "\n    args = parse_args()\n" in migrated(files(**{"data.py": quiet}), "main-guard")["train.py"]


@pytest.mark.parametrize("reads", [True, False])
def test_below_what_no_worker_should_repeat_it_would_be_lost(reads: bool) -> None:
    data = DATA if reads else DATA.replace('config["scale"]', "at")
    program = files('os.mkdir("made")\n', **{"data.py": data})
    program["train.py"] = program["train.py"].replace("os.makedirs(", "print(")
    fix = fault(program).fix
    assert fix is not None
    if reads:
        assert fix.unsafe is not None
        assert fix.unsafe.startswith("line 8 changes `config` of config.py, which `__getitem__` (data.py:9) reads")
        assert "line 9 of config.py" in fix.unsafe
    else:
        assert fix.unsafe is None
