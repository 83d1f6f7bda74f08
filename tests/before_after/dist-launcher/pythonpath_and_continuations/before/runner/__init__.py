import os

import torch.distributed as dist


class Config:

    def __init__(self, path):
        self.path = path


def init_dist(launcher, backend='nccl'):
    if launcher != 'pytorch':
        raise ValueError(f'Invalid launcher type: {launcher}')
    rank = int(os.environ['RANK'])
    dist.init_process_group(backend=backend, rank=rank)
