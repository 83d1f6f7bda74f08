import os
import tempfile
from concurrent.futures import ProcessPoolExecutor


class LineCorpus(object):
    def __init__(self, args):
        self.root = args["root"]
        self.lines = open(os.path.join(args["root"], "corpus.txt"), encoding="utf-8")
        self.offsets = []
        while True:
            offset = self.lines.tell()
            if not self.lines.readline():
                break
            self.offsets.append(offset)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["lines"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lines = open(os.path.join(self.root, "corpus.txt"), encoding="utf-8")

    def line(self, index):
        self.lines.seek(self.offsets[index])
        return self.lines.readline().strip()


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "corpus.txt"), "w", encoding="utf-8") as f:
            f.write("eins\nzwei\ndrei\nvier\n")
        corpus = LineCorpus({"root": folder})
        with ProcessPoolExecutor(2) as pool:
            print(list(pool.map(corpus.line, range(len(corpus.offsets)))))


if __name__ == "__main__":
    main()
