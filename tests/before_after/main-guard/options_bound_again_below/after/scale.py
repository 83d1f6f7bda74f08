import argparse
import multiprocessing as mp

import numpy as np


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="rows.csv")
    parser.add_argument("--scale", default="scale.csv")
    return parser.parse_args()


args = parse_args()

if __name__ == "__main__":
    rows = np.loadtxt(args.rows)

scale = float(np.loadtxt(args.scale))


def work(row):
    return float(row * scale)


if __name__ == "__main__":
    with mp.Pool(2) as pool:
        print(pool.map(work, rows))
    args = {"rows": len(rows)}
    print(args)
