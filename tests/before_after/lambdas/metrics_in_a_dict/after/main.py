import functools
from multiprocessing import Process, SimpleQueue


def work(out, fn, rows):
    out.put([fn(row) for row in rows])


def in_worker(fn, rows):
    out = SimpleQueue()
    process = Process(target=work, args=(out, fn, rows))
    process.start()
    result = out.get()
    process.join()
    return result


def _build_metrics_accuracy(row):
    return row[0] / sum(row)


def _build_metrics_f_beta(beta, row):
    return (1 + beta) * row[0] / (row[0] + beta * row[1])


def build_metrics(beta):
    return {
        "accuracy": _build_metrics_accuracy,
        "f-beta": functools.partial(_build_metrics_f_beta, beta),
    }


def main():
    for name, metric in build_metrics(4).items():
        print(name, in_worker(metric, [[1, 3], [2, 2]]))


if __name__ == "__main__":
    main()
