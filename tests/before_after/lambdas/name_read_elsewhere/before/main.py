from multiprocessing import Pool

from report import describe


def make_steps(low, scale):
    def clip(value):
        return max(value, low)

    def enlarge(value):
        return value * scale

    return [clip, enlarge]


def main():
    steps = make_steps(0, 3)
    print(describe(steps))
    with Pool(2) as pool:
        values = [-1, 2]
        for step in steps:
            values = pool.map(step, values)
    print(values)


if __name__ == "__main__":
    main()
