from concurrent.futures import ProcessPoolExecutor

CONFIG = {"scale": 1}


def scale(value):
    return value * CONFIG["scale"]


executor = ProcessPoolExecutor(2)
print(executor.submit(scale, 1).result())
CONFIG["scale"] = 3
print(list(executor.map(scale, [1, 2])))
