from multiprocessing import Lock, Manager, Pool

WORDS = ["a", "bb", "ccc", "dddd"]


def _init_worker(*values):
    global lock, lengths
    lock, lengths = values


def count(word):
    with lock:
        lengths.append(len(word))


if __name__ == "__main__":
    # Count the letters of all words
    manager = Manager()
    lengths = manager.list([])
    lock = Lock()

    pool = Pool(processes=2, initializer=_init_worker, initargs=(lock, lengths))
    for _ in pool.imap_unordered(count, WORDS):
        pass

    lengths = sorted(lengths)
    print("lengths:", lengths)
    print("mean:", sum(lengths) / len(WORDS))
