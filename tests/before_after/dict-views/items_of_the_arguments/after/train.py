from concurrent.futures import ProcessPoolExecutor


class Sweep:
    def __init__(self, **grid):
        self.first = sorted(grid.items())[0]
        self.grid = list(grid.items())

    def run(self, seed):
        total = seed
        for name, values in self.grid:
            total += len(name) * sum(values)
        return total


def start(sweep):
    global SWEEP
    SWEEP = sweep


def work(item):
    return SWEEP.run(item)


def main():
    sweep = Sweep(lr=[1, 2, 3], width=[64, 128])
    with ProcessPoolExecutor(max_workers=2, initializer=start, initargs=(sweep,)) as executor:
        print(list(executor.map(work, range(4))))
    print(sweep.first)


if __name__ == "__main__":
    main()
