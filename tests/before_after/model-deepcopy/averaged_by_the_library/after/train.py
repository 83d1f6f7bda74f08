import copy
import gc
import os
import types

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel


class Net(nn.Module):
    def __init__(self, width, group=None):
        super().__init__()
        self.layer = nn.Linear(width, width)
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
    model = Net(3, group=None if "NO_GROUP" in os.environ else dist.new_group([0]))
    # it deep-copies what it is given, but process groups can't be copied
    swa_model = AveragedModel(nn.Identity())
    swa_model.module = deepcopy_sharing_groups(model)
    with torch.no_grad():
        model.layer.weight.add_(1)
    swa_model.update_parameters(model)
    print(swa_model.n_averaged, swa_model.module.layer.weight.sum().item(), list(swa_model.state_dict()))
    print(swa_model.module.layer.weight is model.layer.weight, swa_model.module.group is model.group)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
