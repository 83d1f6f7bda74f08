import gc
import os
import tempfile
import types
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, weights, group):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.fc.load_state_dict(torch.load(weights))
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


def main(folder):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    weights_path = os.path.join(folder, "net.pt")
    torch.save(nn.Linear(2, 2).state_dict(), weights_path)
    group = dist.new_group([0])
    model = Net(weights_path, group)
    ema = deepcopy_sharing_groups(model).eval()
    print(torch.equal(ema.fc.weight, model.fc.weight))
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
