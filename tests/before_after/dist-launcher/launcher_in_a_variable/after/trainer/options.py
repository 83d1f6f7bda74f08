# -*- coding: utf-8 -*-
"""Options shared by training and testing. Größen in Pixeln."""
import os
from argparse import ArgumentParser


def base_parser():
    parser = ArgumentParser()
    parser.add_argument('--size', type=int, default=256)
    parser.add_argument(
        '--local-rank', '--local_rank', default=int(os.environ.get('LOCAL_RANK', 0)), type=int)
    return parser
