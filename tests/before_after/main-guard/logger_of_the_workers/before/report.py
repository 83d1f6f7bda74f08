import logging
import sys
from multiprocessing import Pool


def report(number):
    logger.info("number %d", number)
    return number * 2


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
    logger = logging.getLogger("report")
    with Pool(1) as pool:
        print(pool.map(report, [1, 2]))
