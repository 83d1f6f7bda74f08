import mmap
import os
import tempfile
from multiprocessing import Pool

from base import Reader


class TokenReader(Reader):
    def __init__(self, path):
        super().__init__("tokens")
        self.path = path
        self.file = open(path, "rb")
        self.tokens = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)

    def fetch(self, index):
        return self.tokens[index * 3 : index * 3 + 3].decode()


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokens.bin")
        with open(path, "wb") as f:
            f.write(b"abcdefghi")
        reader = TokenReader(path)
        with Pool(2) as pool:
            print(pool.map(reader.read, range(3)))


if __name__ == "__main__":
    main()
