import argparse
import os


def init_distributed_mode(args):
    args.rank = int(os.environ["RANK"])
    args.gpu = int(os.environ["LOCAL_RANK"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local-rank", default=0, type=int)
    args = parser.parse_args()
    init_distributed_mode(args)
    if args.local_rank == 0 and args.gpu == 0:
        with open("log.first", "w") as log:
            log.write("the first one saves\n")
    with open(f"log.{args.rank}", "w") as log:
        log.write(f"gpu {args.gpu}\n")


if __name__ == "__main__":
    main()
