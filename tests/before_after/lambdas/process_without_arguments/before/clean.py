import multiprocessing as mp


def report(name, counts):
    print(name, sum(counts))


def cleanup(pattern, limit):
    def remove_old_files():
        print("removing", pattern, limit)

    process = mp.Process(target=remove_old_files, daemon=True)
    process.start()
    process.join()
    assert process.exitcode == 0


def count(counts):
    process = mp.get_context().Process(target=lambda: report("counts", counts))
    process.start()
    process.join()
    assert process.exitcode == 0


if __name__ == "__main__":
    cleanup("*.tmp", 3)
    count([1, 2, 3])
