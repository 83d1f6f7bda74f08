import copy

import torch
import torch.distributed as dist
import torch.nn as nn


class Detector(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(4, classes)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    backbone = nn.Linear(4, 4)
    model = Detector(backbone, classes=2)
    ema = copy.deepcopy(model).eval()
    print(ema.backbone.weight is backbone.weight, torch.equal(ema.backbone.weight, backbone.weight))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
