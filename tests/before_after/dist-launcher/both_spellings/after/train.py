import argparse
import os

import torch
import torch.distributed as dist


def main(args):
    distributed = args.local_rank >= 0
    if distributed:
        dist.init_process_group('gloo')
    rank, world_size = (dist.get_rank(), dist.get_world_size()) if distributed else (0, 1)
    weight = torch.zeros(2, requires_grad=True)
    for _ in range(args.epochs):
        ((weight - rank) ** 2).sum().backward()
    if distributed:
        dist.all_reduce(weight.grad)
    gradients = [torch.zeros(2) for _ in range(world_size)]
    if distributed:
        dist.all_gather(gradients, weight.grad)
    if rank == 0:
        print(f'{world_size} ranks, local rank {args.local_rank}, gradients {[each.tolist() for each in gradients]}')
    if distributed:
        dist.destroy_process_group()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=3)
    parser.add_argument('--local-rank', '--local_rank', type=int, default=int(os.environ.get('LOCAL_RANK', -1)))
    main(parser.parse_args())
