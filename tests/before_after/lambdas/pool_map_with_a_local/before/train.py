import multiprocessing as mp

from scoring import score


def evaluate(rows, weights, *, bias=0):
    threshold = max(weights) / 2
    with mp.Pool(processes=2) as pool:
        return pool.map(lambda row: score(row, weights) + bias > threshold, rows)


if __name__ == "__main__":
    print(evaluate([[1, 2], [0, 1], [3, 0]], [2, 1], bias=1))
