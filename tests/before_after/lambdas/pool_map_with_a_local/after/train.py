import functools
import multiprocessing as mp

from scoring import score


def _evaluate_map(weights, bias, threshold, row):
    return score(row, weights) + bias > threshold


def evaluate(rows, weights, *, bias=0):
    threshold = max(weights) / 2
    with mp.Pool(processes=2) as pool:
        return pool.map(functools.partial(_evaluate_map, weights, bias, threshold), rows)


if __name__ == "__main__":
    print(evaluate([[1, 2], [0, 1], [3, 0]], [2, 1], bias=1))
