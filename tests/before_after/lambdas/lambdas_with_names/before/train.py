from multiprocessing import Pool

from metrics import log_loss, mse

PAIRS = [(1, 0.5), (0, 0.25)]

if __name__ == "__main__":
    with Pool(2) as pool:
        for values in pool.starmap(mse, PAIRS), pool.starmap(log_loss, PAIRS):
            print([round(value, 3) for value in values])
