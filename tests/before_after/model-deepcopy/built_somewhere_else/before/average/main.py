import os

import torch
import torch.distributed as dist
import torch.nn as nn

from .compare import compare
from .ema import Average, clone_model, synchronise


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(2)
    net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Tanh())
    if "NO_GROUP" not in os.environ:
        net = synchronise(net, dist.new_group([0]))
    average = Average(net)
    compare(net, average.module)
    compare(net, clone_model(net))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
