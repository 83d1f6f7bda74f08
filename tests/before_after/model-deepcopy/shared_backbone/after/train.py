import copy
import gc
import os
import types

import torch
import torch.distributed as dist
import torch.nn as nn


class Detector(nn.Module):
    def __init__(self, backbone, classes, group):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(4, classes)
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
    return copy.deepcopy(model, shared)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    backbone = nn.Linear(4, 4)
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    model = Detector(backbone, 2, group)
    ema = deepcopy_sharing_groups(model).eval()
    print(ema.backbone.weight is backbone.weight, torch.equal(ema.backbone.weight, backbone.weight))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
