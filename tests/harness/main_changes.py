"""A program whose main process changes what a module keeps, and a worker of a pool that reads it."""

from __future__ import annotations

from harness.small import reported

_TEXT = """\
import abc, contextlib, enum, functools, heapq, io, itertools, queue, random, sys, threading, weakref
import multiprocessing as mp
from collections import defaultdict
from contextvars import ContextVar
from multiprocessing import Pool
import numpy as np
import torch
import torch.nn as nn

{made}

def work(x):
    return {read}


def main():
    {change}
    with Pool(1) as pool:
        print({start})

{after}
if __name__ == "__main__":
    main()
"""


def program(made: str, read: str, change: str, *, start: str = "pool.map(work, [1, 2])", after: str = "") -> str:
    """`made` at the top, `read` in the worker, `change` in main before the workers start, `after` below main."""
    return _TEXT.format(made=made, read=read, change=change.replace("\n", "\n    "), start=start, after=after)


def is_reported(made: str, read: str, change: str, after: str = "") -> bool:
    """Whether main-guard says that the worker reads what the main process alone changed."""
    found = reported({"train.py": program(made, read, change, after=after)}, "main-guard")
    assert all("the main process only" in each.message for each in found), found
    return bool(found)
