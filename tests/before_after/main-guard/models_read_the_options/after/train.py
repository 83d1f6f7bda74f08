import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument('--width', type=int, default=2)
parser.add_argument('--rows', choices=['few', 'many'], default='few')
opt = parser.parse_args()

torch.manual_seed(0)


class Rows(Dataset):
    def __init__(self, path, width):
        self.rows = torch.from_numpy(np.loadtxt(path, delimiter=',')).float()[:, :width]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Encoder(nn.Module):
    def __init__(self):
        super(Encoder, self).__init__()
        self.main = nn.Linear(width, channels, bias=False)

    def forward(self, x):
        return self.main(x.to(device))

    def inference(self):
        return torch.cat([self(batch) for batch in loader])


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.5)


def evaluate():
    return float((model.inference() - mean).sum())


if __name__ == '__main__':
    if opt.rows == 'few':
        dataset = Rows('few.csv', opt.width)
        channels = 1
    else:
        dataset = Rows('many.csv', opt.width)
        channels = 2

    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    device = torch.device('cpu')
    width = opt.width

    model = Encoder().to(device)
    model.apply(init_weights)
    mean = dataset.rows.mean().to(device)

    for batch in loader:
        print(batch.tolist())
    print(evaluate())
