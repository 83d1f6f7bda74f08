import argparse
import os

import torch
import torch.distributed as dist
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument(
    "--local-rank",
    "--local_rank",
    type=int,
    default=int(os.environ.get("LOCAL_RANK", -1)),
    help="set by the launcher",
)
args = parser.parse_args()

distributed = args.local_rank != -1
rank = 0
if distributed:
    dist.init_process_group("gloo")
    rank = dist.get_rank()

torch.manual_seed(0)
model = nn.Linear(2, 1)
if distributed:
    model = nn.parallel.DistributedDataParallel(model)
model(torch.full((1, 2), rank + 1.0)).sum().backward()
grad = next(model.parameters()).grad
everyone = [grad.clone() for _ in range(dist.get_world_size() if distributed else 1)]
if distributed:
    dist.all_gather(everyone, grad)
if rank == 0:
    print("gradients of all ranks:", [each.tolist() for each in everyone])
if distributed:
    dist.destroy_process_group()
