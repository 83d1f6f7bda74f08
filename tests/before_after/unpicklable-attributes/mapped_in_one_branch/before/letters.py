import mmap
import multiprocessing as mp


class Letters:
    def __init__(self, path, mapped=False):
        self.raw = open(path, "rb")
        self.file = self.raw
        self.mapped = mapped
        if self.mapped:
            self.file = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)

    def letter(self, at):
        self.file.seek(at)
        return self.file.read(1), type(self.file).__name__


class Text:
    def __init__(self, path, encoded):
        self.encoded = encoded
        if encoded:
            self.file = open(path, "rb")
        else:
            self.file = open(path, "rt")

    def letter(self, at):
        self.file.seek(at)
        return self.file.read(1), type(self.file).__name__


def show(letters, at):
    print(*letters.letter(at), flush=True)


if __name__ == "__main__":
    with open("letters.txt", "wb") as file:
        file.write(b"abcdef")
    for kind in (Letters, Text):
        for choice in (False, True):
            child = mp.Process(target=show, args=(kind("letters.txt", choice), 2))
            child.start()
            child.join()
