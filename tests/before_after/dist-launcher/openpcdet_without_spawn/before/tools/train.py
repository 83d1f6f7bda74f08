import argparse
import os

import torch
import torch.distributed as dist

import _init_path
from det3d.utils import common_utils


def parse_config():
    parser = argparse.ArgumentParser(description='arg parser')
    parser.add_argument('--batch_size', type=int, default=4, help='batch size for training')
    parser.add_argument('--launcher', choices=['none', 'pytorch', 'slurm'], default='none')
    parser.add_argument('--tcp_port', type=int, default=18888, help='tcp port for distributed training')
    parser.add_argument('--local_rank', type=int, default=None, help='local rank for distributed training')
    parser.add_argument('--set', dest='set_cfgs', default=None, nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    args = parse_config()
    if args.launcher == 'none':
        total_gpus, rank = 1, 0
    else:
        if args.local_rank is None:
            args.local_rank = int(os.environ.get('LOCAL_RANK', '0'))
        total_gpus, rank = getattr(common_utils, 'init_dist_%s' % args.launcher)(
            args.tcp_port, args.local_rank, backend='gloo'
        )

    losses = torch.tensor([float(rank + 1)])
    if total_gpus > 1:
        dist.all_reduce(losses)
    if rank == 0:
        print('total gpus:', total_gpus)
        print('batch size per gpu:', args.batch_size // total_gpus)
        print('summed loss:', losses.item())
    if total_gpus > 1:
        dist.destroy_process_group()


if __name__ == '__main__':
    main()
