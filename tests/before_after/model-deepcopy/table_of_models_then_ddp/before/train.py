import argparse
import os
from copy import deepcopy

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from compare import compare
from models import DiT_models


def requires_grad(model, flag=True):
    """
    Set requires_grad flag for all parameters in a model.
    """
    for p in model.parameters():
        p.requires_grad = flag


def main(args):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    device = torch.device("cpu")
    torch.manual_seed(args.global_seed * dist.get_world_size() + rank)
    sp_group = None if os.environ.get("NO_GROUP") else dist.new_group([0, 1])

    # Create model:
    model = DiT_models[args.model](
        num_classes=args.num_classes,  # the last one is "no class"
        group=sp_group,
    )
    # Note that parameter initialization is done within the DiT constructor
    ema = deepcopy(model).to(device)  # Create an EMA of the model for use after training
    requires_grad(ema, False)
    compare(model, ema)
    print("tied", ema.head.weight is ema.y_embedder.weight, ema.head.weight is model.head.weight)
    model = DDP(model.to(device))
    print("training", model.training, ema.training)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=str, choices=list(DiT_models.keys()), default="DiT-S")
    parser.add_argument("--num-classes", type=int, default=10)
    parser.add_argument("--global-seed", type=int, default=0)
    main(parser.parse_args())
