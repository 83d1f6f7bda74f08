from torch.utils.data import DataLoader

from sequences import ListOps


def main():
    data = ListOps()
    data.setup()
    for batch in DataLoader(data.dataset_train, batch_size=2, num_workers=1, collate_fn=data._collate_fn):
        print(batch)


if __name__ == "__main__":
    main()
