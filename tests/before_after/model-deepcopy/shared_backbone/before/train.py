import copy
import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Detector(nn.Module):
    def __init__(self, backbone, classes, group):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(4, classes)
        self.group = group


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    backbone = nn.Linear(4, 4)
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    model = Detector(backbone, 2, group)
    ema = copy.deepcopy(model).eval()
    print(ema.backbone.weight is backbone.weight, torch.equal(ema.backbone.weight, backbone.weight))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
