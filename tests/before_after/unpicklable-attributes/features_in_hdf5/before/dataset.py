import h5py
import torch
from torch.utils.data import Dataset


class FeatureDataset(Dataset):
    """Region features of images, one row per image."""

    def __init__(self, feature_file, split="train"):
        self.split = split
        self.h5 = h5py.File(feature_file, "r")
        self.features = self.h5[split]["features"]
        self.labels = self.h5[f"{split}/labels"][:]
        self.size = len(self.features)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return torch.from_numpy(self.features[index]), int(self.labels[index])
