from multiprocessing import Pool


def apply_all(fns, x):
    return [fn(x) for fn in fns]


def main():
    fns = []
    for scale in (1, 2, 3):
        fns.append(lambda x: x * scale)
    with Pool(1) as pool:
        print(pool.apply(apply_all, (fns, 10)))


if __name__ == "__main__":
    main()
