import torch
from nuscenes.eval.detection.config import config_factory
from torch.utils.data import DataLoader, Dataset


class SweepDataset(Dataset):
    def __init__(self, sweeps, config):
        self.sweeps = sweeps
        self.config = config

    def __len__(self):
        return len(self.sweeps)

    def __getitem__(self, index):
        near = [name for name in self.config.class_names if self.config.class_range[name] > self.sweeps[index]]
        return torch.tensor([index, len(near)])


def main():
    eval_config = config_factory('detection_cvpr_2019')
    # nuscenes-devkit keeps a dict view here, and views can't be pickled
    eval_config.class_names = list(eval_config.class_names)
    dataset = SweepDataset([5, 35, 45], config=eval_config)
    for batch in DataLoader(dataset, batch_size=2, num_workers=1):
        print(batch.tolist())


if __name__ == '__main__':
    main()
