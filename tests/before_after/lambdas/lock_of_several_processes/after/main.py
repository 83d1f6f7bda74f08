import functools
import multiprocessing as mp


def _main_add(lock, total, rows):
    for row in rows:
        with lock:
            total.value += row


def main():
    lock = mp.Lock()
    total = mp.Value("i", 0)

    add = functools.partial(_main_add, lock, total)

    processes = [mp.Process(target=add, args=([step] * 50,)) for step in (1, 2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(total.value)
    raise SystemExit(max(process.exitcode for process in processes))


if __name__ == "__main__":
    main()
