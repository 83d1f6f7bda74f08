"""Build the copy of a model anew instead of `copy.deepcopy(model)`.

## What it finds
`copy.deepcopy(model)` where `model` is a `torch.nn.Module`: the EMA, teacher or target network of a training script.
Copies of configs, tensors and state dicts are left alone; so are layers cloned for a `ModuleList`, elements of a list
of models and snapshots of the best model, unless they are seen to hold a process group.

A finding is *proven* when the model is seen to hold something that can't be copied: a process group, a lock, layers of
Megatron or ColossalAI, a tensor with its gradient history that `forward` left on it. Where the copy is made by an EMA
class or in another method, the callers and the class are looked at. It is *likely* when the script trains distributed
and the model's construction is in sight, else *possible*. `AveragedModel(model)`, which deep-copies what it is given,
counts when the model is seen to hold a group. Reported without a fix: models that FSDP or DeepSpeed has sharded, and
other library classes that copy a model with a group or a lock (timm's `ModelEma`, `ema_pytorch.EMA`).

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
sight, its arguments are unchanged and nothing unknown was done to the model in between. (What a model keeps of its
arguments, such as a configuration, both models share then.) Where it does not, as in an EMA class that is given a
model, the copy stays a deep copy, with the process groups shared, if the model is seen to hold some or training is
distributed; everything else is reported without a fix. Tensors that running the model left on it are not part of a copy
built anew: they couldn't be copied. The fix is unsafe where building the model loads pretrained weights: they would be
loaded twice.

## References
- https://github.com/hpcaitech/Open-Sora/issues/28
- https://github.com/pytorch/pytorch/issues/73825
- https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..finding import Confidence, Finding, Fix
from ..project import Project
from ..rewrite.model_copies import MAKERS, copies_in
from ..rewrite.model_edits import Rewrite, joint_edits, rewrite
from ..rewrite.model_scope import Copy, Evidence
from ..rewrite.models import Models

DEEPCOPY = re.compile(rf"\bdeepcopy\b|\b(?:{'|'.join(sorted(name.rpartition('.')[2] for name in MAKERS))})\(")


@dataclass(frozen=True)
class ModelDeepcopy:
    """See the module's docstring."""

    id: str = "model-deepcopy"
    summary: str = "Build the copy of a model anew instead of deep-copying it"
    screen: re.Pattern[bytes] = re.compile(DEEPCOPY.pattern.encode())

    def find(self, project: Project) -> Iterable[Finding]:
        """Findings, fixes of one file and confidence together (they share helper functions and the import)."""
        models = Models(project)
        for source in project.matching(DEEPCOPY):
            copies = copies_in(models, source.path)
            if copies:
                yield from self._file(models, copies)

    def _file(self, models: Models, copies: list[Copy]) -> Iterable[Finding]:
        results = [(copy, rewrite(models, copy)) for copy in copies]
        groups: dict[tuple[Confidence, str | None], list[Rewrite]] = {}
        for copy, result in results:
            if isinstance(result, Rewrite):
                groups.setdefault((copy.confidence, result.unsafe), []).append(result)
        fixes: dict[tuple[Confidence, str | None], Fix | str] = {
            key: joint_edits(models, members) for key, members in groups.items()
        }
        for copy, result in results:
            answer = fixes[copy.confidence, result.unsafe] if isinstance(result, Rewrite) else result
            yield Finding(
                self.id,
                copy.path,
                copy.span,
                _message(copy),
                copy.confidence,
                copy.trace,
                fix=answer if isinstance(answer, Fix) else None,
                reason=answer if isinstance(answer, str) else None,
            )


def _message(copy: Copy) -> str:
    if copy.evidence is Evidence.SHARDED:
        return f"`{copy.text}` fails: FSDP and DeepSpeed shard a model over the ranks, and that can't be copied"
    if copy.evidence is Evidence.CACHE:
        return (
            f"`{copy.text}` fails: running the model keeps a tensor on it that is part of a gradient's history, and "
            "only leaf tensors can be copied"
        )
    if copy.evidence is Evidence.LOCK:
        return f"`{copy.text}` fails: the model holds a lock, and locks can't be copied"
    if copy.confidence is Confidence.PROVEN:
        return f"`{copy.text}` fails: the model holds a process group, and process groups can't be copied"
    return f"`{copy.text}` fails if the model's layers hold a process group: process groups can't be copied"


RULE = ModelDeepcopy()
