# Copyright (c) the authors. All rights reserved.
import argparse
import os
import os.path as osp

import torch
import torch.distributed as dist

from runner import Config, init_dist


def parse_args():
    parser = argparse.ArgumentParser(description='Train a detector')
    parser.add_argument('config', help='train config file path')
    parser.add_argument('--work-dir', help='the dir to save logs and models')
    parser.add_argument(
        '--launcher',
        choices=['none', 'pytorch', 'slurm', 'mpi'],
        default='none',
        help='job launcher')
    parser.add_argument('--local_rank', type=int, default=0)
    args = parser.parse_args()
    if 'LOCAL_RANK' not in os.environ:
        os.environ['LOCAL_RANK'] = str(args.local_rank)
    return args


def main():
    args = parse_args()
    cfg = Config(args.config)
    if args.launcher == 'none':
        distributed = False
    else:
        distributed = True
        init_dist(args.launcher, backend='gloo')
    ids = torch.tensor([int(os.environ['LOCAL_RANK'])])
    seen = [ids]
    if distributed:
        seen = [torch.zeros_like(ids) for _ in range(dist.get_world_size())]
        dist.all_gather(seen, ids)
    if not distributed or dist.get_rank() == 0:
        print(f'{osp.basename(cfg.path)}: trained on {len(seen)} ranks, local ranks {[int(i) for i in seen]}')
    if distributed:
        dist.destroy_process_group()


if __name__ == '__main__':
    main()
