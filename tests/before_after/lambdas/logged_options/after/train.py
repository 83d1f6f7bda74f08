import argparse
import functools

from torch.utils.data import DataLoader


def _main_tokenize(column, rows, limit=2):
    return [row[column].split()[:limit] for row in rows]


def _main_collate(limit, column, rows):
    return {"input": _main_tokenize(column, rows, limit=limit)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--column", default="text")
    args = parser.parse_args()
    column = args.column

    collate = functools.partial(_main_collate, args.limit, column)

    rows = [{"text": "a b c"}, {"text": "d e"}]
    for batch in DataLoader(rows, batch_size=2, num_workers=1, collate_fn=collate):
        print(batch)
    print(vars(args))


if __name__ == "__main__":
    main()
