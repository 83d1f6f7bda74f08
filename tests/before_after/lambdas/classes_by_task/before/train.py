from multiprocessing import Pool


class Ctdet:
    kind = "ctdet"


class Ddd:
    kind = "ddd"


def get_dataset(task):
    base = {"ctdet": Ctdet, "ddd": Ddd}[task]

    class Dataset(base):
        def load(self, index):
            return self.kind, index

    return Dataset


if __name__ == "__main__":
    dataset = get_dataset("ddd")()
    with Pool(1) as pool:
        print(pool.map(dataset.load, [0]))
