import argparse
import multiprocessing as mp


class Weights:
    def __init__(self, first):
        self.first = first
        self.rest = {"b": first * 2}

    def of(self, word):
        return self.first if word == "a" else self.rest.get(word, 0)


# What runs in workers


def is_frequent(word):
    return table.get(word, 0) >= args.least


def weight(word):
    return weights.of(word) * table[word]


def frequent(words):
    pool = mp.Pool(
        processes=2,
        maxtasksperchild=4,
    )
    kept = [word for word, keep in zip(words, pool.map(is_frequent, words)) if keep]
    pool.close()
    pool.join()
    return kept


def main(args):
    words = frequent(sorted(table))
    with mp.Pool(2) as pool:
        print(words, pool.map(weight, words), args.least)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--least", type=int, default=1)
    args = parser.parse_args()

    table = {}
    for word in "a b a c b a".split():
        table[word] = table.get(word, 0) + 1
    weights = Weights(args.least)
    main(args)
