import argparse
import os

import torch
import torch.distributed as dist

import _init_path
from det3d import common_utils


def parse_config():
    parser = argparse.ArgumentParser(description='arg parser')
    parser.add_argument('--devices', type=int, default=8)
    parser.add_argument('--launcher', choices=['none', 'pytorch', 'slurm'], default='none')
    parser.add_argument('--tcp_port', type=int, default=18888, help='tcp port for distributed training')
    parser.add_argument(
        '--local-rank',
        '--local_rank',
        type=int,
        default=int(os.environ.get('LOCAL_RANK', 0)),
        help='local rank for distributed training',
    )
    return parser.parse_args()


def main():
    args = parse_config()
    if args.launcher == 'none':
        total_gpus, rank = 1, 0
    else:
        total_gpus, rank = getattr(common_utils, 'init_dist_%s' % args.launcher)(
            args.devices, args.tcp_port, args.local_rank, backend='gloo'
        )

    weight = torch.zeros(2, requires_grad=True)
    ((weight + rank) ** 2).sum().backward()
    if total_gpus > 1:
        dist.all_reduce(weight.grad)
    if rank == 0:
        print(f'{total_gpus} ranks, summed gradient {weight.grad.tolist()}')
    if total_gpus > 1:
        dist.destroy_process_group()


if __name__ == '__main__':
    main()
