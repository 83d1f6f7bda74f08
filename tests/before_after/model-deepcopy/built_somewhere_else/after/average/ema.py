"""Averaged models."""

import gc
import types
from copy import deepcopy

import torch
import torch.nn as nn


def synchronise(model, group):
    return nn.SyncBatchNorm.convert_sync_batchnorm(model, process_group=group)


def deepcopy_sharing_groups(model):
    """`copy.deepcopy(model)`, but the copy uses the same process groups: those can't be copied."""
    shared, seen, todo = {}, {}, [model]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, (type, types.ModuleType, types.FunctionType, torch.Tensor)):
            continue
        seen[id(item)] = item  # kept alive, so that no id comes up again
        if isinstance(item, torch.distributed.ProcessGroup):
            shared[id(item)] = item
        else:
            todo += gc.get_referents(item)
    return deepcopy(model, shared)


class Average:
    """Keeps a slow copy of a model."""

    def __init__(self, model: nn.Module, decay: float = 0.99):
        self.module = deepcopy_sharing_groups(model)
        self.module.eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for ours, theirs in zip(self.module.parameters(), model.parameters()):
            ours.lerp_(theirs, 1 - self.decay)


def clone_model(model: nn.Module) -> nn.Module:
    return deepcopy_sharing_groups(model)
