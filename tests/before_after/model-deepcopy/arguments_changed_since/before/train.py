from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn


def build(cfg):
    return nn.Sequential(*[nn.Linear(cfg["width"], cfg["width"]) for _ in range(cfg["depth"])])


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    cfg = {"width": 2, "depth": 2}
    model = build(cfg)
    cfg["depth"] = 5
    teacher = deepcopy(model).eval()
    print(len(model), len(teacher))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
