from dataclasses import dataclass
from multiprocessing import get_context


@dataclass
class Data:
    size: int = 3
    key = lambda x: x + 1


class Scaled:
    scale = 2
    key = lambda self, x: x * self.scale
    shift = staticmethod(lambda x: x + 3)
    raised = classmethod(lambda cls, x: x**cls.scale)

    def run(self, pool):
        return pool.map(self.key, [1, 2])


class Outer:
    class Inner:
        key = lambda x: x + 5


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
