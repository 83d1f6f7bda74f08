import os
import tempfile
from multiprocessing import Process


class PointStream:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")
        self.columns = self.file.readline().decode().split()

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["file"] = self.file.tell()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = open(self.path, "rb")
        self.file.seek(state["file"])

    def dump(self):
        for line in self.file:
            print(dict(zip(self.columns, line.decode().split())))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "points.txt")
        with open(path, "w") as f:
            f.write("x y z\n1 2 3\n4 5 6\n")
        stream = PointStream(path)
        worker = Process(target=stream.dump)
        worker.start()
        worker.join()
        print("exit code", worker.exitcode)


if __name__ == "__main__":
    main()
