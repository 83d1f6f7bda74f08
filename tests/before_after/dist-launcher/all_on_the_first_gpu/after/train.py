import argparse
import os

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument(
    "--local-rank",
    "--local_rank",
    default=int(os.environ.get("LOCAL_RANK", 0)),
    type=int,
    help="Please ignore and do not set this argument.",
)
args = parser.parse_args()

device = f"cuda:{args.local_rank}"  # only named here: the test machine has none
dist.init_process_group("gloo")
model = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(model.weight)
model = torch.nn.parallel.DistributedDataParallel(model)
model(torch.tensor([[1.0 + int(os.environ["RANK"])]])).sum().backward()

told = [None] * dist.get_world_size()
dist.all_gather_object(told, (device, next(model.parameters()).grad.item()))
if dist.get_rank() == 0:
    print(len(told), "ranks on", [each[0] for each in told], end=", ")
    print("gradients", [each[1] for each in told])
dist.destroy_process_group()
