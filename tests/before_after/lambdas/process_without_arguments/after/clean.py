import multiprocessing as mp


def report(name, counts):
    print(name, sum(counts))


def _remove_old_files(pattern, limit):
    print("removing", pattern, limit)


def cleanup(pattern, limit):
    process = mp.Process(target=_remove_old_files, args=(pattern, limit), daemon=True)
    process.start()
    process.join()
    assert process.exitcode == 0


def count(counts):
    process = mp.get_context().Process(target=report, args=("counts", counts))
    process.start()
    process.join()
    assert process.exitcode == 0


if __name__ == "__main__":
    cleanup("*.tmp", 3)
    count([1, 2, 3])
