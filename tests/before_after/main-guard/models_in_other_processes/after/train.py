import multiprocessing as mp

import numpy as np
import torch
from torch import nn

scale = float(np.loadtxt('scale.csv'))
offset = float(np.loadtxt('offset.csv'))


class Policy(nn.Module):
    def forward(self, x):
        return x * scale


class Rows:
    def __init__(self, count):
        self.rows = [index + offset for index in range(count)]


def act(policy):
    print([float(policy(torch.tensor(value))) for value in Rows(3).rows])


if __name__ == '__main__':
    process = mp.Process(target=act, args=(Policy(),))
    process.start()
    process.join()
    assert process.exitcode == 0
