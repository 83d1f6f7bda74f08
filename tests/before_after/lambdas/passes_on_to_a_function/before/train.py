import argparse

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
        loader=lambda x: load_image(path=x, is_training=is_training, scale=2),
        transform=lambda image: center_crop(image, image_size),
    )


def get_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--image-size", type=int, default=2)
    return parser


def validate(args, paths):
    crop = lambda image: center_crop(image, args.image_size)  # noqa: E731
    dataset = ImageFolder(paths, lambda path: load_image(path, False), crop)
    for batch in DataLoader(dataset, batch_size=2, num_workers=1, collate_fn=lambda rows: Batch.from_rows(rows)):
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
