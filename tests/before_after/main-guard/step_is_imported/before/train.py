from concurrent.futures import ProcessPoolExecutor

SCALE = 3
weights = [1, 2]


def step(value):
    return value + SCALE


with ProcessPoolExecutor(2) as executor:
    print(sum(executor.map(step, weights)))
