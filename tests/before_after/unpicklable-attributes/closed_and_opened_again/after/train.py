import os
import tempfile
from multiprocessing import Process


class Volume:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")
        self.size = self.file.seek(0, os.SEEK_END)
        self.file.close()

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["file"] = not self.file.closed
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = open(self.path, "rb")
        if not state["file"]:
            self.file.close()

    def show(self, start):
        if self.file.closed:
            self.file = open(self.path, "rb")
        self.file.seek(start)
        print(start, self.file.read(2), flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "volume.raw")
        with open(path, "wb") as file:
            file.write(bytes(range(8)))
        volume = Volume(path)
        print(volume.size, volume.file.closed, flush=True)
        for start in (2, 6):
            worker = Process(target=volume.show, args=(start,))
            worker.start()
            worker.join()
        print(volume.file.closed)


if __name__ == "__main__":
    main()
