import argparse


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--epoch", type=int, default=0)
    parser.add_argument("--output", default="runs")
    return parser.parse_args()
