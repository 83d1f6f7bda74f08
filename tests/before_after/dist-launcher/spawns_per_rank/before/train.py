import argparse
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, meeting, gpus):
    dist.init_process_group("gloo", init_method=f"file://{meeting}", world_size=gpus, rank=rank)
    total = torch.tensor([rank + 1.0])
    dist.all_reduce(total)
    if rank == 0:
        print(f"trained with {gpus} ranks, total {total.item()}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, default=1)
    args = parser.parse_args()
    mp.spawn(worker, nprocs=args.gpus, args=(tempfile.mktemp(), args.gpus))
