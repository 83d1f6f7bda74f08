import argparse
import os

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()

dist.init_process_group("gloo")
weight = torch.zeros(1, requires_grad=True)
(weight * dist.get_rank()).sum().backward()
dist.all_reduce(weight.grad)
told = [None] * dist.get_world_size()
dist.all_gather_object(told, (int(os.environ["LOCAL_RANK"]), weight.grad.item()))
if dist.get_rank() == 0:
    print(f"{len(told)} ranks, local ranks {[each[0] for each in told]}, gradients {[each[1] for each in told]}", flush=True)
dist.destroy_process_group()
