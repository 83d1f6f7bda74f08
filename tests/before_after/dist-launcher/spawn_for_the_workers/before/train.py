import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, rank):
        self.numbers = [float(rank + 2 * index) for index in range(4)]

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return torch.tensor(self.numbers[index])


def main():
    mp.set_start_method("spawn", force=True)
    dist.init_process_group("gloo")
    weight = torch.zeros(1, requires_grad=True)
    for batch in DataLoader(Numbers(int(os.environ["LOCAL_RANK"])), batch_size=2, num_workers=1):
        (weight * batch).sum().backward()
    dist.all_reduce(weight.grad)
    gradients = [torch.zeros(1) for _ in range(dist.get_world_size())]
    dist.all_gather(gradients, weight.grad)
    if dist.get_rank() == 0:
        print(f"{len(gradients)} ranks, gradients {[each.item() for each in gradients]}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
