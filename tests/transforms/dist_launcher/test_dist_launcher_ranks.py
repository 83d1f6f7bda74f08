"""The dist-launcher rule on small repositories: how ranks meet, who starts them, what the first rank of a node does."""

from __future__ import annotations

import pytest
from test_dist_launcher import LAUNCH, SPAWNS, files, findings, migrated, reasons

from harness.each_row import each_row

# addresses of the script's own

JOINS = """\
import argparse, os
import torch
import torch.distributed as dist

def init_dist(local_rank):
    num_gpus = torch.cuda.device_count()
    CALL

p = argparse.ArgumentParser()
p.add_argument('--local_rank', type=int, default=int(os.environ.get('LOCAL_RANK', 0)))
p.add_argument('--launcher', default='none')
p.add_argument('--dist-url', default="tcp://127.0.0.1:9999")
args = p.parse_args()
if args.launcher != 'none':
    init_dist(args.local_rank)
"""
ENVIRONMENT = 'rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f'dist.init_process_group("gloo", init_method="tcp://127.0.0.1:9999", {ENVIRONMENT})',
            f'dist.init_process_group("gloo", init_method="env://", {ENVIRONMENT})',
        ),
        (
            f"dist.init_process_group('gloo', 'tcp://127.0.0.1:%d' % (9000 + 999), {ENVIRONMENT})",
            f"dist.init_process_group('gloo', 'env://', {ENVIRONMENT})",
        ),
        (
            'rank = int(os.environ["RANK"])\n    size = os.environ["WORLD_SIZE"]\n    '
            'dist.init_process_group(f"nccl", f"tcp://{HOST}:1", world_size=int(size), rank=rank)',
            'rank = int(os.environ["RANK"])\n    size = os.environ["WORLD_SIZE"]\n    '
            'dist.init_process_group(f"nccl", "env://", world_size=int(size), rank=rank)',
        ),
        (
            "dist.init_process_group(\n        backend='nccl',\n        init_method='tcp://127.0.0.1:%d' % 9999,\n"
            "        rank=local_rank,\n        world_size=num_gpus\n    )",
            "dist.init_process_group(\n        backend='nccl',\n        init_method='env://'\n    )",
        ),
        (
            'dist.init_process_group(rank=args.local_rank, world_size=2, init_method="tcp://x:1", backend="mpi",)',
            'dist.init_process_group(init_method="env://", backend="mpi",)',
        ),
        ('dist.init_process_group("nccl", "tcp://127.0.0.1:1")', 'dist.init_process_group("nccl", "env://")'),
    ],
)
@pytest.mark.parametrize("launcher", [LAUNCH, "torchrun"])
def test_ranks_meet_at_the_launchers_address(before: str, after: str, launcher: str) -> None:
    shell = f"{launcher} --nproc_per_node=2 a.py --launcher x\n"
    changed = migrated(files(run_sh=shell, a_py=JOINS.replace("CALL", before)))
    assert changed.pop("a.py") == JOINS.replace("CALL", after)
    assert changed == ({"run.sh": shell.replace(LAUNCH, "torchrun")} if launcher == LAUNCH else {})


@each_row(
    ("port", "fixed"),
    [
        ("os.environ['MASTER_PORT']", False),
        ("int(os.environ.get('MASTER_PORT', 1))", False),
        ("9999", True),
        ("os.environ['OWN_PORT']", True),
    ],
)
def test_port_by_way_of_an_option(port: str, fixed: bool) -> None:
    joins = "dist.init_process_group('nccl', init_method='tcp://{}:{}'.format('h', args.port), rank=args.rank)"
    start = f"try:\n    port = {port}\nexcept KeyError:\n    port = 1\np = argparse.ArgumentParser()\n"
    script = JOINS.replace("CALL", joins).replace("p = argparse.ArgumentParser()\n", start)
    script = script.replace("'--launcher', default='none'", "'-mp', '--port', type=int, default=port")
    said = [each.message for each in findings(files(run_sh="torchrun a.py\n", a_py=script))]
    assert any("nobody opens that port" in message for message in said) is fixed


