"""Averaged models."""

from copy import deepcopy

import torch
import torch.nn as nn


def synchronise(model, group):
    return nn.SyncBatchNorm.convert_sync_batchnorm(model, process_group=group)


class Average:
    """Keeps a slow copy of a model."""

    def __init__(self, model: nn.Module, decay: float = 0.99):
        self.module = deepcopy(model)
        self.module.eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for ours, theirs in zip(self.module.parameters(), model.parameters()):
            ours.lerp_(theirs, 1 - self.decay)


def clone_model(model: nn.Module) -> nn.Module:
    return deepcopy(model)
