import argparse

import torch
import torch.distributed as dist


def parse_args():
    parser = argparse.ArgumentParser(description='Test a detector')
    parser.add_argument('config')
    parser.add_argument(
        '--launcher',
        choices=['none', 'pytorch', 'slurm', 'mpi'],
        default='none',
        help='job launcher')
    parser.add_argument('--cfg-options', nargs='+', default=[])
    return parser.parse_args()


def main():
    args = parse_args()
    rank, world_size = 0, 1
    if args.launcher != 'none':
        dist.init_process_group('gloo')
        rank, world_size = dist.get_rank(), dist.get_world_size()
    samples = list(range(6))[rank::world_size]
    tested = torch.tensor(len(samples))
    if args.launcher != 'none':
        dist.all_reduce(tested)
    with open(f'results.{rank}', 'w') as results:
        results.write(f'{args.config}: rank {rank} of {world_size} tests {samples} of {tested.item()} samples\n')
    if args.launcher != 'none':
        dist.destroy_process_group()


if __name__ == '__main__':
    main()
