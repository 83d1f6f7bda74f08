import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import reduce
from multiprocessing import Pool
from multiprocessing.pool import ThreadPool


@dataclass
class Config:
    sizes: list = field(default_factory=lambda: [1, 2])
    scale = staticmethod(lambda x: 2 * x)


def double(x):
    return 2 * x


def main():
    rows = sorted([3, 1, 2], key=lambda row: -row)
    rows = list(map(lambda row: row + 1, rows))
    print(rows, max(rows, key=lambda row: row % 3), reduce(lambda a, b: a + b, rows))
    groups = defaultdict(lambda: [])
    for row in rows:
        groups[row % 2].append(row)
    print(dict(groups), Config().sizes)
    with ThreadPoolExecutor(2) as executor:
        print(list(executor.map(lambda row: row * 2, rows)))
    with ThreadPool(2) as threads:
        print(threads.map(lambda row: row * 3, rows))
    thread = threading.Thread(target=lambda: print("thread"))
    thread.start()
    thread.join()
    results = []
    with Pool(1) as pool:
        pool.apply_async(double, (4,), callback=lambda result: results.append(result)).get()
        pool.close()
        pool.join()
    print(results)


if __name__ == "__main__":
    main()
