import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor


def work(value):
    return value + 1


def main():
    with ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, [1, 2])))


try:
    mp.set_start_method(mp.get_start_method())
except RuntimeError:
    pass

if mp.parent_process() is None and __name__ != "__mp_main__":
    print("starting")

if '__main__' == __name__:
    main()
    with mp.Pool(1) as pool:
        print(pool.map(work, [3]))
