import functools
import threading
from multiprocessing import Process


def guarded(number, lock):
    with lock:
        print(number + 1, flush=True)


class Steps:
    def __init__(self):
        self.lock = threading.Lock()
        self.step = functools.partial(guarded, lock=self.lock)

    def run(self):
        self.step(1)


if __name__ == "__main__":
    worker = Process(target=Steps().run)
    worker.start()
    worker.join()
