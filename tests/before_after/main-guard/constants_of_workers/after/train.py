from concurrent.futures import ProcessPoolExecutor


def scaled(value):
    return value * SCALE + OFFSET


STEP = 4
OFFSET = 1
SCALE = STEP * 2.5

if __name__ == "__main__":
    executor = ProcessPoolExecutor(2)
    values = list(executor.map(scaled, range(3)))
    print(values)
    executor.shutdown()
