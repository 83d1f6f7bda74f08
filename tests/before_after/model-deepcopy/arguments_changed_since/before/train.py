import os
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn


class Layers(nn.Sequential):
    def __init__(self, cfg, group):
        super().__init__(*[nn.Linear(cfg["width"], cfg["width"]) for _ in range(cfg["depth"])])
        self.group = group


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    cfg = {"width": 2, "depth": 2}
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    model = Layers(cfg, group)
    cfg["depth"] = 5
    teacher = deepcopy(model).eval()
    print(len(model), len(teacher))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
