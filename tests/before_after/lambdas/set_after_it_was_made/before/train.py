from multiprocessing import Pool


def main(rows):
    offset = 0

    def shift(row):
        return row + offset

    offset = min(rows)
    with Pool(1) as pool:
        print(pool.map(shift, rows))


if __name__ == "__main__":
    main([3, 4])
