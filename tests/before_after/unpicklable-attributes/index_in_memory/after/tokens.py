import mmap
import struct
from multiprocessing import Process, SimpleQueue


class TokenIndex:
    def __init__(self, path, mode="rb"):
        self.path = path
        self.mode = mode
        self.file = open(path, mode)
        self.memory = mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)
        self.file.close()

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["file"] = not self.file.closed
        del state["memory"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.file = open(self.path, self.mode)
        self.memory = mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)
        if not state["file"]:
            self.file.close()

    def __getitem__(self, i):
        return struct.unpack_from("<i", self.memory, 4 * i)[0]


def read(index, wanted, found):
    found.put([index[i] for i in wanted])


if __name__ == "__main__":
    with open("tokens.bin", "wb") as file:
        file.write(struct.pack("<4i", 50, 40, 30, 20))
    found = SimpleQueue()
    worker = Process(target=read, args=(TokenIndex("tokens.bin"), [3, 0], found))
    worker.start()
    worker.join()
    print(found.get() if worker.exitcode == 0 else "failed")
