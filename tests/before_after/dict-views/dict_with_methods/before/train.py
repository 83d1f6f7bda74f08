from multiprocessing import Pool


class Registry(dict):
    def __init__(self, entries):
        super().__init__(entries)
        self.order = super().keys()
        self.pairs = self.items()

    def rank(self, name):
        return [at for at, other in enumerate(self.order) if other == name], len(self.pairs)


if __name__ == "__main__":
    registry = Registry({"resnet": 50, "vit": 16})
    with Pool(2) as pool:
        print(pool.map(registry.rank, ["vit", "resnet", "mlp"]))
