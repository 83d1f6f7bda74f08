import math
from functools import partial
from multiprocessing import Manager, Pool


def measure(name, scale):
    energies[name] = round(scale * math.sqrt(len(name)), 3)


def measure_all(scale, groups):
    def measure_group(names):
        with Pool(2) as pool:
            for _ in pool.imap_unordered(partial(measure, scale=scale), names):
                pass

    for names in groups:
        measure_group(names)


energies = Manager().dict()

for scale in (1, 2):
    measure_all(scale, [["electron", "muon"], ["proton"]])
    print(scale, sorted(energies.items()))
