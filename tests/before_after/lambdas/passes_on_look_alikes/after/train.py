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


def _twice_show(rows):
    return scale(rows, start=rows[0])


def _twice_show_shift(limit, rows):
    return shift(scale(rows, limit))


def twice(limit):
    show(_twice_show, functools.partial(_twice_show_shift, limit))


def _decorated_show(rows):
    return reversed_rows(rows)


def _decorated_show_plain(rows):
    return plain(rows)


def decorated():
    show(_decorated_show, _decorated_show_plain)


def _keyword_of_the_lambda_step(rows):
    return shift(rows, 3)


def keyword_of_the_lambda():
    step = _keyword_of_the_lambda_step
    print(step(rows=[1]))
    show(step)


def _looks_below_show(rows):
    return below(rows, 4)


def looks_below():
    show(_looks_below_show)


LIMITS = dict(low=1)


def below(rows, by):
    return [row - by for row in rows]


def _set_later_scale(args, rows):
    return scale(rows, args.by)


def set_later(args):
    steps = [functools.partial(_set_later_scale, args)]
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
