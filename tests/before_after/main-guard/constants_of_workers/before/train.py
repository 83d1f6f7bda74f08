from concurrent.futures import ProcessPoolExecutor


def scaled(value):
    return value * SCALE + OFFSET


executor = ProcessPoolExecutor(2)
STEP = 4
OFFSET = 1
SCALE = STEP * 2.5
values = list(executor.map(scaled, range(3)))
print(values)
executor.shutdown()
