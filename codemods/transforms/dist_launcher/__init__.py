"""Launch lines that use `torch.distributed.launch`, or start a script that does not learn its rank.

What it finds
-------------
Lines that start a program with `torch.distributed.launch`, `torch.distributed.run` or `torchrun`, read together with
the Python script that they start: the old launcher, a script whose `--local_rank` nobody passes, a script that starts
its ranks itself under a launcher, a `--launcher` that is left at `none`, ranks that meet at a `tcp://` address of the
script's own, `set_start_method("spawn")` where a launcher starts the ranks, and `args.local_rank` taken for the rank
among all where several nodes take part (`rank=args.local_rank`, `if args.local_rank == 0: torch.save(...)`). Lines with
DeepSpeed's launcher whose script doesn't take `--local_rank`, and lines with plain `python` (or `srun`, `mpirun`) whose
script waits for ranks, are found too.

Such lines are found in shell scripts and the batch jobs that these write, in Makefile recipes, Dockerfiles (both forms
of `CMD`), the commands of workflows and pods in YAML, and the blocks and command lines of Markdown and
reStructuredText. Reported, not rewritten: commands that Python, batch or PowerShell files build, commands for another
machine (`ssh`), those in a Makefile's variables, plain starts, and what the first rank of each node does. A script that
takes `--local_rank` is found without a launch line too, since its users write that themselves: `likely` where it calls
`init_process_group`, else `possible` (DeepSpeed passes the option).

Why it breaks
-------------
`torch.distributed.launch` passes `--local-rank=N` since torch 2.0, `--local_rank=N` before: a parser that knows one
spelling only stops with `unrecognized arguments`. `torchrun` passes neither: a script that keeps its default of -1
trains alone on every rank, with a default of 0 all ranks share GPU 0, and both end with exit code 0. So the shell line
and the script change together or not at all.

Example
-------
```bash
# file: train.sh
PYTHONPATH="$(dirname "$0")":$PYTHONPATH \\
python -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT \\
    $(dirname "$0")/train.py "$@"
```
```python
# file: train.py
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
args = parser.parse_args()
print("alone" if args.local_rank == -1 else f"GPU {args.local_rank}")
```

Use instead
-----------
```bash
# file: train.sh
PYTHONPATH="$(dirname "$0")":$PYTHONPATH \\
torchrun --nproc_per_node=2 --master_port=$PORT \\
    $(dirname "$0")/train.py "$@"
```
```python
# file: train.py
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--local-rank", "--local_rank", type=int, default=int(os.environ.get("LOCAL_RANK", -1)))
args = parser.parse_args()
print("alone" if args.local_rank == -1 else f"GPU {args.local_rank}")
```

Fix safety
----------
`torchrun` is `torch.distributed.launch --use_env` under another name: all other flags keep their meaning, and are kept;
`--standalone` is never added. A bare `python` or `python3` becomes `torchrun`, which every virtual or conda environment
has beside it. Where the line names its interpreter more exactly (a variable, a path, `python3.8`, flags such as `-u`),
`torchrun` might belong to another one: there only the module is renamed, to `torch.distributed.run`. The same where the
repository supports torch 1.9. Where its requirements, environments, images or README name an older torch
(`torch>=1.7`), the line stays, and the script takes both spellings, so that the line works with old and new torch. A
guide in the folder of the script counts even where the top folder asks for a newer torch, or has `torchrun` already.
Where neither says anything, the oldest torch that any other folder names counts, unless some line runs `torchrun`.
Where requirements, environments and images only allow a torch before 2.0, a script that takes `--local_rank` alone
stops once they allow a newer one: `likely`.

A launcher keeps the ranks' store itself, so that nobody opens a `tcp://` address of the script's own and the ranks wait
for it until the timeout. It becomes `env://` where rank and size come from the launcher's environment, or the rank is
the local one, on one node and where only launched runs get to; else one process alone may rely on the address.

The script's option gets both spellings and the environment as its default, so that it works under every launcher, old
and new. A script whose value comes from LOCAL_RANK already is left alone. Programs that start their ranks themselves
lose the launcher only when the number of ranks is shown to stay the same. `--launcher pytorch` is passed where the
script has that choice and does not distribute without it.

With `--launcher python` no launcher is left: scripts that wait for their rank in the environment get a loop that gives
each rank RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, waits, and fails as soon as one rank fails, after
it stopped the others. It needs bash, doesn't restart ranks, and stands only in scripts; other lines are refused.
`--launcher torchrun` keeps a launcher even where plain python would do, and refuses scripts that start their own
ranks.

Removing `set_start_method("spawn")` is offered as an unsafe fix: workers then start by fork, which is fast and shares
memory, but must not touch CUDA, or locks that threads of the parent hold.

In guides only lines are rewritten whose script is here, and refusals there aren't reported; sentences that name the
old launcher are reported where the commands of the guide change.

Refused, with the reason: lines whose script can't be found, options with their own `type`, `choices` or `nargs`,
defaults that `vars(args).update(...)` overwrites, parsers that come from elsewhere and may take local_rank, options
that come out of a table or a loop, `tcp://` addresses that more may rely on, here-documents that write a file whose
text a command of the same script reads (`wc job.sh`, `diff job.sh old.sh`).

References
----------
- PyTorch documentation: "Transitioning from torch.distributed.launch to torchrun"
- pytorch/pytorch#94505 (the argument became `--local-rank`)
- open-mmlab/OpenPCDet#1675, open-mmlab/OpenPCDet#696, OpenDriveLab/UniAD#230
"""

from __future__ import annotations

from ...rule import Rule, found_by
from .errors import ERRORS
from .screen import ID, SCREEN

RULE = Rule(
    id=ID,
    summary="Replace torch.distributed.launch by torchrun and read LOCAL_RANK",
    screen=SCREEN,
    find=found_by(__name__),
    documentation=__doc__,
    errors=ERRORS,
)
