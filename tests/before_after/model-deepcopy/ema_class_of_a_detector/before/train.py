import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from compare import compare
from models import Detector
from utils.ema import ModelEMA


def train():
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    model = Detector(4, group)
    model.head.bias.requires_grad_(False)
    ema = ModelEMA(model)
    model = DDP(model)
    ema.update(model)
    compare(model.module, ema.ema)
    wrapped = ModelEMA(model)
    compare(model.module, wrapped.ema)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    train()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
