import argparse
import os

import torch
import torch.distributed as dist


def init_dist_pytorch():
    dist.init_process_group('gloo')


def init_dist_slurm():
    os.environ['MASTER_PORT'] = os.environ['PORT']
    os.environ['MASTER_ADDR'] = os.environ['SLURM_LAUNCH_NODE_IPADDR']
    os.environ['WORLD_SIZE'] = os.environ['SLURM_NTASKS']
    os.environ['RANK'] = os.environ['SLURM_PROCID']
    os.environ['LOCAL_RANK'] = os.environ['SLURM_LOCALID']
    dist.init_process_group('gloo')


def main():
    parser = argparse.ArgumentParser(description='Train a detector')
    parser.add_argument('config')
    parser.add_argument('--launcher', choices=['none', 'pytorch', 'slurm'], default='none')
    parser.add_argument('--local_rank', '--local-rank', type=int, default=0)
    args = parser.parse_args()
    if 'LOCAL_RANK' not in os.environ:
        os.environ['LOCAL_RANK'] = str(args.local_rank)

    if args.launcher != 'none':
        {'pytorch': init_dist_pytorch, 'slurm': init_dist_slurm}[args.launcher]()
    weight = torch.zeros(2, requires_grad=True)
    ((weight - float(os.environ.get('RANK', 0))) ** 2).sum().backward()
    gradients = [weight.grad]
    if args.launcher != 'none':
        dist.all_reduce(weight.grad)
        gradients = [torch.zeros(2) for _ in range(dist.get_world_size())]
        dist.all_gather(gradients, weight.grad)
    if int(os.environ.get('RANK', 0)) == 0:
        print(f'{args.config}: {len(gradients)} ranks, gradients {[each.tolist() for each in gradients]}', flush=True)
    if args.launcher != 'none':
        dist.destroy_process_group()


if __name__ == '__main__':
    main()
