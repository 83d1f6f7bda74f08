from multiprocessing import Pool

from report import describe


class _MakeStepsClip:
    __name__ = "clip"

    def __init__(self, low):
        self.low = low

    def __call__(self, value):
        return max(value, self.low)


class _MakeStepsEnlarge:
    __name__ = "enlarge"

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, value):
        return value * self.scale


def make_steps(low, scale):
    clip = _MakeStepsClip(low)

    enlarge = _MakeStepsEnlarge(scale)

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
