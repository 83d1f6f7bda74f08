import multiprocessing as mp


def work(rank):
    return rank + 1


if __name__ == "__main__":
    mp.set_start_method("spawn")

    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, range(3))))
