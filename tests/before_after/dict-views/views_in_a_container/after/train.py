from multiprocessing import Pool


class BucketSampler:
    def __init__(self, buckets):
        self.criteria = {
            "resolution": list(buckets.keys()),  # sizes in pixels
            "frames": {size: list(frames.keys()) for size, frames in buckets.items()},
        }
        self.tables = []
        for frames in buckets.values():
            self.tables.append(list(frames.values()))

    def count(self, size):
        return len(self.criteria["resolution"]), list(self.criteria["frames"][size]), [sum(t) for t in self.tables]


def start(sampler):
    global SAMPLER
    SAMPLER = sampler


def work(item):
    return SAMPLER.count(item)


if __name__ == "__main__":
    sampler = BucketSampler({144: {1: 8, 16: 2}, 256: {1: 4}})
    with Pool(2, initializer=start, initargs=(sampler,)) as pool:
        print(pool.map(work, [144, 256]))
