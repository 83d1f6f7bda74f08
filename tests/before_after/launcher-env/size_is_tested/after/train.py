import os

import torch
import torch.distributed as dist

LOCAL_RANK = int(os.environ.get("LOCAL_RANK", 0))
RANK = int(os.environ.get("RANK", 0))
WORLD_SIZE = int(os.environ.get("WORLD_SIZE", 1))


def main():
    if WORLD_SIZE > 1:
        dist.init_process_group("gloo")
    model = torch.nn.Linear(2, 1)
    if WORLD_SIZE > 1:
        model = torch.nn.parallel.DistributedDataParallel(model)
    if RANK == 0:
        print("training on", f"cuda:{LOCAL_RANK}", "of", WORLD_SIZE, sum(p.numel() for p in model.parameters()))


if __name__ == "__main__":
    main()
