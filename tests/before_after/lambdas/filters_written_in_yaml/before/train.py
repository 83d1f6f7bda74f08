import torch
import yaml
from torch.utils.data import DataLoader, Dataset


class MultiFilter:
    def __init__(self, rules):
        self.rules = rules

    def __call__(self, sample):
        return all(rule(sample[key]) for key, rule in self.rules.items())


class Images(Dataset):
    def __init__(self, samples, select):
        self.samples = samples
        self.select = select

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return torch.tensor(float(self.select(self.samples[index])))


class Core:
    def __init__(self, path):
        with open(path) as file:
            self.config = yaml.safe_load(file)

    def setup_data(self):
        samples = [{"width": 512, "height": 1024}, {"width": 1024, "height": 1024}]
        filters = self.config["dataset_filters"]
        dataset = Images(samples, MultiFilter(rules={f[0]: eval(f[1]) for f in filters}))
        return DataLoader(dataset, batch_size=self.config["batch_size"], num_workers=1)


if __name__ == "__main__":
    for batch in Core("configs/train.yaml").setup_data():
        print(batch.tolist())
