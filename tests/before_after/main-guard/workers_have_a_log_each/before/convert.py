import logging
import os
from multiprocessing import Pool

FOLDER = "logs"
os.makedirs(FOLDER, exist_ok=True)
LOG = open(os.path.join(FOLDER, f"{os.getpid()}.txt"), "w")
logging.basicConfig(filename=os.path.join(FOLDER, "all.txt"), filemode="w", level=logging.INFO)


def convert(number):
    LOG.write(f"{number}\n")
    logging.info("converted %d", number)
    return number * 2


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(convert, range(4)))
