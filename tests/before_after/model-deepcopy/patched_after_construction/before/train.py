import copy
import functools
import os

import torch
import torch.distributed as dist
import torch.nn as nn

from compare import compare


class Channel:
    __slots__ = ("peers",)

    def __init__(self, group):
        self.peers = (group,)


class Layer(nn.Module):
    def __init__(self, width, group):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.group = group
        self.comm = {"reduce": [group], "sizes": [1, 2]}
        self.channel = Channel(group)
        self.gather = functools.partial(dist.all_gather_object, group=group)


class Stack(nn.Module):
    def __init__(self, width, group):
        super().__init__()
        self.a, self.b = Layer(width, group), Layer(width, group)
        self.group = group


def build_ema(width, group):
    stack = Stack(width, group)
    stack.names = ["cat", "dog"]
    stack.b.fc = nn.Linear(width, 1)
    stack.b.fc.weight.requires_grad = False
    ema = copy.deepcopy(stack).eval()
    return stack, ema


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(11)
    group = None if "NO_GROUP" in os.environ else dist.new_group([0, 1])
    stack, ema = build_ema(4, group)
    compare(stack, ema)
    print("names", ema.names, ema.names is stack.names, ema.b.fc)
    print("nested", ema.a.comm["reduce"][0] is group, ema.a.comm["sizes"] is stack.a.comm["sizes"])
    print("slot", ema.a.channel.peers[0] is group, ema.a.channel is stack.a.channel)
    print("partial", ema.a.gather.keywords["group"] is group)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
