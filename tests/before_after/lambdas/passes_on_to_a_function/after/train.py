import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset

from images import Batch, center_crop, load_image


class ImageFolder(Dataset):
    def __init__(self, paths, loader, transform):
        self.paths = paths
        self.loader = loader
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.transform(self.loader(self.paths[index]))


def get_dataset(paths, is_training, image_size):
    return ImageFolder(
        paths,
        loader=functools.partial(load_image, is_training=is_training, scale=2),
        transform=functools.partial(center_crop, image_size=image_size),
    )


def get_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--image-size", type=int, default=2)
    return parser


def validate(args, paths):
    crop = functools.partial(center_crop, image_size=args.image_size)
    dataset = ImageFolder(paths, functools.partial(load_image, is_training=False), crop)
    for batch in DataLoader(dataset, batch_size=2, num_workers=1, collate_fn=Batch.from_rows):
        print(batch.rows)


def main(args):
    torch.manual_seed(0)
    paths = ["a.png", "bb.png", "ccc.png"]
    dataset = get_dataset(paths, True, args.image_size)
    for batch in DataLoader(dataset, batch_size=2, num_workers=1, collate_fn=Batch.from_rows):
        print(batch.rows)
    validate(args, paths)


if __name__ == "__main__":
    main(get_parser().parse_args())
