import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-5)
args = parser.parse_args()
print("rank", os.environ["RANK"], "learns at", args.lr)
