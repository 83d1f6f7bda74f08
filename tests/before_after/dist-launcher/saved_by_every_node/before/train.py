import argparse
import os

import torch
import torch.distributed as dist


def save_checkpoint(weight, name):
    torch.save(weight, name)
    with open("last.log", "a") as log:
        log.write("saved\n")


parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=int(os.environ.get("LOCAL_RANK", 0)))
args = parser.parse_args()

dist.init_process_group("gloo")
weight = torch.ones(1)
dist.all_reduce(weight)
if args.local_rank == 0:
    print("weight", weight.item())
if args.local_rank == 0:
    save_checkpoint(weight, f"last.{os.getpid()}.pt")
dist.destroy_process_group()
