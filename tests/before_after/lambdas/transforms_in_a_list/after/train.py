import functools
import os
from torch.utils.data import DataLoader

from dataset import Images
from transforms import Compose, Lambda


def _get_transform_basename(path):
    return os.path.basename(path)


def _get_transform_fn(size, name):
    return len(name) * size


def _get_transform_scale(mean, x):
    return (x - mean) / 2


def get_transform(args):
    size = args["size"]
    mean = 0.5 if args["normalize"] else 0.0
    return Compose([
        Lambda(_get_transform_basename),
        Lambda(functools.partial(_get_transform_fn, size)),
        Lambda(functools.partial(_get_transform_scale, mean)),
    ])


if __name__ == "__main__":
    dataset = Images(["a/b.png", "a/long.png"], get_transform({"size": 2, "normalize": True}))
    for batch in DataLoader(dataset, num_workers=1, batch_size=None):
        print(batch)
