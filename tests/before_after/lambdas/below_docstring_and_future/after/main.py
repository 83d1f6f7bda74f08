#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""Doubles rows."""
from __future__ import annotations

from multiprocessing import Process, SimpleQueue


def work(out, fn, rows):
    out.put([fn(row) for row in rows])


def in_worker(fn, rows):
    out = SimpleQueue()
    process = Process(target=work, args=(out, fn, rows))
    process.start()
    result = out.get()
    process.join()
    return result


def _main_in_worker(row):
    return row * 2


def main():
    print(in_worker(_main_in_worker, [1, 2]))


if __name__ == "__main__":
    main()
