import argparse
import os

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--name")
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()

dist.init_process_group("gloo")
device = torch.tensor([args.local_rank])
devices = [torch.zeros_like(device) for _ in range(dist.get_world_size())]
dist.all_gather(devices, device)
if int(os.environ["RANK"]) == 0:
    print(args.name, "is scored on devices", [each.item() for each in devices])
dist.destroy_process_group()
