from dataclasses import dataclass
from multiprocessing import get_context


@dataclass
class Data:
    size: int = 3

    def key(x):
        return x + 1


class Scaled:
    scale = 2

    def key(self, x):
        return x * self.scale

    @staticmethod
    def shift(x):
        return x + 3

    @classmethod
    def raised(cls, x):
        return x**cls.scale

    def run(self, pool):
        return pool.map(self.key, [1, 2])


class Outer:
    class Inner:
        def key(x):
            return x + 5


class Private:
    __key = lambda x: x + 6

    def run(self, pool):
        return pool.map(Private.__key, [1, 2])


def main():
    with get_context("spawn").Pool(2) as pool:
        print(pool.map(Data.key, [1]))
        print(Scaled().run(pool))
        print(pool.map(Scaled.shift, [1]))
        print(pool.map(Scaled.raised, [3]))
        print(pool.map(Outer.Inner.key, [1]))


if __name__ == "__main__":
    main()
