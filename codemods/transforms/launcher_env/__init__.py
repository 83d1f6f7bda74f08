"""Reads of LOCAL_RANK and similar variables that fail where no launcher set them.

## What it finds
Reads of a process's number on its machine that raise where no launcher set it: `os.environ["LOCAL_RANK"]`,
`int(os.environ.get("SLURM_LOCALID"))`, `int(os.getenv("LOCAL_RANK"))`, also through `from os import environ`. Only
where a plain `python script.py` gets there: nothing on the way has asked for a launcher (`if "RANK" in os.environ`,
`if args.distributed`, `try`/`except KeyError`), the program doesn't set the variable itself, and it does not join a
process group in any case.

Where a document or a shell script of the repository starts the script by plain `python`, a read that needs a launcher
is reported also where the run joins a process group, in the `else` of a question for SLURM, and behind a test for
several GPUs. So is one in a script that always joins a process group, where no text of the repository names a launcher.

Reads of `RANK`, `WORLD_SIZE`, `SLURM_PROCID` and similar variables are reported in the same circumstances, and
rewritten only in the two cases named below. `NODE_RANK`, which no launcher sets, is reported behind a question for
ranks (`if WORLD_SIZE > 1`), where a file of the repository starts them by torchrun and none sets it.

## Why it breaks
`LOCAL_RANK` is set by torchrun, `SLURM_LOCALID` by srun. Started by hand, on Windows, in a debugger or a notebook, the
script ends before it begins: `KeyError: 'LOCAL_RANK'`, or `TypeError: int() argument must be a string, a bytes-like
object or a real number, not 'NoneType'`.

## Example
```python
import os

import torch


class Trainer:
    def __init__(self, device):
        self.device = device


if __name__ == "__main__":
    trainer = Trainer(device=torch.device(int(os.environ.get("SLURM_LOCALID"))))
    print("training on", trainer.device)
```

## Use instead
```python
import os

import torch


class Trainer:
    def __init__(self, device):
        self.device = device


if __name__ == "__main__":
    trainer = Trainer(device=torch.device(int(os.environ.get("SLURM_LOCALID", os.environ.get("LOCAL_RANK", 0)))))
    print("training on", trainer.device)
```

## Fix safety
Only a run that crashed changes: where the variable is set, the same value is read. One process alone is the first on
its machine, so 0 is what a launcher would have set. Where a rank or world size is read beside it without a default,
the local rank alone would not help, and nothing is rewritten, with one exception: where the program tests `WORLD_SIZE
> 1` before it joins, `LOCAL_RANK`, `RANK` and `WORLD_SIZE` get the values of one process (0, 0, 1) together.

Functions for launched runs only (they call `init_process_group`) keep their clear error. Where such a function reads
SLURM's variables by `int(os.environ.get(...))`, all of them take torchrun's as second choice (`SLURM_PROCID` or `RANK`,
`SLURM_NTASKS` or `WORLD_SIZE`, `SLURM_NNODES` or `GROUP_WORLD_SIZE`), so that it runs under both launchers; where this
is not possible for one of them, none is rewritten, and the report names that one.

`NODE_RANK` takes `GROUP_RANK` as second choice: torchrun's name for the number of the machine.

## References
- https://pytorch.org/docs/stable/elastic/run.html#environment-variables
- https://github.com/Stability-AI/StableCascade/issues/69
- https://github.com/facebookresearch/nougat/issues/46
"""

from __future__ import annotations

from ...rule import Rule, found_by
from .errors import ERRORS
from .screen import ID, SCREEN

RULE = Rule(
    id=ID,
    summary="Use local rank 0 where no launcher set it, instead of failing",
    screen=SCREEN,
    find=found_by(__name__),
    documentation=__doc__,
    errors=ERRORS,
)
