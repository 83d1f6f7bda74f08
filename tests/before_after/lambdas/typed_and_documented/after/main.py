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


# Rows come in as lists.
def _build_rescale(
    scale: float, row: list[float], *, digits: int = 1
) -> list[float]:  # used by every worker
    """Scale a row.

    Rounds to `digits`.
    """
    total = []  # type: list[float]
    for value in row:
        total.append(round(value * scale, digits))  # noqa: PERF401
    # in the order of the row
    return total


def build(scale: float):
    return functools.partial(_build_rescale, scale)


def main():
    print(in_worker(build(0.5), [[1.0, 2.0]]))


if __name__ == "__main__":
    main()
