import functools
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, size):
        self.rows = [(i, i * i) for i in range(size)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def _build_loader_collate_fn(batch):
    return {
        "x": torch.tensor([x for x, _ in batch]),
        "y": torch.tensor([y for _, y in batch]),  # squares
    }


def _build_loader_worker_init_fn(cfg, worker):
    return random.seed(cfg["seed"] + worker)


def build_loader(cfg):
    dataset = Pairs(cfg["size"])
    # every worker draws its own numbers
    return DataLoader(
        dataset,
        batch_size=cfg["batch"],
        num_workers=2,
        collate_fn=_build_loader_collate_fn,
        worker_init_fn=functools.partial(_build_loader_worker_init_fn, cfg),
    )
