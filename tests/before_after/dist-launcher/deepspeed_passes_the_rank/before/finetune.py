import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-5)
parser.add_argument("--local_rank", type=int, default=-1, help="local rank passed from the distributed launcher")
args = parser.parse_args()

dist.init_process_group("gloo")  # as deepspeed.init_distributed does
weight = torch.zeros(1, requires_grad=True)
(weight * (args.local_rank + 1)).sum().backward()
dist.all_reduce(weight.grad)
told = [None] * dist.get_world_size()
dist.all_gather_object(told, (args.local_rank, weight.grad.item()))
if args.local_rank == 0:
    print(f"{len(told)} ranks, local ranks {[each[0] for each in told]}, gradients {[each[1] for each in told]}", flush=True)
dist.destroy_process_group()
