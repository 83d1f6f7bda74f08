import argparse
from pathlib import Path

import torch
import torch.distributed as dist


def get_args():
    parser = argparse.ArgumentParser("finetune")
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--local_rank", type=int, required=True)
    return parser.parse_args()


def main():
    args = get_args()
    dist.init_process_group("gloo")
    weight = torch.ones(1, requires_grad=True)
    (weight * (dist.get_rank() + 1)).sum().backward()
    dist.all_reduce(weight.grad)
    told = f"local rank {args.local_rank} of {dist.get_world_size()}, gradient {weight.grad.item()}\n"
    Path(f"finetune.{args.local_rank}.log").write_text(told)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
