from torch.utils.data import Dataset


class BaseDataset(Dataset):
    def __init__(self, processor=None):
        self.processor = processor

    def __len__(self):
        return 4
