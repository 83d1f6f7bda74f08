"""Distributed training with an averaged copy of the model. Needs torch."""

import argparse
from copy import deepcopy

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from detector.model import Detector


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--steps", type=int, default=10)
    return parser.parse_args()


def main():
    args = parse_args()
    if args.local_rank != -1:
        dist.init_process_group("gloo")

    group = dist.new_group()
    model = Detector(args.width, num_classes=3, process_group=group)
    ema = deepcopy(model).eval().requires_grad_(False)
    ddp = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)

    for step in range(args.steps):
        loss = ddp(torch.randn(8, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for average, value in zip(ema.parameters(), model.parameters()):
                average.lerp_(value, 0.01)
    if dist.get_rank() == 0:
        print(f"loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
