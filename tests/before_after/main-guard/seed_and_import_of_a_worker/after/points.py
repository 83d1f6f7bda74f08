import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor(index)


import random, time

manual_seed = 123


def worker_init_fn(worker_id):
    random.seed(manual_seed + worker_id)


if __name__ == "__main__":
    points = Points()
    print("size", len(points))
    random.seed(manual_seed)
    loader = DataLoader(points, batch_size=2, num_workers=2, worker_init_fn=worker_init_fn)
    start = time.time()
    for batch in loader:
        print(batch.tolist())
    print("fast", time.time() - start < 1000)
