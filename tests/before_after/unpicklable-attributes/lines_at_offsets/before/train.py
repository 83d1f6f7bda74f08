import os
import tempfile
from concurrent.futures import ProcessPoolExecutor


class LineCorpus(object):
    def __init__(self, args):
        self.lines = open(os.path.join(args["root"], "corpus.txt"), encoding="utf-8")
        self.offsets = []
        while True:
            offset = self.lines.tell()
            if not self.lines.readline():
                break
            self.offsets.append(offset)

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
