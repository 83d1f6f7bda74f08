from collections import defaultdict
from multiprocessing import Pool


class Reader:
    def __init__(self, words):
        self.counts = defaultdict(lambda: 0)
        self.places = defaultdict(lambda: [])
        self.pairs = defaultdict(lambda: defaultdict(int))
        self.unknown = defaultdict(lambda: "<unk>")
        self.ranks = defaultdict(lambda: -1)
        for place, word in enumerate(words):
            self.counts[word] += 1
            self.places[word].append(place)
            self.pairs[word[0]][word] += 1

    def look_up(self, word):
        return (word, self.counts[word], self.places[word], dict(self.pairs[word[0]]), self.unknown[word], self.ranks[word])


if __name__ == "__main__":
    reader = Reader("a b a c".split())
    with Pool(2) as pool:
        for row in pool.map(reader.look_up, ["a", "c", "z"]):
            print(row)
