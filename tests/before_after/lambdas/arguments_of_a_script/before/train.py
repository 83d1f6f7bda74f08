import argparse
import multiprocessing


def shift(x, by):
    return x + by


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--by", type=int, default=5)
    args = parser.parse_args()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(lambda x: shift(x, args.by), range(3)))
