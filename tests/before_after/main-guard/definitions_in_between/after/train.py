from concurrent.futures import ProcessPoolExecutor


def load(index):
    return list(range(index))


def weigh(part):
    return Scale(2).weigh(part)


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def weigh(self, part):
        return self.factor * len(part)


if __name__ == "__main__":
    executor = ProcessPoolExecutor(2)
    parts = list(executor.map(load, [1, 2, 3]))

    executor.shutdown()
    executor = ProcessPoolExecutor(1)
    print(list(executor.map(weigh, parts)))
    executor.shutdown()
