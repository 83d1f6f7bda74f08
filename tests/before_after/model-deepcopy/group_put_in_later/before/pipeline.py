import copy

import torch.nn as nn


def split(whole_model, stages):
    """One copy of the model for each stage, with the layers of that stage."""
    parts = []
    for stage in range(stages):
        parts.append(build_stage(whole_model, stage, stages))
    return parts


def build_stage(whole_model, stage, stages):
    model = copy.deepcopy(whole_model)
    model.eval()
    if stage > 0:
        model.embedding = nn.Identity()
    if stage < stages - 1:
        model.head = nn.Identity()
    return model
