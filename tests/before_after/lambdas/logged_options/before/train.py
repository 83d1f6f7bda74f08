import argparse

from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--column", default="text")
    args = parser.parse_args()
    column = args.column

    def tokenize(rows, limit=2):
        return [row[column].split()[:limit] for row in rows]

    def collate(rows):
        return {"input": tokenize(rows, limit=args.limit)}

    rows = [{"text": "a b c"}, {"text": "d e"}]
    for batch in DataLoader(rows, batch_size=2, num_workers=1, collate_fn=collate):
        print(batch)
    print(vars(args))


if __name__ == "__main__":
    main()
