import torch.utils.data


class Batch:
    @staticmethod
    def from_data_list(rows):
        return torch.tensor(rows)


class MaskingLoader(torch.utils.data.DataLoader):
    """Not used since the masks are made on the fly."""

    def __init__(self, dataset, batch_size=1, shuffle=True, **kwargs):
        super(MaskingLoader, self).__init__(
            dataset,
            batch_size,
            shuffle,
            collate_fn=lambda rows: Batch.from_data_list(rows),
            **kwargs)


class PairLoader(torch.utils.data.DataLoader):
    def __init__(self, dataset, batch_size=1, **kwargs):
        super(PairLoader, self).__init__(dataset, batch_size, collate_fn=Batch.from_data_list, **kwargs)
