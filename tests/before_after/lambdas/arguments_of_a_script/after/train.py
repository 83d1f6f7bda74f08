import argparse
import functools
import multiprocessing


def shift(x, by):
    return x + by


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--by", type=int, default=5)
    args = parser.parse_args()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(functools.partial(shift, by=args.by), range(3)))
