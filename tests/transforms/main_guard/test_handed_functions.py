"""main-guard: functions that are passed to a function of the repository, or of a library, which calls them here."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "main-guard"
TOOLS = """\
from memory_profiler import memory_usage
from multiprocessing import Pool

def timed(run, label=''):
    print(label)
    return run()

def twice(step, *rest):
    timed(step)
    timed(run=step)

def each(step, loader):
    for _ in range(3):
        step(loader)

def measured(run):
    return max(memory_usage(proc=run))

def noted(run):
    print(run.__name__)

def spread(run):
    with Pool(2) as pool:
        return pool.map(run, [1, 2])

def kept(run):
    hooks.append(run)

hooks = []
"""
TRAIN = """\
from torch.utils.data import DataLoader
from tools import each, measured, noted, timed, twice

def train(loader, epochs=1):
    def go():
        for batch in loader:
            print(batch)
    def step(rows):
        for row in rows:
            print(row)
    def same(loader=()):
        for row in loader:
            print(row)
    {line}

train(DataLoader([1], num_workers={workers}))
"""


@each_row(
    ("line", "starts"),
    [
        ("go()", True),
        ("timed(go)", True),
        ("timed(run=go, label='a')", True),
        ("twice(go)", True),
        ("each(step, loader)", True),
        ("measured(go)", True),
        ("each(step, [1])", False),
        ("noted(go)", False),
        ("timed(same)", False),
        ("same()", False),
        ("print(go)", False),
    ],
)
def test_what_is_passed_runs_with_the_loaders_around_it(line: str, starts: bool) -> None:
    found = reported({"tools.py": TOOLS, "train.py": TRAIN.format(line=line, workers=2)}, RULE)
    assert [finding.path for finding in found] == ["train.py"] * starts


@each_row("line", ["go()", "timed(go)", "twice(go)", "each(step, loader)"])
def test_loaders_without_workers_start_nothing(line: str) -> None:
    assert not reported({"tools.py": TOOLS, "train.py": TRAIN.format(line=line, workers=0)}, RULE)


@each_row(
    ("call", "starts"),
    [
        ("import timeit\nprint(timeit.timeit(main, number=1))", True),
        ("import optuna\nstudy = optuna.create_study()\nstudy.optimize(main, n_trials=3)", True),
        ("from memory_profiler import memory_usage\nprint(memory_usage((main, ())))", True),
        ("from memory_profiler import memory_usage\nprint(memory_usage(lambda: 1))", True),
        ("from memory_profiler import memory_usage\nprint(memory_usage(-1, interval=1, timeout=1))", False),
        ("import os\nfrom memory_profiler import memory_usage\npid = os.getpid()\nprint(memory_usage(pid))", False),
    ],
)
def test_libraries_that_call_it(call: str, starts: bool) -> None:
    text = f"from multiprocessing import Pool\n\ndef main(*given):\n    Pool(2).map(abs, [1])\n\n{call}\n"
    assert len(reported({"a.py": text}, RULE)) == starts


SCRIPT = """\
from torch.utils.data import DataLoader
from tools import kept, measured, noted, spread, timed, twice
from model import Net

rows = DataLoader([1, 2], num_workers=2)
model = Net().cuda()


def go(*given):
    for row in rows:
        model(row)


{line}
"""
NET = "import torch.nn as nn\n\nclass Net(nn.Module):\n    pass\n"


@each_row("line", ["timed(go)", "timed(run=go)", "twice(go)", "measured(go)"])
def test_what_a_function_reads_that_only_runs_here_goes_under_the_guard(line: str) -> None:
    done = migrated({"tools.py": TOOLS, "model.py": NET, "train.py": SCRIPT.format(line=line)}, RULE)["train.py"]
    above, _, below = done.partition("if __name__")
    assert "DataLoader(" not in above and "cuda()" not in above
    assert f"    {line}" in below


@pytest.mark.parametrize("line", ["spread(go)", "kept(go)\ntimed(go)"])
def test_what_may_run_in_a_worker_keeps_what_it_reads(line: str) -> None:
    files = {"tools.py": TOOLS, "model.py": NET, "train.py": SCRIPT.format(line=line)}
    done = migrated(files, RULE).get("train.py", "")
    assert "rows = DataLoader" in done.partition("if __name__")[0]


def test_a_file_that_is_read_between_two_guards_may_be_written_under_the_first() -> None:
    text = (
        "import torch\nfrom multiprocessing import Pool\nfrom tools import train\n\ntrain()\n\n"
        "net = torch.load('net.pt')\n"
        "\n\ndef work(row):\n    return row, net\n\n\nprint(Pool(2).map(work, [1]))\n"
    )
    tools = "import torch\n\ndef train():\n    print('begin')\n    torch.save({}, 'net.pt')\n"
    files = {"a.py": text, "tools.py": tools}
    assert migrated(files, RULE) == {}
    [finding] = reported(files, RULE)
    assert finding.fix is not None and "line 7" in (finding.fix.unsafe or "")
