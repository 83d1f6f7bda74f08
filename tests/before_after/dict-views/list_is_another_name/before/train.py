from multiprocessing import Pool


def list(registry):
    """Print what is registered."""
    for name in registry.names:
        print(name)


class Registry:
    def __init__(self, models):
        self.names = models.keys()

    def has(self, name):
        return name in self.names


def start(registry):
    global REGISTRY
    REGISTRY = registry


def work(item):
    return REGISTRY.has(item)


if __name__ == "__main__":
    registry = Registry({"resnet": 50})
    list(registry)
    with Pool(2, initializer=start, initargs=(registry,)) as pool:
        print(pool.map(work, ["resnet", "vit"]))
