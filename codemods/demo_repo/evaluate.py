"""Counts the objects in range, class by class, with a few worker processes.

    python evaluate.py --start-method spawn
"""

import argparse
import multiprocessing
from collections import Counter

from detector.config import EvalConfig
from detector.dataset import SweepDataset


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--start-method", default=None, choices=multiprocessing.get_all_start_methods())
    parser.add_argument("--sweeps", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.1)
    return parser.parse_args()


def build_dataset(sweeps, scale):
    config = EvalConfig({"car": 50, "truck": 50, "pedestrian": 40})
    return SweepDataset(
        sweeps,
        config,
        transform=lambda objects: [(name, distance * scale) for name, distance in objects],
    )


def worker(dataset, indices, results):
    counts = Counter()
    for index in indices:
        counts.update(dataset[index])
    results.put(counts)


def main():
    args = parse_args()
    if args.start_method:
        multiprocessing.set_start_method(args.start_method)
    dataset = build_dataset(args.sweeps, args.scale)

    results = multiprocessing.Queue()
    processes = []
    for rank in range(args.workers):
        indices = range(rank, len(dataset), args.workers)
        process = multiprocessing.Process(target=worker, args=(dataset, indices, results))
        process.start()
        processes.append(process)

    total = Counter()
    for _ in processes:
        total.update(results.get())
    for process in processes:
        process.join()
    for name in dataset.config.class_names:
        print(f"{name:<12}{total[name]:>5} in range")


if __name__ == "__main__":
    main()
