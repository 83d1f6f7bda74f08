import os
from torch.utils.data import DataLoader

from dataset import Images
from transforms import Compose, Lambda


def get_transform(args):
    size = args["size"]
    mean = 0.5 if args["normalize"] else 0.0
    return Compose([
        Lambda(lambda path: os.path.basename(path)),
        Lambda(lambda name: len(name) * size),
        Lambda(lambda x: (x - mean) / 2),
    ])


if __name__ == "__main__":
    dataset = Images(["a/b.png", "a/long.png"], get_transform({"size": 2, "normalize": True}))
    for batch in DataLoader(dataset, num_workers=1, batch_size=None):
        print(batch)
