import argparse
import os

import torch
import torch.distributed as dist


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    weight = torch.nn.Parameter(torch.ones(1))
    for _ in range(args.steps):
        (weight * float(dist.get_rank() + 1)).sum().backward()
    dist.all_reduce(weight.grad)
    if dist.get_rank() == 0:
        print("ranks", dist.get_world_size(), "local rank", os.environ["LOCAL_RANK"], "gradient", weight.grad.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
