import argparse
from multiprocessing import Pool


def resize(size):
    width, height = size
    return width * args.scale, height * args.scale


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    args = parse()
    with Pool(2) as pool:
        print(pool.map(resize, [(3, 4), (5, 6)]))
