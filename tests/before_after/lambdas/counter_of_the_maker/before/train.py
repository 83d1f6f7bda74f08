from multiprocessing import Pool


def main(rows):
    seen = 0

    def count(row):
        nonlocal seen
        seen += 1
        return seen

    with Pool(1) as pool:
        print(pool.map(count, rows))


if __name__ == "__main__":
    main([3, 4])
