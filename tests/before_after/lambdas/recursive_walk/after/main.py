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


def _build_depth(leaf, tree):
    if not isinstance(tree, list):
        return leaf
    return 1 + max((_build_depth(leaf, branch) for branch in tree), default=0)


def build(leaf):
    return functools.partial(_build_depth, leaf)


def main():
    print(in_worker(build(10), [[1, [2]], []]))


if __name__ == "__main__":
    main()
