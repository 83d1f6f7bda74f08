import argparse
import os


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
        rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    samples = list(range(6))[rank::world_size]
    with open(f'results.{rank}', 'w') as results:
        results.write(f'{args.config}: rank {rank} of {world_size} tests samples {samples}\n')


if __name__ == '__main__':
    main()