def test_address_that_is_the_default_of_an_option() -> None:
    script = JOINS.replace("CALL", "dist.init_process_group('nccl', args.dist_url, rank=local_rank, world_size=2)")
    contents = files(run_sh="torchrun a.py\n", a_py=script)
    assert migrated(contents) == {
        "a.py": script.replace('"tcp://127.0.0.1:9999"', '"env://"').replace(", rank=local_rank, world_size=2", "")
    }
    assert findings({**contents, "run.sh": "torchrun a.py --dist-url=env://\n"}) == []
    contents["a.py"] += "if args.dist_url == 'env://':\n    args.local_rank = 3\n"
    assert "a.py:16 looks at the address too" in reasons(contents)[0]


@each_row(
    ("call", "shell", "reason"),
    [
        ("'tcp://h:1', rank=local_rank, world_size=8", "torchrun --nnodes=$N a.py", "no rank among several nodes"),
        ("'tcp://h:1', rank=args.rank, world_size=8", "torchrun a.py", "doesn't come from the launcher"),
        ("'tcp://h:1', rank=int(os.environ.get('RANK', 0)), world_size=8", "torchrun a.py", "doesn't come from"),
        ("'tcp://h:1?rank=1', world_size=8", "torchrun a.py", "who is who"),
        ("'tcp://h:1', **given", "torchrun a.py", "at run time"),
        ("'tcp://h:1',  # here\n    rank=local_rank, world_size=8", "torchrun a.py", "comments"),
    ],
)
def test_keeps_an_address_that_more_may_rely_on(call: str, shell: str, reason: str) -> None:
    script = JOINS.replace("CALL", f"dist.init_process_group('nccl', {call})")
    (said,) = reasons(files(run_sh=shell + "\n", a_py=script))
    assert reason in said and "env://" in said


@each_row(
    ("extra", "reason"),
    [
        ("os.environ['RANK'] = os.environ.get('PROCESS', '0')\n", "sets RANK or MASTER_ADDR itself"),
        ("os.environ.setdefault('MASTER_PORT', '1')\n", "sets RANK or MASTER_ADDR itself"),
        ("os.environ.update(MASTER_ADDR='h')\n", "sets RANK or MASTER_ADDR itself"),
        (
            "if 'RANK' not in os.environ:\n    torch.multiprocessing.spawn(init_dist, nprocs=2)\n",
            "start its ranks itself, too",
        ),
    ],
)
def test_keeps_an_address_of_other_ways_to_start(extra: str, reason: str) -> None:
    script = JOINS.replace("CALL", "dist.init_process_group('nccl', 'tcp://h:1', rank=local_rank, world_size=8)")
    (said,) = reasons(files(run_sh="torchrun a.py\n", a_py=script + extra))
    assert reason in said


@pytest.mark.parametrize(
    "by_hand",
    [
        "for r in 0 1; do python a.py --launcher x --local_rank $r & done",
        "for r in 0 1; do\n  RANK=$r python a.py \\\n    --launcher x &\ndone",
        "srun -n 8 python -u a.py --launcher x",
    ],
)
def test_keeps_an_address_of_ranks_that_are_started_by_hand(by_hand: str) -> None:
    script = JOINS.replace("CALL", "dist.init_process_group('nccl', 'tcp://h:1', rank=local_rank, world_size=8)")
    contents = files(run_sh="torchrun a.py\n", a_py=script, more_sh=by_hand + "\n")
    (said,) = reasons(contents)
    assert "more.sh starts its ranks" in said
    assert migrated({**contents, "more.sh": "python a.py\n"}).keys() == {"a.py"}


def test_address_in_another_file_than_its_option() -> None:
    script = JOINS.replace("CALL", "...").replace("def init_dist(", "from group import init_dist\n\ndef unused(")
    script = script.replace("init_dist(args.local_rank)", "init_dist(args)")
    group = "import os\nimport torch.distributed as dist\n\ndef init_dist(args):\n    dist.init_process_group("
    group += (
        "'nccl', init_method=args.dist_url, rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))\n"
    )
    contents = files(run_sh="torchrun a.py\n", a_py=script, group_py=group)
    assert migrated(contents) == {"a.py": script.replace('"tcp://127.0.0.1:9999"', '"env://"')}


