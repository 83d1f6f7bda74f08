import operator as op
from multiprocessing import Pool


def columns(rows):
    with Pool(2) as pool:
        return pool.map(op.itemgetter(0), rows), pool.map(op.itemgetter(-1), rows)


if __name__ == "__main__":
    rows = [(1, "a"), (2, "b")]
    print(columns(rows), list(map(op.itemgetter(1), rows)))
