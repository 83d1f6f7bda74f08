import torch.distributed as dist


def init_dist_pytorch(tcp_port, local_rank, backend='nccl'):
    # os.environ['MASTER_PORT'] = str(tcp_port)

    dist.init_process_group(
        backend=backend,
        # init_method='tcp://127.0.0.1:%d' % tcp_port,
    )
    return dist.get_world_size(), dist.get_rank()
