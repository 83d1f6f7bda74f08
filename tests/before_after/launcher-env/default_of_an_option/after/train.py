import argparse
import os


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--local_rank", type=int, default=os.environ.get("LOCAL_RANK", "0"))
    parser.add_argument("--gpu", type=int, default=int(os.environ.get("LOCAL_RANK", 0)))
    return parser.parse_args([])


if __name__ == "__main__":
    args = parse_args()
    print(args.lr, args.local_rank + 1, args.gpu)
