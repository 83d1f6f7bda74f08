import logging
from multiprocessing import Pool

from logs import get_root_logger

_logger = logging.getLogger("other")

logger = logging.getLogger("mm")


class Given:
    def __init__(self, root, logger=None):
        self.root = root
        self.logger = logger

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["logger"] = None if self.logger is None else self.logger.name
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if state["logger"] is not None:
            self.logger = logging.getLogger(state["logger"])

    def run(self, n):
        return n, self.logger if self.logger is None else self.logger.name


class FromModule:
    def __init__(self):
        self.n = 3

    def run(self, n):
        return n, logger.name


class Own:
    def __init__(self):
        self.n = 3

    def run(self, n):
        return n, _logger.name


class Root:
    def __init__(self):
        self.n = 3
        self.logger = get_root_logger("x")

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["logger"] = self.logger.name
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.logger = logging.getLogger(state["logger"])

    def run(self, n):
        return n, self.logger.name


if __name__ == "__main__":
    things = [Given(".", logger=logger), Given("."), FromModule(), Own(), Root(), Given(".", get_root_logger())]
    with Pool(1) as pool:
        for thing in things:
            print(pool.map(thing.run, [1, 2]))
