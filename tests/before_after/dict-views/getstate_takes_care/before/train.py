from multiprocessing import Pool


class Config:
    def __init__(self, ranges):
        self.ranges = ranges
        self.names = ranges.keys()

    def __getstate__(self):
        state = dict(self.__dict__)
        del state["names"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.names = self.ranges.keys()

    def missing(self, name):
        return sorted({name} - self.names)


if __name__ == "__main__":
    config = Config({"car": 50, "bus": 40})
    with Pool(2) as pool:
        print(pool.map(config.missing, ["car", "tram"]))
