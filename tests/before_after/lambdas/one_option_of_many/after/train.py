import functools

from torch.utils.data import DataLoader

from options import parse_options


def _train_collate(scale, size, batch):
    return [value * scale for row in batch for value in row[:size]]


def train(opt, rows):
    opt.epoch = opt.epoch + 1

    collate = functools.partial(_train_collate, opt.scale, opt.size)

    for batch in DataLoader(rows, batch_size=2, num_workers=1, collate_fn=collate):
        print(opt.epoch, batch)


def _resume_numbered(opt, batch):
    return opt.epoch, [sum(row) for row in batch]


def resume(opt, rows):
    numbered = functools.partial(_resume_numbered, opt)

    loader = DataLoader(rows, batch_size=2, num_workers=1, collate_fn=numbered)
    for epoch in range(2):
        opt.epoch = 10 + epoch
        for batch in loader:
            print(batch)


def main():
    options = parse_options()
    rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    train(options, rows)
    resume(options, rows)


if __name__ == "__main__":
    main()
