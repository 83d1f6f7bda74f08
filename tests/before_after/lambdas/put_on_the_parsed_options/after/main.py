import argparse
import functools
import multiprocessing as mp


def _get_options_collate(width, rows):
    return [row[:width] for row in rows]


def _get_options_score(row):
    return sum(row)


def get_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=3)
    opt = parser.parse_args()
    opt.collate = functools.partial(_get_options_collate, opt.width)
    opt.score = _get_options_score
    return opt


def work(opt, rows, out):
    out.put([opt.score(row) for row in opt.collate(rows)])


if __name__ == "__main__":
    out = mp.Queue()
    process = mp.Process(target=work, args=(get_options(), [[1, 2, 3, 4], [5, 6, 7, 8]], out))
    process.start()
    print(out.get())
    process.join()
