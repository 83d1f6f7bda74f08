import functools
import random


def _seed_worker(seed, worker_id):
    # one stream per worker
    random.seed(seed + worker_id)


def get_seed_worker(seed):
    """A worker_init_fn for the DataLoader."""

    return functools.partial(_seed_worker, seed)
