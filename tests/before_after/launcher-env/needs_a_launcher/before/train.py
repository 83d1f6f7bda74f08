import os

import torch.distributed as dist


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("gloo")
    print("rank", dist.get_rank(), "on", local_rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
