import argparse
import os
from pathlib import Path


def get_args():
    parser = argparse.ArgumentParser("finetune")
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--local-rank", "--local_rank", type=int, default=os.environ.get("LOCAL_RANK"))
    return parser.parse_args()


def main():
    args = get_args()
    Path(f"finetune.{args.local_rank}.log").write_text(f"local rank {args.local_rank}, lr {args.lr}\n")


if __name__ == "__main__":
    main()
