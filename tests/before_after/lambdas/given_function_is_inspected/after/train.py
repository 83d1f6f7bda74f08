import functools

from torch.utils.data import DataLoader, IterableDataset


def _formatting_func(text_field, row):
    return row[text_field].upper()


class ConstantLengthDataset(IterableDataset):
    def __init__(self, rows, text_field=None, formatting_func=None):
        self.rows = rows
        if formatting_func is None:
            self.formatting_func = functools.partial(_formatting_func, text_field)
        else:
            self.formatting_func = formatting_func

        if formatting_func is not None:
            if formatting_func.__code__.co_argcount > 1:
                print("more than one argument")

    def __iter__(self):
        return (self.formatting_func(row) for row in self.rows)


def main():
    dataset = ConstantLengthDataset([{"text": "a"}, {"text": "b"}], text_field="text")
    for batch in DataLoader(dataset, batch_size=2, num_workers=1):
        print(batch)


if __name__ == "__main__":
    main()
