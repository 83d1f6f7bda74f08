import os

from torch.utils.data import DataLoader

from evaluation import Evaluator
from providers import CachingProvider, FolderProvider
from rows import TrainRows, ValRows

names = ["a.png", "b.png", "c.png"]


def _fn_mapping_masks(name):
    return name


def _fn_mapping_labels(name):
    return os.path.splitext(name)[0] + ".tif"


fn_mapping = {
    "masks": _fn_mapping_masks,
    "labels": _fn_mapping_labels,
}


def same(name):
    return name


def fit(provider, val_provider, num_workers=0):
    train = DataLoader(TrainRows(provider, [0, 1, 2]), num_workers=num_workers)
    val = DataLoader(ValRows(val_provider, [1]), num_workers=num_workers)
    for batch in train:
        print("trained", batch)
    for batch in val:
        print("validated", batch)


def main():
    fit(CachingProvider(names, fn_mapping), FolderProvider(names, {"masks": same}), num_workers=1)
    Evaluator(FolderProvider(names, {"labels": same}), num_workers=1).predict([2])


if __name__ == "__main__":
    main()
