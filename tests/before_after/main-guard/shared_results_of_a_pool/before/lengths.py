from multiprocessing import Lock, Manager, Pool

WORDS = ["a", "bb", "ccc", "dddd"]

# Count the letters of all words
manager = Manager()
lengths = manager.list([])
lock = Lock()


def count(word):
    with lock:
        lengths.append(len(word))


pool = Pool(processes=2)
for _ in pool.imap_unordered(count, WORDS):
    pass

lengths = sorted(lengths)
print("lengths:", lengths)
print("mean:", sum(lengths) / len(WORDS))
