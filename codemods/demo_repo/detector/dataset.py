"""Toy sweeps: a list of (class name, distance) pairs per index."""

import random


class SweepDataset:
    def __init__(self, length, config, transform=None):
        self.length = length
        self.config = config
        self.transform = transform

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        rng = random.Random(index)
        objects = [(name, rng.uniform(0, 100)) for name in self.config.class_names for _ in range(10)]
        if self.transform is not None:
            objects = self.transform(objects)
        return [name for name, distance in objects if distance <= self.config.class_range[name]]
