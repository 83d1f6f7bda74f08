import argparse
import functools
import multiprocessing


def shift(x, by):
    return x + by


def _map(args, x):
    return shift(x, args.by)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--by", type=int, default=5)
    args = parser.parse_args()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(functools.partial(_map, args), range(3)))
