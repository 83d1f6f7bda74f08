from copy import deepcopy

import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)


def main():
    dist.init_process_group("gloo")
    model = Net(4)
    fully_shard(model, mesh=init_device_mesh("cpu", (1,)))
    ema = deepcopy(model).eval()
    print(sum(p.numel() for p in ema.parameters()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
