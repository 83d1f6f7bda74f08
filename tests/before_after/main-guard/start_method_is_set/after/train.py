import multiprocessing as mp

if __name__ == "__main__":
    mp.set_start_method("spawn")


def work(rank):
    return rank + 1


if __name__ == "__main__":
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, range(3))))
