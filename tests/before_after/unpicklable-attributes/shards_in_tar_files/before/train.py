import io
import os
import tempfile
from multiprocessing import Pool


class Shards:
    def __init__(self, paths):
        import tarfile

        self.paths = list(paths)
        self.tars = [tarfile.open(path) for path in self.paths]

    def read(self, which):
        shard, name = which
        return self.tars[shard].extractfile(name).read().decode()


def write(path, texts):
    import tarfile

    with tarfile.open(path, "w") as tar:
        for name, text in texts.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"shard{number}.tar") for number in range(2)]
        for number, path in enumerate(paths):
            write(path, {"a.txt": f"a of {number}", "b.txt": f"b of {number}"})
        shards = Shards(paths)
        with Pool(2) as pool:
            print(pool.map(shards.read, [(0, "a.txt"), (1, "b.txt"), (1, "a.txt")]))


if __name__ == "__main__":
    main()
