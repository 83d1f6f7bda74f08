from torch.utils.data import DataLoader

from datasets.digits import DigitsDataset


def main():
    dataset = DigitsDataset("data", normal_class=3)
    for index, target in DataLoader(dataset.train_set, batch_size=4, num_workers=1):
        print(index.tolist(), target.tolist())


if __name__ == "__main__":
    main()
