from functools import partial as P
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


def main(scale=3):
    print(in_worker(P(lambda row, power: row ** power * scale, power=2), [1, 2]))


if __name__ == "__main__":
    main()
