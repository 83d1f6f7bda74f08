import threading
from multiprocessing import Pool


class Counter:
    __slots__ = ("lock", "start")

    def __init__(self, start):
        self.start = start
        self.lock = threading.Lock()

    def __getstate__(self):
        state = {name: getattr(self, name) for name in self.__slots__ if hasattr(self, name)}
        # what can't be pickled; __setstate__ makes it anew
        del state["lock"]
        return state

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)
        self.lock = threading.Lock()

    def add(self, number):
        with self.lock:
            return self.start + number


def main():
    counter = Counter(10)
    with Pool(2) as pool:
        print(pool.map(counter.add, range(3)))


if __name__ == "__main__":
    main()
