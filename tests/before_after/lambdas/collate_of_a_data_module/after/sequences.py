import functools


def _collate_batch(vocab, batch):
    longest = max(len(row) for row in batch)
    return [row + [vocab["<pad>"]] * (longest - len(row)) for row in batch]


class ListOps:
    def process(self):
        rows = {"train": [[1, 2], [3]], "test": [[4]]}
        return rows, {"<pad>": 0}

    def setup(self):
        rows, self.vocab = self.process()
        self.dataset_train, self.dataset_test = rows["train"], rows["test"]

        collate_batch = functools.partial(_collate_batch, self.vocab)

        self._collate_fn = collate_batch
