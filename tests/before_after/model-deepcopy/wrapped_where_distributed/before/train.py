import argparse
import copy
import os

import torch
import torch.distributed as dist
import torch.nn as nn

from compare import compare


class Net(nn.Module):
    def __init__(self, width, group=None):
        super().__init__()
        self.stem = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)
        self.group = group

    def forward(self, x):
        return self.norm(self.stem(x))


def unwrap_model(model):
    return model.module if hasattr(model, "module") else model


def main(args):
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    model = Net(args.width, group=group)
    for p in model.stem.parameters():
        p.requires_grad = False
    if args.distributed:
        model = nn.parallel.DistributedDataParallel(model)
    model.train()
    ema = copy.deepcopy(unwrap_model(model))
    teacher = copy.deepcopy(model.module if args.distributed else model).eval()
    compare(unwrap_model(model), ema)
    compare(unwrap_model(model), teacher)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=3)
    parser.add_argument("--distributed", type=int, default=1)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(5)
    main(args)
    dist.destroy_process_group()
