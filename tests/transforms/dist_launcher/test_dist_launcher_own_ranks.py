"""dist-launcher: programs that start their ranks themselves, by `mp.spawn` or process by process."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "dist-launcher"
LAUNCH = "python -m torch.distributed.launch --nproc_per_node=4 a.py\n"
PLAIN = {"run.sh": "python a.py\n"}

SPAWNS = """\
import argparse
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.multiprocessing import spawn, start_processes, Process

def worker(rank, args):
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:9999", rank=rank, world_size=4)

def print_only(rank):
    print(rank)

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--num-gpus", type=int, default=4)
    p.add_argument("--many", action="store_true")
    args = p.parse_args()
    START
"""


def program(start: str) -> str:
    return SPAWNS.replace("START", start.replace("\n", "\n    "))


READS_RANK = "print(os.environ.get('RANK'))\n"  # or else every branch would be right without a launcher
LOOP = "for rank in range({}):\n    ps.append({}(target=worker, args=(rank, args)))\nfor p in ps:\n    p.start()"


@each_row(
    "start",
    [
        pytest.param("mp.spawn(worker, (args,), 4)", id="the number by position"),
        pytest.param("mp.spawn(worker, args=(args,), nprocs=4)", id="the number by name"),
        pytest.param("spawn(worker, (args,), 4)", id="spawn by name"),
        pytest.param("start_processes(worker, (args,), 4)", id="start_processes by name"),
        pytest.param("mp.spawn(worker, (args,), args.num_gpus)", id="an option with a dash"),
        pytest.param(LOOP.format("4", "mp.Process"), id="a loop of processes"),
        pytest.param(LOOP.format("args.num_gpus", "Process"), id="a loop of as many as an option says"),
        pytest.param("if args.many:\n    print()\nmp.spawn(worker, (args,), 4)", id="after a test"),
        pytest.param("if not args.many:\n    mp.spawn(worker, (args,), 4)", id="without a switch"),
        pytest.param("if args.many:\n    print()\nelse:\n    mp.spawn(worker, (args,), 4)", id="else of a switch"),
        pytest.param("if not not not args.many:\n    mp.spawn(worker, (args,), 4)", id="twice the other way round"),
    ],
)
def test_plain_python_starts_them(start: str) -> None:
    assert migrated({"run.sh": LAUNCH, "a.py": program(start)}, RULE) == PLAIN


@each_row(
    ("start", "reason"),
    [
        pytest.param("mp.spawn(worker, (args,))", "script starts (its own number)", id="no number"),
        pytest.param("mp.spawn(worker, (args,), 3)", "the script starts `3`", id="another number"),
        pytest.param(LOOP.format("3", "mp.Process"), "the script starts `3`", id="a loop of others"),
        pytest.param(LOOP.format("1, 5", "mp.Process"), "script starts (its own number)", id="a loop that starts at 1"),
        pytest.param(
            "p = mp.Process(target=worker, args=(0, args))\np.start()", "starts (its own number)", id="without a loop"
        ),
        pytest.param(
            "for host in range(9):\n    print(host)\n" + LOOP.format("3", "Process"), "starts `3`", id="another loop"
        ),
        pytest.param(
            READS_RANK + "if sys.argv:\n    mp.spawn(worker, (args,), 4)", "only if `sys.argv`", id="under a test"
        ),
        pytest.param(
            READS_RANK + "if sys.argv:\n    raise SystemExit\nmp.spawn(worker, (args,), 4)",
            "only if `not sys.argv`",
            id="after one",
        ),
        pytest.param(
            READS_RANK + "if sys.argv:\n    print()\nelse:\n    mp.spawn(worker, (args,), 4)",
            "only if `not sys.argv`",
            id="else",
        ),
    ],
)
def test_refused_where_the_ranks_are_others(start: str, reason: str) -> None:
    (said,) = reasons({"run.sh": LAUNCH, "a.py": program(start)}, RULE)
    assert reason in said


@each_row(
    "start",
    [
        pytest.param("mp.Process(target=print_only, args=(0,)).start()", id="a process that joins no group"),
        pytest.param("mp.Process(target=workers[0], args=(0,)).start()", id="a process whose function is not named"),
        pytest.param("mp.Process(None, worker).start()", id="a process whose function stands first"),
        pytest.param("thread.spawn_later(worker, 4)", id="another function"),
        pytest.param("pool.spawn(worker, 4)", id="spawn of something else"),
        pytest.param("if args.many:\n    mp.spawn(worker, (args,), 4)", id="a switch that the line does not give"),
    ],
)
def test_what_starts_no_ranks_leaves_them_to_the_launcher(start: str) -> None:
    files = {"run.sh": LAUNCH, "a.py": program(start)}
    assert migrated(files, RULE) == {}
    found = reported(files, RULE)
    # under a launcher, the fixed address is what is wrong
    assert found and all("tcp://127.0.0.1:9999" in each.message for each in found), found


def test_a_function_that_is_called_starts_them() -> None:
    main = "def main(args):\n    mp.spawn(worker, (args,), 4)\n\nif __name__"
    text = program("main(args)").replace("if __name__", main)
    assert migrated({"run.sh": LAUNCH, "a.py": text}, RULE) == PLAIN


@pytest.mark.parametrize(("called", "starts"), [("launch(args)", True), ("pass", False)])
def test_a_function_of_another_module_counts_where_the_script_calls_it(called: str, starts: bool) -> None:
    other = "import torch.multiprocessing as mp\ndef launch(args):\n    mp.spawn(worker, (args,), 4)\n"
    text = "from other import launch\n" + program(called)
    assert (migrated({"run.sh": LAUNCH, "a.py": text, "other.py": other}, RULE) == PLAIN) is starts


def test_the_trace_says_where_they_are_started() -> None:
    (finding,) = reported({"run.sh": LAUNCH, "a.py": program("mp.spawn(worker, (args,), 4)")}, RULE)
    hop = finding.trace[-1]
    assert (hop.path, hop.what) == ("a.py", "it starts the ranks itself (`spawn`)")
    assert SPAWNS.splitlines()[hop.line - 1].strip() == "START"


@each_row(
    ("flags", "known"),
    [
        ("--node_rank=$N --master_addr=$HEAD", True),
        ("--node_rank=$N", False),
        ("--node_rank=$N --master_addr=127.0.0.1", False),
        ("--master_addr=$HEAD", False),
    ],
)
def test_the_loop_over_several_nodes_needs_to_know_them(flags: str, known: bool) -> None:
    shell = f"torchrun --nnodes=2 {flags} --nproc_per_node=2 a.py\n"
    reads = "import os\nimport torch.distributed as dist\ndist.init_process_group('nccl')\n"
    done = migrated({"run.sh": shell, "a.py": reads}, RULE, launcher="python")
    assert ("run.sh" in done) is known


RANKED = """\
import os
import subprocess
import sys
import torch.distributed as dist

def launch(main, number, args=()):
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return work(int(os.environ.get("LOCAL_RANK", "0")), main, args)
    for rank in range(number):
        subprocess.Popen([sys.executable, *sys.argv], env=dict(os.environ, LOCAL_RANK=str(rank), WORLD_SIZE="2"))

def work(local_rank, main, args):
    dist.init_process_group("gloo")
    SET
    main(*args)
"""
ENTRY = """\
import argparse
import torch
from ranks import launch

def main(name, options):
    torch.cuda.set_device(options.local_rank)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", default=0, type=int)
    launch(main, 2, args=("a", parser.parse_args()))
"""


@each_row(
    ("sets", "found"),
    [
        pytest.param("args[1].local_rank = local_rank", False, id="an item of the tuple gets the rank"),
        pytest.param("args.local_rank = local_rank", False, id="the arguments get it"),
        pytest.param("args[name].local_rank = local_rank", True, id="an item of who knows what"),
        pytest.param("args[1].rank = local_rank", True, id="another value"),
    ],
)
def test_a_launcher_of_the_repository_sets_the_rank(sets: str, found: bool) -> None:
    files = {"a.py": ENTRY, "ranks.py": RANKED.replace("SET", sets)}
    assert bool(reported(files, RULE)) == found
