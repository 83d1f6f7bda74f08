from torch.utils.data import Dataset, Subset

from base.base_dataset import BaseDataset


class DigitsDataset(BaseDataset):
    def __init__(self, root, normal_class=5):
        super().__init__(root)
        self.outlier_classes = list(range(0, 10))
        self.outlier_classes.remove(normal_class)
        target_transform = lambda y: self.offset + int(y in self.outlier_classes)
        self.train_set = Subset(Digits(self.root, target_transform), range(6))


class Digits(Dataset):
    def __init__(self, root, target_transform):
        self.root = root
        self.target_transform = target_transform

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index, self.target_transform(index)
