import queue
import threading
from concurrent.futures import ThreadPoolExecutor


class Prefetcher(threading.Thread):
    def __init__(self, items):
        super().__init__(daemon=True)
        self.items = items
        self.lock = threading.Lock()
        self.ready = queue.Queue()

    def run(self):
        for item in self.items:
            with self.lock:
                self.ready.put(item * 2)


class Cache:
    def __init__(self):
        self.lock = threading.Lock()

    def load(self, name):
        with self.lock:
            return name.upper()


def main():
    prefetcher = Prefetcher([1, 2, 3])
    prefetcher.start()
    print([prefetcher.ready.get() for _ in range(3)])
    with ThreadPoolExecutor(2) as pool:
        print(list(pool.map(Cache().load, ["a", "b"])))


if __name__ == "__main__":
    main()