def test_address_that_is_the_launchers_own() -> None:
    call = 'dist.init_process_group("nccl", f"tcp://{h}:{os.environ[\'MASTER_PORT\']}", rank=local_rank, world_size=8)'
    assert findings(files(run_sh="torchrun a.py\n", a_py=JOINS.replace("CALL", call))) == []


def test_address_that_a_process_without_launcher_uses_too() -> None:
    script = JOINS.replace("CALL", "dist.init_process_group('gloo', 'tcp://h:1', rank=local_rank, world_size=1)")
    script = script.replace("init_dist(", "setup(").replace("if args.launcher != 'none':", "if True:")
    (said,) = reasons(files(run_sh="torchrun a.py\n", a_py=script))
    assert "one process alone" in said


def test_address_of_another_way_to_start() -> None:
    script = JOINS.replace("CALL", "dist.init_process_group('nccl')\n\ndef init_dist_slurm():\n    ")
    script = script.replace(":\n    \n", ":\n    dist.init_process_group('nccl', 'tcp://h:1', rank=0, world_size=8)\n")
    assert "tcp://h:1" in script
    assert findings(files(run_sh="torchrun a.py\n", a_py=script)) == []


@each_row(
    ("start", "else_start", "said"),
    [
        ("try:\n    rank = int(os.environ['RANK'])", "except KeyError:", False),
        ("try:\n    rank = int(os.environ['JOB'])", "except KeyError:", True),
        ("try:\n    rank = int(os.environ.get('RANK', 0))", "except KeyError:", True),
        ("if 'RANK' in os.environ and 'WORLD_SIZE' in os.environ:\n    rank = 1", "else:", False),
        ("if 'RANK' in os.environ and ready():\n    rank = 1", "else:", True),
        ("if 'RANK' in os.environ or ready():\n    rank = 1", "else:", False),
        ("if 'JOB' in os.environ:\n    rank = 1", "else:", True),
        ("if 'RANK' in settings:\n    rank = 1", "else:", True),
        ("if os.environ.get('LOCAL_RANK'):\n    rank = 1", "else:", False),
        ("if os.getenv('LOCAL_RANK') is not None:\n    rank = 1", "else:", False),
        ("if os.environ.get('LOCAL_RANK') is rank:\n    rank = 1", "else:", True),
        ("rank = 1", "if 'RANK' not in os.environ:", False),
        ("rank = 1", "if not 'RANK' in os.environ:", False),
        ("rank = 1", "if os.environ.get('RANK') is None or os.environ.get('WORLD_SIZE') is None:", False),
        ("rank = 1", "if os.environ.get('RANK') is None and ready():", False),
        ("rank = 1", "if not ready():", True),
        ("rank = 1", "if os.environ.get('RANK'):", True),
    ],
)
def test_address_where_no_launcher_is(start: str, else_start: str, said: bool) -> None:
    join = "dist.init_process_group('nccl', init_method='tcp://127.0.0.1:1', rank=rank, world_size=size)"
    script = f"import os\nimport torch.distributed as dist\n\n{start}\n{else_start}\n    {join}\n"
    found = findings(files(run_sh="torchrun a.py\n", a_py=script))
    assert any("nobody opens that port" in each.message for each in found) is said


MEETS = """\
import argparse
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument('--local_rank', type=int, default=-1)
args = parser.parse_args()
dist.init_process_group(
    backend='nccl',
    init_method='tcp://127.0.0.1:33241',
    world_size=torch.cuda.device_count(),
    rank=args.local_rank)
"""


