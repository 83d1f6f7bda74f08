# -*- coding: utf-8 -*-
"""Options shared by training and testing. Größen in Pixeln."""
from argparse import ArgumentParser


def base_parser():
    parser = ArgumentParser()
    parser.add_argument('--size', type=int, default=256)
    parser.add_argument(
        '--local_rank', default=0, type=int)
    return parser
