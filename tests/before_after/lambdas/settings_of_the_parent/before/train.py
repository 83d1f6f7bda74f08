from multiprocessing import Pool

CONFIG = None


def setup(scale):
    global CONFIG
    CONFIG = {"scale": scale}


def run(rows):
    with Pool(1) as pool:
        return pool.map(lambda row: row * CONFIG["scale"], rows)


if __name__ == "__main__":
    setup(3)
    print(run([1, 2]))
