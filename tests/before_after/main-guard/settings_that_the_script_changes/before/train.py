from argparse import ArgumentParser

from config import cfg
from data import Rows
from torch.utils.data import DataLoader


def main():
    for batch in DataLoader(Rows(), batch_size=4, num_workers=1):
        print("batch:", batch.tolist())


if __name__ == "__main__":
    parser = ArgumentParser()
    cfg.update(vars(parser.parse_args()), scale=3)
    main()
