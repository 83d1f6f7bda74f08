import argparse
import os


def main(args):
    rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    shard = sorted(args.files)[rank::world_size]
    with open(f'{args.output}.{rank}', 'w') as out:
        out.write(f'rank {rank} of {world_size}: {" ".join(shard)}\n')


if __name__ == '__main__':
    parser = argparse.ArgumentParser('encode')
    parser.add_argument('--output', default='shards.txt')
    parser.add_argument('files', nargs='*')
    main(parser.parse_args())
