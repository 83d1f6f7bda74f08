import multiprocessing as mp

from worker import score


class _MetricsWeighted:
    __name__ = "weighted"

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, row):
        return self.weight * sum(row)


def spread(row):
    return max(row) - min(row)


def metrics(weight):
    weighted = _MetricsWeighted(weight)

    return [weighted, spread]


if __name__ == "__main__":
    out = mp.Queue()
    for metric in metrics(0.5):
        process = mp.Process(target=score, args=(metric, [[1, 2], [3, 7]], out))
        process.start()
        print(*out.get())
        process.join()
