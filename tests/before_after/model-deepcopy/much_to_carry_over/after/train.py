#!/usr/bin/env python
"""Finetune with an averaged copy."""
import argparse
import os

import torch
import torch.distributed as dist

from compare import compare
from net import Encoder


def copy_unsaved_state(source, target):
    """Give `target`, a model built like `source`, what a state dict leaves out and `copy.deepcopy` keeps.

    That is dtype, device, `requires_grad`, buffers outside the state dict, train or eval mode, and flags set on layers.
    """
    originals = [*source.parameters(), *source.buffers()]
    for old, new in zip(originals, [*target.parameters(), *target.buffers()]):
        new.data = old.detach().clone()
        new.requires_grad_(old.requires_grad)
    for old, new in zip(source.modules(), target.modules()):
        flags = {name: value for name, value in vars(old).items() if isinstance(value, (bool, int, float, str))}
        vars(new).update(flags)


# The training itself
def train(args, group):
    model = Encoder(args.width, group=group)
    if args.half:
        model.tail.half()
    for name, parameter in model.named_parameters():
        if name.startswith("embed"):
            parameter.requires_grad = False
    model.tail.eval()
    # built anew, not deep-copied: process groups inside a model can't be copied
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        average = Encoder(args.width, group=group)
    average.load_state_dict(model.state_dict())
    copy_unsaved_state(model, average)
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
