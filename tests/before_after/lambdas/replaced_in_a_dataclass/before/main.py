import multiprocessing as mp
from dataclasses import dataclass, replace
from functools import reduce
from typing import Callable


@dataclass(frozen=True)
class Options:
    scale: int
    activation: Callable = abs
    stages: Callable = float


def variants(base, stages):
    yield base
    yield replace(base, activation=lambda x: max(x, 0))
    chained = reduce(lambda first, second: lambda x: second(first(x)), stages)
    yield Options(base.scale, stages=chained)


def work(options, out):
    out.put([options.stages(options.activation(x * options.scale)) for x in (-1, 2)])


if __name__ == "__main__":
    out = mp.Queue()
    for options in variants(Options(3), [float, str, len]):
        process = mp.Process(target=work, args=(options, out))
        process.start()
        print(out.get())
        process.join()
