import asyncio
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


class Fetcher:
    def __init__(self, fetch):
        self.fetch = fetch

    def __call__(self, row):
        return asyncio.run(self.fetch(row))


async def _main_fetch(delay, row):
    await asyncio.sleep(delay)
    return row + 1


def main(delay=0):
    fetch = functools.partial(_main_fetch, delay)

    print(in_worker(Fetcher(fetch), [1, 2]))


if __name__ == "__main__":
    main()
