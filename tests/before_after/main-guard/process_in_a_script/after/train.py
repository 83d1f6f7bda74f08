import multiprocessing as mp


def work(queue, start):
    queue.put(sum(range(start, start + 10)))


if __name__ == "__main__":
    queue = mp.Queue()
    processes = []
    for rank in range(2):
        p = mp.Process(target=work, args=(queue, rank * 10))
        p.start()
        processes.append(p)

    for p in processes:
        p.join()
        if p.exitcode:
            raise SystemExit("a worker failed")
    print(sorted(queue.get() for _ in processes))
