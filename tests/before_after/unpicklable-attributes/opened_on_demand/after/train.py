import os
import tempfile
import zipfile
from multiprocessing import Pool


class LazyArchive:
    def __init__(self, path):
        self.path = path
        self._zip = None
        self.size = len(self._open().namelist())

    def __getstate__(self):
        state = self.__dict__.copy()
        # can't be pickled; opened again where it is needed
        state["_zip"] = None
        return state

    def _open(self):
        if self._zip is None:
            self._zip = zipfile.ZipFile(self.path)
        return self._zip

    def read(self, name):
        return self._open().read(name).decode()

    def close(self):
        if self._zip is not None:
            self._zip.close()
        self._zip = None


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "labels.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a", "cat")
            archive.writestr("b", "dog")
        labels = LazyArchive(path)
        with Pool(2) as pool:
            print(labels.size, pool.map(labels.read, ["a", "b", "a"]))
        labels.close()


if __name__ == "__main__":
    main()
