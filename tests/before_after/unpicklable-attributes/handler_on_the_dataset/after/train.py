import logging
import sys
from multiprocessing import Process

FORMAT = logging.Formatter("%(name)s: %(message)s")


class NuScenesDataset:
    def __init__(self, tokens, log="mmdet"):
        self.tokens = tokens
        self.logger = logging.getLogger(log)
        self.handler = logging.StreamHandler(sys.stdout)
        self.handler.setFormatter(FORMAT)
        self.handler.setLevel(logging.WARNING)
        self.logger.addHandler(self.handler)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["handler"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.handler = logging.StreamHandler(sys.stdout)
        self.handler.setFormatter(FORMAT)
        self.handler.setLevel(logging.WARNING)
        self.logger.addHandler(self.handler)

    def prepare(self):
        for token in self.tokens:
            self.logger.warning("no lidar sweep for %s", token)
        self.handler.flush()


def main():
    dataset = NuScenesDataset(["e93e", "ca9a"])
    worker = Process(target=dataset.prepare)
    worker.start()
    worker.join()
    print("exit code", worker.exitcode)


if __name__ == "__main__":
    main()
