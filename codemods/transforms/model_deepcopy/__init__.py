"""Build the copy of a model anew instead of `copy.deepcopy(model)`.

## What it finds
`copy.deepcopy(model)` where `model` is a `torch.nn.Module`: the EMA, teacher or target network of a training script.
Copies of configs, tensors and state dicts are left alone; so are layers cloned for a `ModuleList`, elements of a list
of models and snapshots of the best model, unless they are seen to hold a process group.

A finding is *proven* when the very model that is copied is seen to hold something that can't be copied: a process group
that the code makes or asks for (`dist.new_group()`, `dist.group.WORLD`, `get_..._group()`), a lock, or a tensor with
its gradient history that `forward` left on it. Where the copy is made by an EMA class or in another method, the callers
are looked at, also through lists and dicts of models; the group is followed to where it is made. It is *likely* where a
layer of the model keeps a group that some code of the repository passes to it, and where the model's class can't be
seen but the constructor of some layer of the repository keeps a group. It is *possible* elsewhere: that a variable is
called `group`, that a script trains distributed or imports Megatron or ColossalAI, proves nothing.
`AveragedModel(model)`, which deep-copies its argument, counts when the model is seen to hold a group. Reported without
a fix: models that FSDP or DeepSpeed has sharded, and other library classes that copy a model with a group or a lock
(timm's `ModelEma`, `ema_pytorch.EMA`).

## Why it breaks
Layers that talk to other ranks (sequence or tensor parallel, synchronised batch norm) hold a process group, and a
process group can be neither copied nor pickled:
`TypeError: cannot pickle 'torch._C._distributed_c10d.ProcessGroup' object`.

## Example
```python
from copy import deepcopy

import torch
import torch.distributed as dist
from torch import nn


class Block(nn.Module):
    def __init__(self, width, group):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.group = group


def main():
    dist.init_process_group("gloo")
    group = dist.new_group()
    model = Block(8, group)
    ema = deepcopy(model).eval().requires_grad_(False)
    return model, ema
```

## Use instead
```python
import torch
import torch.distributed as dist
from torch import nn


class Block(nn.Module):
    def __init__(self, width, group):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.group = group


def main():
    dist.init_process_group("gloo")
    group = dist.new_group()
    model = Block(8, group)
    # built anew, not deep-copied: process groups inside a model can't be copied
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        ema = Block(8, group)
    ema.load_state_dict(model.state_dict())
    ema = ema.eval().requires_grad_(False)
    return model, ema
```

## Fix safety
The copy is built by the same call and gets the state dict; whatever else a deep copy keeps (dtype, device, train or
eval mode, `requires_grad`, buffers outside the state dict, flags set on layers) is carried over where the lines that
follow don't settle it already, and torch's random state is left as it was. That holds only while the construction is in
sight, its arguments are unchanged and nothing unknown was done to the model in between. (Then both models share what a
model keeps of its arguments, such as a configuration.) Where it does not, as in an EMA class that gets a model, the
copy stays a deep copy, with the process groups shared, if the model is seen to hold some or training is distributed;
everything else is reported without a fix. Tensors that running the model left on it are not part of a copy built anew:
they couldn't be copied. The fix is unsafe where building the model loads pretrained weights (they would be loaded
twice), and where the program goes another way when the copy fails (`try` with an `except` that builds the model).

## References
- https://github.com/hpcaitech/Open-Sora/issues/28
- https://github.com/pytorch/pytorch/issues/73825
- https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from __future__ import annotations

from ...rule import Rule, found_by, found_per_file
from .errors import ERRORS
from .screen import ID, SCREEN

RULE = Rule(
    id=ID,
    summary="Build the copy of a model anew instead of deep-copying it",
    screen=SCREEN,
    find=found_by(__name__),
    per_file=found_per_file(__name__),
    documentation=__doc__,
    errors=ERRORS,
)