@pytest.mark.parametrize("default", ["-1", "None"])
def test_script_alone_that_meets_at_an_address(default: str) -> None:
    script = MEETS.replace("-1", default)
    (finding,) = findings({"a.py": script})
    assert finding.fix is not None and "nobody opens that port" in finding.message
    changed = migrated({"a.py": script})["a.py"]
    assert changed.endswith("dist.init_process_group(\n    backend='nccl',\n    init_method='env://')\n")
    assert "'--local-rank', '--local_rank'" in changed and findings({"a.py": changed}) == []
    for shell in (f"{LAUNCH} a.py\n", "torchrun --nproc_per_node=8 a.py\n"):
        assert migrated({"run.sh": shell, "a.py": script})["a.py"] == changed


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("default=-1", "default=0", "one process alone"),
        ("127.0.0.1", "node7", "no rank among several nodes"),
        ("dist.init", "if args.local_rank is None:\n    args.local_rank = 0\ndist.init", "one process alone"),
    ],
)
def test_script_alone_whose_address_stays(old: str, new: str, reason: str) -> None:
    (said,) = reasons({"a.py": MEETS.replace(old, new)})
    assert reason in said


# lines without torch's launchers

WAITS = """\
import torch
import torch.distributed as dist

def main():
    dist.init_process_group("gloo")
    print(dist.get_rank())

if __name__ == "__main__":
    main()
"""


@each_row(
    "shell",
    [
        "python a.py --x 1",
        "CUDA_VISIBLE_DEVICES=0 nohup python3 -u -W ignore a.py > log 2>&1 &",
        "$PYTHON a.py",
        "python -m a",
        "time python ./a.py",
        "srun -n 2 python a.py",
        "mpirun -np 2 python a.py",
        "PY='python -u'\n$PY a.py",
    ],
)
def test_reports_a_plain_start_of_a_script_that_waits_for_ranks(shell: str) -> None:
    contents = files(run_sh=shell + "\n", a_py=WAITS)
    (finding,) = findings(contents)
    assert finding.path == "run.sh" and "RANK expected" in finding.message and not migrated(contents)
    assert finding.reason is not None and "torchrun --nproc_per_node=N" in finding.reason
    assert [(hop.path, hop.line) for hop in finding.trace][1:] == [("a.py", 1), ("a.py", 5)]
    assert "`srun`" in finding.message or "`mpirun`" in finding.message or "plain python" in finding.message


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ("rank=0, world_size=int(sys.argv[1])", ("MASTER_ADDR", "MASTER_ADDR")),
        ("world_size=int(sys.argv[1])", ("RANK and MASTER_ADDR", "RANK")),
        ("rank=int(sys.argv[1])", ("WORLD_SIZE and MASTER_ADDR", "WORLD_SIZE")),
    ],
)
def test_names_what_the_script_is_not_given(given: str, needed: tuple[str, str]) -> None:
    script = WAITS.replace('"gloo"', f'"gloo", {given}')
    assert script != WAITS
    (finding,) = findings(files(run_sh="python a.py\n", a_py=script))
    assert f"waits for {needed[0]}, and plain python" in finding.message
    assert f"stops with `{needed[1]} expected`" in finding.message


def test_a_script_that_joins_others_where_it_has_more_devices_may_be_started_alone() -> None:
    script = WAITS.replace("    dist.init", "    if torch.cuda.device_count() > 1:\n        dist.init")
    assert script != WAITS and not findings(files(run_sh="CUDA_VISIBLE_DEVICES=0 python a.py\n", a_py=script))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", "t:\n\tpython a.py\n"),
        ("job.sbatch", "#!/bin/bash\nsrun python a.py\n"),
        ("s.sh", "sbatch <<E\n#!/bin/bash\nsrun python a.py\nE\n"),
    ],
)
def test_reports_a_plain_start_wherever_it_stands(path: str, text: str) -> None:
    (finding,) = findings({path: text, "a.py": WAITS})
    assert finding.path == path and "RANK expected" in finding.message


@pytest.mark.parametrize(
    ("path", "text"),
    [("Dockerfile", 'CMD ["python", "a.py"]\n'), ("k8s/job.yaml", "command: [python, a.py]\n")],
)
def test_containers_may_be_told_their_rank(path: str, text: str) -> None:
    assert findings({path: text, "a.py": WAITS}) == []


