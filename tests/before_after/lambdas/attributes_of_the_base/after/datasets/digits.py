import functools

from torch.utils.data import Dataset, Subset

from base.base_dataset import BaseDataset


def _digits_dataset_target_transform(offset, outlier_classes, y):
    return offset + int(y in outlier_classes)


class DigitsDataset(BaseDataset):
    def __init__(self, root, normal_class=5):
        super().__init__(root)
        self.outlier_classes = list(range(0, 10))
        self.outlier_classes.remove(normal_class)
        target_transform = functools.partial(_digits_dataset_target_transform, self.offset, self.outlier_classes)
        self.train_set = Subset(Digits(self.root, target_transform), range(6))


class Digits(Dataset):
    def __init__(self, root, target_transform):
        self.root = root
        self.target_transform = target_transform

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index, self.target_transform(index)
