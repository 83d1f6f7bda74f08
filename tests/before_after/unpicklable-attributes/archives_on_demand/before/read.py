import os
import tempfile
import zipfile
from multiprocessing import Pool


class Shards:
    def __init__(self, root):
        self.root = root
        self._open = {}
        self.size = len(self.shard("a").namelist())

    def shard(self, name):
        if name not in self._open:
            self._open[name] = zipfile.ZipFile(os.path.join(self.root, f"{name}.zip"))
        return self._open[name]

    def text(self, key):
        name, member = key
        return self.shard(name).read(member).decode()

    def close(self):
        for archive in self._open.values():
            archive.close()
        self._open.clear()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        for name in "ab":
            with zipfile.ZipFile(os.path.join(root, f"{name}.zip"), "w") as archive:
                archive.writestr("0", f"first of {name}")
                archive.writestr("1", f"second of {name}")
        shards = Shards(root)
        with Pool(2) as pool:
            print(shards.size, pool.map(shards.text, [("a", "0"), ("b", "1"), ("a", "1")]))
        shards.close()
