from multiprocessing import get_context

from steps import logged, repeated


@logged
def area(row):
    return row * row


@repeated(times=2)
def doubled(row):
    return 2 * row


def main():
    with get_context("spawn").Pool(2) as pool:
        print(pool.map(area, [1, 2]))
        print(pool.map(doubled, [1, 2]))


if __name__ == "__main__":
    main()
