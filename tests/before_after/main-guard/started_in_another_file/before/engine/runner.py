from concurrent.futures import ProcessPoolExecutor


def simulate(seed):
    return seed * 7 % 5


class Runner:
    def __init__(self, seeds):
        self.seeds = seeds

    def run(self):
        with ProcessPoolExecutor(max_workers=2) as executor:
            return list(executor.map(simulate, self.seeds))
