import os

from torch.utils.data import Dataset


def in_main_process():
    return os.environ.get("PARENT") == str(os.getpid())


def newest_part(root, split):
    parts = sorted(name for name in os.listdir(root) if name.startswith(split))
    return os.path.join(root, parts[-1])


class Features(Dataset):
    def __init__(self, root, split):
        # the newest part when training began
        self.lines = open(
            newest_part(root, split),
            buffering=4096,
            newline=None if in_main_process() else "",
        )

    def __len__(self):
        return 2

    def __getitem__(self, index):
        self.lines.seek(0)
        return self.lines.readlines()[index]
