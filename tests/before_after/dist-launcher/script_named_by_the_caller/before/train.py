import argparse
import os


def setup(args):
    args.rank = int(os.environ.get("RANK", 0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", "--local-rank", default=0, type=int)
    args = parser.parse_args()
    setup(args)
    with open(f"log.{args.rank}", "w") as log:
        log.write(f"rank {args.rank}, local rank {args.local_rank}\n")


if __name__ == "__main__":
    main()
