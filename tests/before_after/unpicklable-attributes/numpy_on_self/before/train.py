import math
from multiprocessing import Pool


class Schedule:
    def __init__(self, steps):
        self.math = math
        self.steps = steps

    def rate(self, step):
        return round(0.5 * (1 + self.math.cos(self.math.pi * step / self.steps)), 4)


def main():
    schedule = Schedule(4)
    with Pool(2) as pool:
        print(pool.map(schedule.rate, range(5)))


if __name__ == "__main__":
    main()
