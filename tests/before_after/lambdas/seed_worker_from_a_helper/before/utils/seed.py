import random


def get_seed_worker(seed):
    """A worker_init_fn for the DataLoader."""

    def seed_worker(worker_id):
        # one stream per worker
        random.seed(seed + worker_id)

    return seed_worker
