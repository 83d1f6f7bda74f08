import datetime

import torch.distributed as dist


def init_dist_slurm(num_gpus, tcp_port, local_rank, backend='nccl'):
    dist.init_process_group(backend=backend, init_method='tcp://%s:%d' % (first_host(), tcp_port))
    return dist.get_world_size(), dist.get_rank()


def init_dist_pytorch(num_gpus, tcp_port, local_rank, backend='nccl'):
    dist.init_process_group(
        backend=backend,
        init_method='tcp://127.0.0.1:%d' % tcp_port,
        rank=local_rank,
        world_size=num_gpus,
        timeout=datetime.timedelta(seconds=60)
    )
    return dist.get_world_size(), dist.get_rank()
