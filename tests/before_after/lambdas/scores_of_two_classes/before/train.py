import torch
from torch import multiprocessing as mp
from torch import nn


def first(a, b):
    return a - b


def second(a, b):
    return b - a


class Distance(nn.Module):
    def __init__(self, gamma, kind):
        super().__init__()
        self.gamma = gamma
        if kind == "first":
            self.function = first
        else:
            self.function = second

    def make(self, head):
        gamma = self.gamma
        if head:

            def score(x):
                return gamma - self.function(x, 1)

            return score

        def other(x):
            return gamma + self.function(x, 1)

        return other


class Table:
    def __init__(self):
        self.function = max


def show(scores):
    print([score(2) for score in scores], flush=True)


if __name__ == "__main__":
    distance = Distance(10, "second")
    worker = mp.Process(target=show, args=([distance.make(True), distance.make(False)],))
    worker.start()
    worker.join()
    print(worker.exitcode, Table().function([1, 2]), torch.tensor(1).item())
