import argparse
import logging
import os

import torch
import torch.distributed as dist

logger = logging.getLogger(__name__)


def train(opt):
    rank, world_size = 0, 1
    if opt.local_rank != -1:
        dist.init_process_group(backend='gloo', init_method='env://')
        rank, world_size = dist.get_rank(), dist.get_world_size()
        assert opt.batch_size % world_size == 0, '--batch-size must be a multiple of the number of GPUs'
    gradient = torch.arange(4.0)[rank::world_size].sum()
    if world_size > 1:
        dist.all_reduce(gradient)
    if rank == 0:
        print(f'world size {world_size}, batch per GPU {opt.batch_size // world_size}, gradient {gradient.item()}')
    if world_size > 1:
        dist.destroy_process_group()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--batch-size', type=int, default=16, help='total batch size for all GPUs')
    parser.add_argument(
        '--local-rank',
        '--local_rank',
        type=int,
        default=int(os.environ.get('LOCAL_RANK', -1)),
        help='DDP parameter, do not modify',
    )
    opt = parser.parse_args()
    train(opt)
