import functools

import torch
from torch import nn
from torch.utils.data import DataLoader


def _loader_collate_fn(vocab, rows):
    return torch.tensor([[vocab[word] for word in row] for row in rows])


class Trainer:
    def __init__(self, rows, vocab):
        self.rows = rows
        self.vocab = vocab
        self.net = nn.Linear(2, 1)

    def loader(self):
        return DataLoader(
            self.rows,
            batch_size=2,
            num_workers=1,
            collate_fn=functools.partial(_loader_collate_fn, self.vocab),
        )

    def run(self):
        for batch in self.loader():
            print(batch.tolist(), tuple(self.net(batch.float()).shape))


if __name__ == "__main__":
    Trainer([["a", "b"], ["b", "a"]], {"a": 1, "b": 2}).run()
