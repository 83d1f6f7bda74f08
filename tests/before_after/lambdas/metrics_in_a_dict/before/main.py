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


def build_metrics(beta):
    return {
        "accuracy": lambda row: row[0] / sum(row),
        "f-beta": lambda row: (1 + beta) * row[0] / (row[0] + beta * row[1]),
    }


def main():
    for name, metric in build_metrics(4).items():
        print(name, in_worker(metric, [[1, 3], [2, 2]]))


if __name__ == "__main__":
    main()
