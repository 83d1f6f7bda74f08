from torch.utils.data import DataLoader

from rows import SequentialRows


class Evaluator:
    def __init__(self, provider, num_workers=0):
        self.provider = provider
        self.num_workers = num_workers

    def predict(self, indexes):
        rows = SequentialRows(self.provider, indexes)
        for batch in DataLoader(rows, num_workers=self.num_workers):
            print("predicted", batch)
