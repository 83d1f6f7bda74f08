import asyncio
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


def main(delay=0):
    async def fetch(row):
        await asyncio.sleep(delay)
        return row + 1

    print(in_worker(Fetcher(fetch), [1, 2]))


if __name__ == "__main__":
    main()
