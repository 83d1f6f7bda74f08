from concurrent.futures import ProcessPoolExecutor


def step(value):
    return value + 1


executor = ProcessPoolExecutor(2)
model = list(executor.map(step, [1, 2]))
print(model)
