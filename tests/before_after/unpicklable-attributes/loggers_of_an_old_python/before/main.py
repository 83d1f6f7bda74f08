import logging
from multiprocessing import Pool

from logs import get_root_logger

logger = logging.getLogger("mm")


class Given:
    def __init__(self, root, logger=None):
        self.root = root
        self.logger = logger

    def run(self, n):
        return n, self.logger if self.logger is None else self.logger.name


class FromModule:
    def __init__(self):
        self.log = logger
        self.n = 3

    def run(self, n):
        return n, self.log.name


class Own:
    def __init__(self):
        self.n = 3
        self.logger = logging.getLogger("other")

    def run(self, n):
        return n, self.logger.name


class Root:
    def __init__(self):
        self.n = 3
        self.logger = get_root_logger("x")

    def run(self, n):
        return n, self.logger.name


if __name__ == "__main__":
    things = [Given(".", logger=logger), Given("."), FromModule(), Own(), Root(), Given(".", get_root_logger())]
    with Pool(1) as pool:
        for thing in things:
            print(pool.map(thing.run, [1, 2]))
