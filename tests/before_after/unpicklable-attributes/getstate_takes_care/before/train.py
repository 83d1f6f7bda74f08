import os
import tempfile
import zipfile
from multiprocessing import Pool


class Base:
    def __getstate__(self):
        return dict(self.__dict__, _zip=None)


class Images(Base):
    def __init__(self, path):
        self.path = path
        self._zip = zipfile.ZipFile(path)
        self.names = self._zip.namelist()

    def size(self, index):
        if self._zip is None:
            self._zip = zipfile.ZipFile(self.path)
        return len(self._zip.read(self.names[index]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "images.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a", "xx")
            archive.writestr("b", "yyy")
        images = Images(path)
        with Pool(2) as pool:
            print(pool.map(images.size, range(2)))


if __name__ == "__main__":
    main()
