#!/usr/bin/env python
from concurrent.futures import ProcessPoolExecutor as Executor


def tokenize(line):
    return line.split()


lines = ["a b", "c d e"]

if __name__ == "__main__":
    with Executor(2) as executor: tokens = list(executor.map(tokenize, lines))

    print(sum(map(len, tokens)))
