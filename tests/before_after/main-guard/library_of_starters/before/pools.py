import atexit
import multiprocessing


class Lazy:
    pool = None

    def get(self):
        if self.pool is None:
            self.pool = multiprocessing.Pool(2)
            atexit.register(self.pool.terminate)
        return self.pool


LAZY = Lazy()


def run(function, values):
    return LAZY.get().map(function, values)
