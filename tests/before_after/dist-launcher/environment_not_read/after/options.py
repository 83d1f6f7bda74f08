import argparse
import os


def parser():
    common = argparse.ArgumentParser(add_help=False)
    group = common.add_argument_group("distributed")
    group.add_argument(
        "--local-rank",
        "--local_rank",
        type=int,
        default=int(os.environ.get("LOCAL_RANK", -1)),
        help="-1: one process",
    )
    full = argparse.ArgumentParser(parents=[common])
    full.add_argument("--epochs", type=int, default=1)
    return full
