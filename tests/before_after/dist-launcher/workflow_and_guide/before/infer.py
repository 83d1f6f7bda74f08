import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor([float(os.environ["LOCAL_RANK"])])
dist.all_reduce(total)
if dist.get_rank() == 0:
    print("world size", dist.get_world_size(), "sum of local ranks", total.item())
dist.destroy_process_group()