@each_row(
    ("shell", "script"),
    [
        pytest.param("export RANK=0 WORLD_SIZE=1\npython a.py", WAITS, id="the shell says who is who"),
        pytest.param("for r in 0 1; do RANK=$r python a.py & done", WAITS, id="a loop over ranks"),
        pytest.param("echo python a.py", WAITS, id="only text"),
        pytest.param("pylint python a.py", WAITS, id="another program"),
        pytest.param("python -c 'import a' a.py", WAITS, id="no script"),
        pytest.param("python b.py a.py", WAITS, id="an argument"),
        pytest.param("python gone.py", WAITS, id="not here"),
        pytest.param("python a.py", SPAWNS.replace("tcp://127.0.0.1:9999", "env://"), id="spawns its ranks"),
        pytest.param("python a.py", WAITS.replace('"gloo"', '"gloo", store=s'), id="a store of its own"),
        pytest.param("python a.py", WAITS.replace('"gloo"', '"gloo", init_method=f"file://{x}"'), id="a file"),
        pytest.param("mpirun python a.py", WAITS.replace('"gloo"', '"mpi"'), id="MPI"),
        pytest.param(
            "srun python a.py", WAITS.replace("print", "import os\n    print(os.environ['SLURM_PROCID'])"), id="S"
        ),
        pytest.param("python a.py", WAITS.replace("    main", "    if args.dist:\n        main"), id="only when asked"),
        pytest.param("python a.py", WAITS.replace("    main()\n", "    pass\n"), id="never called"),
        pytest.param(
            "python a.py",
            WAITS.replace("def main():", "import os\nos.environ.setdefault('RANK', '0')\ndef main():"),
            id="sets what it needs",
        ),
        pytest.param(
            "python a.py",
            WAITS.replace("    dist.init", "    if 'RANK' in os.environ:\n        dist.init"),
            id="looks for a launcher",
        ),
    ],
)
def test_plain_starts_that_work(shell: str, script: str) -> None:
    contents = files(run_sh=shell + "\n", a_py=script, b_py="print(1)\n")
    assert findings(contents) == []


STRICT = "import argparse\nimport deepspeed\np = argparse.ArgumentParser()\nargs = p.parse_args()\nprint(args)\n"


@each_row(
    ("shell", "reported"),
    [
        ("deepspeed a.py", True),
        ("deepspeed --num_gpus 2 a.py --x", True),
        ("CUDA_VISIBLE_DEVICES=0,1 nohup deepspeed --include localhost:0,1 --no_ssh_check a.py &", True),
        ("deepspeed --hostfile=h --module a", True),
        ("deepspeed --no_local_rank --num_gpus 2 a.py", False),
        ("pip install deepspeed a.py", False),
        ("echo deepspeed a.py", False),
    ],
)
def test_deepspeed_passes_an_option(shell: str, reported: bool) -> None:
    contents = files(run_sh=shell + "\n", a_py=STRICT)
    found = findings(contents)
    assert len(found) == reported and not migrated(contents)
    for finding in found:
        assert "--local_rank=N" in finding.message and finding.reason is not None
        assert "--no_local_rank" in finding.reason
    for taken in (
        STRICT.replace("args =", "p.add_argument('--local_rank', type=int, default=-1)\nargs ="),
        STRICT.replace("parse_args()", "parse_known_args()[0]"),
        "from transformers import HfArgumentParser\nHfArgumentParser(X).parse_args_into_dataclasses()\n",
    ):
        assert findings({**contents, "a.py": taken}) == []


def test_deepspeed_knows_one_spelling() -> None:
    script = STRICT.replace("args =", "p.add_argument('--local-rank', type=int, default=-1)\nargs =")
    changed = migrated(files(run_sh="deepspeed --num_gpus 2 a.py\n", a_py=script))
    assert changed.keys() == {"a.py"} and "'--local-rank', '--local_rank', type=int" in changed["a.py"]


# several nodes

SAVES = """\
import argparse, os
import torch
import torch.distributed as dist

p = argparse.ArgumentParser()
p.add_argument('--local_rank', type=int, default=int(os.environ.get('LOCAL_RANK', 0)))
args = p.parse_args()
dist.init_process_group('gloo')
if TEST:
    CALL
"""


