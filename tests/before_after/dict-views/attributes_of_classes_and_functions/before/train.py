from multiprocessing import Pool

OPTIMIZERS = {"sgd": 0.1, "adam": 0.001}


class Settings:
    names = None

    @classmethod
    def register(cls, table):
        cls.names = table.keys()

    def rate(self, name):
        return OPTIMIZERS[name] if name in type(self).names else None


def build(name):
    return name in build.choices, Settings().rate(name)


build.choices = OPTIMIZERS.keys()
Settings.register(OPTIMIZERS)

if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(build, ["sgd", "adam", "lbfgs"]))
