import argparse
import datetime
import os

import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--num_gpus", type=int, default=1)
parser.add_argument("--port", type=int, default=18888)
parser.add_argument("--local_rank", type=int, default=int(os.environ.get("LOCAL_RANK", 0)))
args = parser.parse_args()
dist.init_process_group(
    "gloo",
    init_method=f"tcp://127.0.0.1:{args.port}",
    rank=args.local_rank,
    world_size=args.num_gpus,
    timeout=datetime.timedelta(seconds=60),
)
print("joined")
