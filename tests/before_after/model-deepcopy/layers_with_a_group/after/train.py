import copy
import gc
import os
import types

import torch
import torch.distributed as dist
import torch.nn as nn


class ParallelLinear(nn.Module):
    """A linear layer whose output is summed over the ranks of a group."""

    def __init__(self, width, group):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.group = group

    def forward(self, x):
        x = self.linear(x)
        if self.group is not None:
            dist.all_reduce(x.detach(), group=self.group)
        return x


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


def _get_clones(module, n):
    return nn.ModuleList([deepcopy_sharing_groups(module) for _ in range(n)])


class Decoder(nn.Module):
    def __init__(self, layer, norm, depth):
        super().__init__()
        self.layers = _get_clones(layer, depth)
        self.norms = nn.ModuleList()
        for _ in range(depth):
            self.norms.append(copy.deepcopy(norm))

    def forward(self, x):
        for layer, norm in zip(self.layers, self.norms):
            x = norm(layer(x))
        return x


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    layer = ParallelLinear(3, group)
    decoder = Decoder(layer, nn.LayerNorm(3), 2)
    with torch.no_grad():
        print(decoder(torch.ones(2, 3)).square().mean().item())
    print([torch.equal(each.linear.weight, layer.linear.weight) for each in decoder.layers])
    print([each.group is group for each in decoder.layers], torch.rand(1).item())
    with torch.no_grad():
        layer.linear.weight.zero_()
    print([each.linear.weight.abs().sum().item() > 0 for each in decoder.layers])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
