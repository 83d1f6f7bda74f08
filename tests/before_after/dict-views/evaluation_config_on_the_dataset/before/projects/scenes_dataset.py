import torch
from torch.utils.data import Dataset

from devkit.config import config_factory


class ScenesDataset(Dataset):
    """Frames of driving scenes with the boxes that count for the benchmark."""

    def __init__(self, length, eval_version='detection_small'):
        super().__init__()
        self.length = length
        self.eval_version = eval_version
        self.eval_detection_configs = config_factory(self.eval_version)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        ranges = self.eval_detection_configs.class_range
        names = [name for name in self.eval_detection_configs.class_names if ranges[name] > 10 * index]
        return torch.tensor([index, len(names)])
