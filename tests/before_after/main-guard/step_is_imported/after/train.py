from concurrent.futures import ProcessPoolExecutor

SCALE = 3
weights = [1, 2]


def step(value):
    return value + SCALE


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as executor:
        print(sum(executor.map(step, weights)))
