import os

from torch.utils.data import Dataset


def in_main_process():
    return os.environ.get("PARENT") == str(os.getpid())


def newest_part(root, split):
    parts = sorted(name for name in os.listdir(root) if name.startswith(split))
    return os.path.join(root, parts[-1])


class Features(Dataset):
    def __init__(self, root, split):
        self.newest_part = newest_part(root, split)
        self.newline = None if in_main_process() else ""
        # the newest part when training began
        self.lines = open(
            self.newest_part,
            buffering=4096,
            newline=self.newline,
        )

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["lines"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lines = open(
            self.newest_part,
            buffering=4096,
            newline=self.newline,
        )

    def __len__(self):
        return 2

    def __getitem__(self, index):
        self.lines.seek(0)
        return self.lines.readlines()[index]
