import gc
import os
import types
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn


class Layers(nn.Sequential):
    def __init__(self, cfg, group):
        super().__init__(*[nn.Linear(cfg["width"], cfg["width"]) for _ in range(cfg["depth"])])
        self.group = group


def deepcopy_sharing_groups(model):
    """`copy.deepcopy(model)`, but the copy uses the same process groups: those can't be copied."""
    shared, seen, todo = {}, {}, [model]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, (type, types.ModuleType, types.FunctionType, torch.Tensor)):
            continue
        seen[id(item)] = item  # kept alive, so that no id comes up again
        if isinstance(item, dist.ProcessGroup):
            shared[id(item)] = item
        else:
            todo += gc.get_referents(item)
    return deepcopy(model, shared)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    cfg = {"width": 2, "depth": 2}
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    model = Layers(cfg, group)
    cfg["depth"] = 5
    teacher = deepcopy_sharing_groups(model).eval()
    print(len(model), len(teacher))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
