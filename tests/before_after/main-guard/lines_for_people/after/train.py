from concurrent.futures import ProcessPoolExecutor

from report import banner

weights = [0.5, 1.5, 2.5]


def score(i):
    return weights[i] * 2


if __name__ == "__main__":
    banner("preparing")
    print("==> scoring", len(weights))
    names = {0: "car", 1: "truck", 2: "bus"}

    with ProcessPoolExecutor(2) as pool:
        for i, value in enumerate(pool.map(score, range(3))):
            print(names[i], value)
