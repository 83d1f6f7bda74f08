import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, args):
    args.local_rank = rank
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{args.port}", world_size=2, rank=args.local_rank)
    total = torch.tensor([10.0 * (rank + 1)])
    dist.all_reduce(total)
    if rank == 0:
        print("total", total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=23456)
    parser.add_argument("--local_rank", type=int, default=-1, help="set for each rank")
    mp.spawn(worker, nprocs=2, args=(parser.parse_args(),))
