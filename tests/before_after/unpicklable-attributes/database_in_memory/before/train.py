import sqlite3
from multiprocessing import Pool


class Vocabulary:
    def __init__(self, words):
        self.db = sqlite3.connect(":memory:")
        self.size = len(words)

    def number(self, word):
        return len(word) % self.size


def main():
    vocabulary = Vocabulary(["a", "b", "c"])
    with Pool(2) as pool:
        print(pool.map(vocabulary.number, ["tree", "house"]))


if __name__ == "__main__":
    main()
