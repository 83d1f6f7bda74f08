from pathlib import Path
from typing import Generic, TypeVar
from zipfile import ZipFile

from torch.utils.data import Dataset

T = TypeVar("T")


class Shards(Dataset[T], Generic[T]):
    """Rows of an archive, or of all archives of a folder."""

    def __init__(self, config):
        super().__init__()
        self.path = Path(config["src"])
        if not self.path.is_file():
            paths = sorted(self.path.glob("*.zip"))
            assert len(paths) > 0, f"no shards in {self.path}"
            self._names, self.shards = [], []
            self.paths = paths
            for path in paths:
                shard = self.connect(path)
                self.shards.append(shard)
                self._names.append(shard.namelist())
            self.count = sum(len(names) for names in self._names)
        else:
            self.shard = self.connect(self.path)
            self._names = self.shard.namelist()
            self.count = len(self._names)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        if "shards" in state:
            state["shards"] = []
        if "shard" in state:
            state["shard"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if "shards" in state:
            self.shards = []
            for path in self.paths:
                shard = self.connect(path)
                self.shards.append(shard)
        if "shard" in state:
            self.shard = self.connect(self.path)

    def connect(self, path):
        return ZipFile(path)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.path.is_file():
            return int(self.shard.read(self._names[index]))
        at = 0
        while index >= len(self._names[at]):
            index -= len(self._names[at])
            at += 1
        return int(self.shards[at].read(self._names[at][index]))