@each_row(
    ("test", "call"),
    [
        ("args.local_rank == 0", "torch.save(model.state_dict(), 'last.pt')"),
        ("args.local_rank in [-1, 0]", "model.save_pretrained('out')"),
        ("epoch % 10 == 0 and args.local_rank in (-1, 0)", "save_checkpoint(model)"),
        ("not args.local_rank", "writer = SummaryWriter('runs')"),
        ("local_rank <= 0", "for name in 'ab':\n        wandb.init(name)"),
    ],
)
def test_first_rank_of_a_node_taken_for_the_first_of_all(test: str, call: str) -> None:
    script = SAVES.replace("TEST", test).replace("CALL", call)
    contents = files(run_sh="torchrun --nnodes=$N --node_rank=$R --nproc_per_node=8 a.py\n", a_py=script)
    (finding,) = findings(contents)
    assert (finding.path, finding.span.line) == ("a.py", 9) and not migrated(contents)
    assert finding.reason is not None and "os.environ['RANK']" in finding.reason
    assert test in finding.message and "every node" in finding.message
    assert findings({**contents, "run.sh": "torchrun --nproc_per_node=8 a.py\n"}) == []
    assert findings({**contents, "run.sh": "torchrun --nnodes 1 --nproc_per_node=8 a.py\n"}) == []


@each_row(
    ("test", "call"),
    [
        ("args.local_rank == 0", "print('epoch', 1)"),
        ("args.local_rank == 0", "os.makedirs('cache')"),
        ("args.local_rank == 0", "torch.save(model, f'{args.node_rank}.pt')"),
        ("args.local_rank == 0 and dist.get_rank() == 0", "torch.save(model, 'last.pt')"),
        ("args.local_rank == 0 or args.all", "torch.save(model, 'last.pt')"),
        ("args.rank == 0", "torch.save(model, 'last.pt')"),
        ("args.local_rank == 1", "torch.save(model, 'last.pt')"),
        ("args.local_rank != 0", "torch.save(model, 'last.pt')"),
    ],
)
def test_what_each_node_does_for_itself(test: str, call: str) -> None:
    script = SAVES.replace("TEST", test).replace("CALL", call)
    assert findings(files(run_sh="torchrun --nnodes=2 --node_rank=$R a.py\n", a_py=script)) == []


BY_COMMAND = """\
import argparse
import torch.distributed as dist

class Trainer:
    def __init__(self):
        dist.init_process_group("nccl")

parser = argparse.ArgumentParser()
parser.add_argument("--command", default="train")
args = parser.parse_args()
if {test}:
    trainer = Trainer()
else:
    print("nothing to join")
"""


@each_row(
    ("test", "options", "found"),
    [
        ('args.command == "train"', "", True),
        ('args.command == "train"', "--command train", True),
        ('args.command == "train"', "--command=train --size 3", True),
        ('args.command == "train"', "--command generate", False),
        ('args.command == "train"', "--command=generate --size 3", False),
        ('args.command == "train"', "--command $1", True),
        ('args.command in ("train", "tune")', "--command tune", True),
        ('args.command in ("train", "tune")', "--command generate", False),
        ('args.command != "generate"', "--command generate", False),
        ('not args.command == "generate"', "--command generate", False),
        ('args.command == "train" or args.force', "--command generate", True),
        ('args.command == "train" and args.force', "--command generate", False),
        ('args.command == "train"', "--command TRAIN", True),  # `type=str.lower`
        ('args.command == "train"', "--command generate --command train", True),
        ('args.command == "train"', "--command train --command generate", False),
        ('args.the_command == "train"', "--the-command generate", False),
        ('command == "train"', "--command generate", True),
        ('self.command == "train"', "--command generate", True),
    ],
)
def test_a_line_whose_options_choose_another_branch_waits_for_no_rank(test: str, options: str, found: bool) -> None:
    shell = f"#!/bin/bash\npython a.py {options}\n"
    assert bool(findings(files(run_sh=shell, a_py=BY_COMMAND.format(test=test)))) is found
