from multiprocessing import Pool

from index import Index

def start(train):
    global TRAIN
    TRAIN = train


def work(item):
    return TRAIN.find(item)


if __name__ == "__main__":
    train, val = Index({"a1": 0, "b1": 0}), Index({"b1": 0})
    print(train.names - val.names)
    with Pool(2, initializer=start, initargs=(train,)) as pool:
        print(pool.map(work, ["a", "b"]))
