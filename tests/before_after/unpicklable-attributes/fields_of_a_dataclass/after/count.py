import queue
import threading
from dataclasses import dataclass, field
from multiprocessing import Pool


@dataclass
class Counter:
    start: int
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    done: queue.Queue = field(default_factory=lambda: queue.Queue(maxsize=8), repr=False)
    shared: object = field(default=None)
    everywhere: threading.RLock = threading.RLock()
    seen: list = field(default_factory=list)

    def add(self, number):
        with self.lock, self.everywhere:
            self.done.put(number)
            self.seen.append(number)
            return self.start + self.done.get(), self.seen

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["lock"]
        state["done"] = list(self.done.queue)
        del state["everywhere"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()
        self.done = queue.Queue(maxsize=8)
        for item in state["done"]:
            self.done.put(item)


if __name__ == "__main__":
    counter = Counter(10, seen=[7])
    with Pool(1) as pool:
        print(pool.map(counter.add, [1, 2, 3], chunksize=1))
    print(counter.start, counter.seen, counter == Counter(10, done=counter.done, seen=[7]))
