import math
from functools import partial
from multiprocessing import Manager, Pool


def _init_worker(value):
    global energies
    energies = value


def measure(name, scale):
    energies[name] = round(scale * math.sqrt(len(name)), 3)


def measure_all(scale, groups):
    def measure_group(names):
        with Pool(2, initializer=_init_worker, initargs=(energies,)) as pool:
            for _ in pool.imap_unordered(partial(measure, scale=scale), names):
                pass

    for names in groups:
        measure_group(names)


if __name__ == "__main__":
    energies = Manager().dict()

    for scale in (1, 2):
        measure_all(scale, [["electron", "muon"], ["proton"]])
        print(scale, sorted(energies.items()))
