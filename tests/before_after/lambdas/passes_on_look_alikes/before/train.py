import argparse
import functools

from torch.utils.data import DataLoader, Dataset


def counted(function):
    def wrapper(*values):
        counted.calls += 1
        return function(*values)

    return wrapper


counted.calls = 0


def scale(rows, by=2, start=0):
    return [row * by for row in rows[start:]]


def shift(rows, by=1):
    return [row + by for row in rows]


def plain(rows):
    return rows


if len(plain.__doc__ or "") > 3:

    def plain(rows):
        return rows[::-1]


@counted
def reversed_rows(rows):
    return rows[::-1]


class Rows(Dataset):
    def __init__(self, *steps):
        self.steps = steps

    def __len__(self):
        return 2

    def __getitem__(self, index):
        rows = [index, index + 1, index + 2]
        for step in self.steps:
            rows = step(rows)
        return rows


def show(*steps):
    for batch in DataLoader(Rows(*steps), batch_size=None, num_workers=1):
        print(batch)


def twice(limit):
    show(lambda rows: scale(rows, start=rows[0]), lambda rows: shift(scale(rows, limit)))


def decorated():
    show(lambda rows: reversed_rows(rows), lambda rows: plain(rows))


def keyword_of_the_lambda():
    step = lambda rows: shift(rows, 3)  # noqa: E731
    print(step(rows=[1]))
    show(step)


def looks_below():
    show(lambda rows: below(rows, 4))


LIMITS = dict(low=1)


def below(rows, by):
    return [row - by for row in rows]


def set_later(args):
    steps = [lambda rows: scale(rows, args.by)]
    args.by = 5
    show(*steps)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--by", type=int, default=2)
    args = parser.parse_args()
    twice(3)
    decorated()
    keyword_of_the_lambda()
    looks_below()
    set_later(args)
    print([*map(functools.partial(shift, by=1), [[1]])])


if __name__ == "__main__":
    main()
