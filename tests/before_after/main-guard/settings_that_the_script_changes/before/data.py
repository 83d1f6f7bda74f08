from config import cfg
from torch.utils.data import Dataset


class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index * cfg["scale"]
