import os

import torch.distributed as dist

_GROUPS = {}


def get_sequence_parallel_group():
    if os.environ.get("NO_GROUP"):
        return None
    if "sp" not in _GROUPS:
        _GROUPS["sp"] = dist.new_group(list(range(dist.get_world_size())))
    return _GROUPS["sp"]
