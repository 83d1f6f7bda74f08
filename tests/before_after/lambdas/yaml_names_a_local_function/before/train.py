import torch
import yaml
from torch.utils.data import DataLoader, Dataset


class Captions(Dataset):
    def __init__(self, samples, getter):
        self.samples = samples
        self.key, self.getter = getter

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.getter(self.samples[index][self.key])


def preprocessors(config):
    def get_caption(entry):
        return entry["caption"]

    return config["captions_getter"][0], eval(config["captions_getter"][1])


def main():
    with open("configs/train.yaml") as file:
        config = yaml.safe_load(file)
    samples = [{"json": {"caption": "one"}}, {"json": {"caption": "two"}}]
    for batch in DataLoader(Captions(samples, preprocessors(config)), num_workers=1):
        print(batch)


if __name__ == "__main__":
    main()
