import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, args):
    dist.init_process_group(
        "gloo", init_method=f"tcp://127.0.0.1:{args.port}", world_size=args.world_size, rank=rank)
    total = torch.tensor([10.0 * (rank + 1)])
    dist.all_reduce(total)
    if rank == 0:
        print(f"{dist.get_world_size()} ranks, total {total.item()}")
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world-size", type=int, default=1)
    parser.add_argument("--port", type=int, default=23456)
    args = parser.parse_args()
    mp.spawn(worker, nprocs=args.world_size, args=(args,))


if __name__ == "__main__":
    main()
