from multiprocessing import Pool

RANGES = {"car": 50, "bus": 40}
NAMES = RANGES.keys()


def names_of(table):
    return table.keys()


class Config:
    known = RANGES.keys()

    def __init__(self, ranges):
        keys = ranges.keys()
        if keys != self.known:
            raise ValueError(sorted(keys ^ self.known))
        self.count = len(ranges.values())
        self.names = sorted(names_of(ranges))
        self.inverse = {value: key for key, value in ranges.items()}
        self.near, self.far = sorted(ranges.values())
        self.common = ranges.keys() & {"car", "truck"}
        self.pairs = dict(ranges.items())

    def lookup(self, limit):
        return self.inverse.get(limit), sorted(self.common), self.near + self.far


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(Config(RANGES).lookup, [50, 40]), len(NAMES))
