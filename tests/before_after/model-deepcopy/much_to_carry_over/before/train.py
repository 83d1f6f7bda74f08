#!/usr/bin/env python
"""Finetune with an averaged copy."""
import argparse
import copy
import os

import torch
import torch.distributed as dist

from compare import compare
from net import Encoder


# The training itself
def train(args, group):
    model = Encoder(args.width, group=group)
    if args.half:
        model.tail.half()
    for name, parameter in model.named_parameters():
        if name.startswith("embed"):
            parameter.requires_grad = False
    model.tail.eval()
    average = copy.deepcopy(model)
    compare(model, average)
    print("drop", [m.training for m in average.modules() if isinstance(m, torch.nn.Dropout)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=4)
    parser.add_argument("--half", action="store_true")
    dist.init_process_group("gloo")
    torch.manual_seed(7)
    train(parser.parse_args(), None if os.environ.get("NO_GROUP") else dist.new_group([0]))
    dist.destroy_process_group()
