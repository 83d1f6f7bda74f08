import argparse
import datetime
import os

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--tcp_port", type=int, default=18888)
args = parser.parse_args()
rank = int(os.environ["RANK"])
dist.init_process_group(
    "gloo",
    init_method="env://",
    rank=rank,
    world_size=int(os.environ["WORLD_SIZE"]),
    timeout=datetime.timedelta(seconds=60),
)

weight = torch.zeros(2, requires_grad=True)
((weight + rank) ** 2).sum().backward()
dist.all_reduce(weight.grad)
if rank == 0:
    print(f"{dist.get_world_size()} ranks, summed gradient {weight.grad.tolist()}")
dist.destroy_process_group()
