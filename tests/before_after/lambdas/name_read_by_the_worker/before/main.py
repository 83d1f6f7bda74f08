import multiprocessing as mp

from worker import score


def metrics(weight):
    def weighted(row):
        return weight * sum(row)

    def spread(row):
        return max(row) - min(row)

    return [weighted, spread]


if __name__ == "__main__":
    out = mp.Queue()
    for metric in metrics(0.5):
        process = mp.Process(target=score, args=(metric, [[1, 2], [3, 7]], out))
        process.start()
        print(*out.get())
        process.join()
