"""A moving average of a model's weights."""
import gc
import math
import types
from copy import deepcopy

import torch
import torch.nn as nn


def is_parallel(model):
    return isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel))


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


class ModelEMA:
    """Keeps an average of everything in the state dict of a model."""

    def __init__(self, model, decay=0.9999, updates=0):
        # Create EMA
        self.ema = deepcopy_sharing_groups(model.module if is_parallel(model) else model).eval()  # FP32 EMA
        self.updates = updates
        self.decay = lambda x: decay * (1 - math.exp(-x / 2000))
        for p in self.ema.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = self.decay(self.updates)
        msd = (model.module if is_parallel(model) else model).state_dict()
        for k, v in self.ema.state_dict().items():
            if v.dtype.is_floating_point:
                v.mul_(d).add_(msd[k].detach(), alpha=1 - d)
