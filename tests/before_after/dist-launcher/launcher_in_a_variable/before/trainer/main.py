from options import base_parser


def run(args):
    with open(f'log.{args.local_rank}', 'w') as log:
        log.write(f'local rank {args.local_rank} with size {args.size}\n')


if __name__ == '__main__':
    run(base_parser().parse_args())
