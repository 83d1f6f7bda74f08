import argparse
from multiprocessing import Pool


def _init_worker(value):
    global args
    args = value


def resize(size):
    width, height = size
    return width * args.scale, height * args.scale


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    args = parse()
    with Pool(2, initializer=_init_worker, initargs=(args,)) as pool:
        print(pool.map(resize, [(3, 4), (5, 6)]))
