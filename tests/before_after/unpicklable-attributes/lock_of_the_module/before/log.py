import sys
import threading
from multiprocessing import Pool

LOCK = threading.Lock()


class Reporter:
    def __init__(self, prefix):
        self.prefix = prefix
        self.lock = LOCK
        self.terminal = sys.stdout

    def report(self, number):
        with self.lock:
            self.terminal.flush()
            return f"{self.prefix} {number} {self.lock is LOCK}"


if __name__ == "__main__":
    reporter = Reporter("step")
    with Pool(2) as pool:
        print(pool.map(reporter.report, [1, 2]))
