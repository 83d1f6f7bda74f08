import argparse
import datetime
import os

import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--tcp_port", type=int, default=18888)
args = parser.parse_args()
dist.init_process_group(
    "gloo",
    init_method="tcp://127.0.0.1:%d" % args.tcp_port,
    rank=int(os.environ["RANK"]),
    world_size=int(os.environ["WORLD_SIZE"]),
    timeout=datetime.timedelta(seconds=4),
)
print("joined")
